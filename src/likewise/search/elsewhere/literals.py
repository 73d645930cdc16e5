"""Terms of a Boolean query as databases search for them: truncated, or by their forms.

A term of the index stands for several words. Cut to what they have in common, with a * behind, it
finds them all, and perhaps others: where those would add too many documents, the words themselves
are listed.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise.corpus import SparseVector
from likewise.document import values_of
from likewise.readers import ReadOptions
from likewise.readers.records import texts_of
from likewise.text.surface import all_forms

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likewise.search.generation import Generation

READ = 40  # documents of each term whose words are looked at
SHORTEST = 4  # characters before a *, as in PubMed
EXTRA = 0.1  # documents that a * may add, as a share of those of the term
FORMS = 6  # words that are listed at most
COMMON = 0.02  # share of a term's words that a word must have to be listed


class Literal(NamedTuple):
    """A truncated word, or several words, of which one will do; a phrase has a space in it."""

    term: str
    words: tuple[str, ...]
    truncated: bool = False

    def __str__(self) -> str:
        return f"{self.words[0]}*" if self.truncated else " / ".join(self.words)


class Literals:
    """Called with a term, it says how to search for it; `documents` are those that it finds."""

    def __init__(self, generation: Generation) -> None:
        self._generation = generation
        self._raw = generation.words("raw")
        self._options = ReadOptions(fields=generation.snapshot.settings.fields)
        names = generation.snapshot.term_names(range(generation.snapshot.terms))
        self._numbers = {name: number for number, name in enumerate(names)}
        self._sorted = sorted(names)

    def __call__(self, term: str) -> Literal:
        forms = self._forms(term)
        words = [word for word, _ in forms.most_common()] or [term]
        if " " in term:
            return Literal(term, (words[0],))
        prefix = _beginning([term, *words])
        if len(prefix) >= SHORTEST and prefix.isalpha():
            literal = Literal(term, (prefix,), truncated=True)
            own = self._having([term])
            if int((self.documents(literal) & ~own).sum()) <= EXTRA * int(own.sum()):
                return literal
        least = COMMON * sum(forms.values())
        listed = [word for word in words if forms[word] >= least][:FORMS] or words[:1]
        if prefix == term and len(term) < SHORTEST:  # a stem as short is a word
            listed.append(term)
        return Literal(term, tuple(sorted(set(listed))))

    def documents(self, literal: Literal) -> NDArray[np.bool_]:
        """The documents that it finds in this index."""
        if not literal.truncated:
            return self._having([literal.term])
        first = bisect_left(self._sorted, literal.words[0])
        last = bisect_left(self._sorted, literal.words[0] + chr(0x10FFFF))
        terms = [term for term in self._sorted[first:last] if " " not in term]
        return self._having([literal.term, *terms])

    def _having(self, terms: list[str]) -> NDArray[np.bool_]:
        columns = np.unique(np.array([self._numbers[term] for term in terms], np.int32))
        counts = self._raw.scores(SparseVector(columns, np.ones(len(columns))))
        having: NDArray[np.bool_] = np.asarray(self._raw.arrays.host(counts)) > 0
        return having

    def _forms(self, term: str) -> Counter[str]:
        alone = SparseVector(np.array([self._numbers[term]], np.int32), np.ones(1))
        found = self._generation.words().top(alone, READ, positive=True)
        snapshot = self._generation.snapshot
        texts = (
            text
            for number, _ in found
            for text in texts_of(snapshot.read(number, values_of), self._options)
        )
        return all_forms(self._generation.analyzer, term, texts)


def _beginning(words: Sequence[str]) -> str:
    """What words have in common, from their first letter on."""
    same = takewhile(lambda letters: len(set(letters)) == 1, zip(*words, strict=False))
    return "".join(letters[0] for letters in same)
