"""What people write in a search box: words, -words that must not be there, and "phrases" that must.

A minus counts at the beginning of a word, so hyphens within one do not. A word after a minus is
looked up as any other is: -robot leaves out robots, too. A phrase is found in the text of a
document as it is written, but for case.
"""

from __future__ import annotations

import re
from functools import lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise.corpus import SparseVector
from likewise.document import values_of
from likewise.errors import UsageError
from likewise.text.surface import forms_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from likewise.corpus import Mask
    from likewise.search.generation import Generation

    Found = Sequence[tuple[int, float]]

PART = re.compile(r'(?<!\S)(?P<minus>-?)(?:"(?P<phrase>[^"]*)"|(?P<word>\w\S*))')
MOST_READ = 2_000  # documents whose texts are looked through to count them
QUOTES = str.maketrans("“”„«»", '"""""')
SIGNS = re.compile('[-"“”„«»]').search  # without one of these there are only words


class Keywords(NamedTuple):
    """`words` are what is ranked by, those of phrases among them."""

    words: str
    phrases: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    @property
    def asks(self) -> bool:
        """Whether there is more to it than words."""
        return bool(self.phrases or self.without)


def parse(text: str) -> Keywords:
    """Quotes that do not close, and a minus before nothing, are as nothing."""
    return _parse(text) if SIGNS(text) else Keywords(text)


@lru_cache(maxsize=256)
def _parse(text: str) -> Keywords:
    plain, phrases, without = [], [], []
    end = 0
    written = text.translate(QUOTES)
    for part in PART.finditer(written):
        said = part["phrase"] if part["phrase"] is not None else part["word"]
        plain.append(written[end : part.start()])
        end = part.end()
        if not said.strip():
            continue
        if part["minus"]:
            without.append(said)
        elif part["phrase"] is not None:
            phrases.append(said)
            plain.append(f" {said} ")
        else:
            plain.append(part[0])
    plain.append(written[end:])
    said_plainly = "".join(plain)
    if not phrases and not without:
        return Keywords(text)
    if not said_plainly.strip():
        raise UsageError(f"{text!r} only says what not to find: add words to look for")
    return Keywords(said_plainly, tuple(phrases), tuple(without))


class Wanted:
    """Which documents pass the phrases and the words after a minus."""

    def __init__(self, generation: Generation, asked: Keywords) -> None:
        from likewise.readers.options import ReadOptions
        from likewise.readers.records import texts_of

        self._generation = generation
        options = ReadOptions(fields=generation.snapshot.settings.fields)
        self._texts_of = partial(texts_of, options=options)
        self._phrases = [self._forms(phrase) for phrase in asked.phrases]
        several = [one for one in asked.without if len(generation.analyzer(one)) > 1]
        self._without = [self._forms(phrase) for phrase in several]
        self._single = [one for one in asked.without if one not in several]
        self._asked = asked

    def mask(self, keep: Mask | None) -> Mask:
        """Those that have all terms of the phrases, and none of the single words."""
        mask = np.ones(len(self._generation), np.bool_) if keep is None else keep.copy()
        for phrase in self._asked.phrases:
            for term in self._terms(phrase):
                mask &= self._having(term)
        for word in self._single:
            mask &= ~self._having(*self._terms(word))
        return mask

    def count(self, keep: Mask | None) -> int:
        """How many pass; where many have the words of a phrase, at most so many do."""
        numbers = np.flatnonzero(self.mask(keep)).tolist()
        if (not self._phrases and not self._without) or len(numbers) > MOST_READ:
            return len(numbers)
        return sum(map(self._passes, numbers))

    def best(self, k: int, top: Callable[[int], Found]) -> Found:
        """The k best that pass: as many of the top documents are read as that takes."""
        if not self._phrases and not self._without:
            return top(k)
        wanted, read = k, 0
        passed: list[tuple[int, float]] = []
        while True:
            found = top(wanted)
            passed += [one for one in found[read:] if self._passes(one[0])]
            read = len(found)
            if len(passed) >= k or len(found) < wanted:
                return passed[:k]
            wanted *= 4

    def _passes(self, number: int) -> bool:
        values = self._generation.snapshot.read(number, values_of)
        texts = [self._forms(text) for text in self._texts_of(values)]
        return all(any(_has(text, one) for text in texts) for one in self._phrases) and not any(
            _has(text, one) for text in texts for one in self._without
        )

    def _terms(self, words: str) -> list[str]:
        terms = self._generation.analyzer(words)
        if not terms:
            raise UsageError(
                f"{words!r} consists of words that are not indexed, such as and: leave it out"
            )
        return terms

    def _having(self, term: str) -> Mask:
        """The documents that have a term."""
        mask = np.zeros(len(self._generation), np.bool_)
        (number,) = self._generation.snapshot.term_numbers([term])
        if number >= 0:
            alone = SparseVector(np.array([number], np.int32), np.ones(1))
            found = self._generation.words("raw").top(alone, len(mask), positive=True)
            mask[[document for document, _ in found]] = True
        return mask

    def _forms(self, text: str) -> list[str]:
        return forms_of(self._generation.analyzer, text)


def _has(text: list[str], phrase: list[str]) -> bool:
    """Whether the words of a phrase follow each other in a text."""
    if not phrase:
        return True
    first, length = phrase[0], len(phrase)
    return any(word == first and text[i : i + length] == phrase for i, word in enumerate(text))
