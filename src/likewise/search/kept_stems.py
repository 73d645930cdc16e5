"""Words of a query as an index stems them, where that is otherwise than they are stemmed now.

What the index kept of its stemmer is used where it kept it. Of other words, each term of the index
that could be the word's stem is looked at: the documents that hold it show whether the word stands
for it. Nothing is read for words that have only one such term.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import numpy as np

from likewise.corpus import SparseVector
from likewise.document import values_of
from likewise.readers import ReadOptions
from likewise.readers.records import texts_of
from likewise.text import Analyzer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from likewise.search.generation import Generation

DOCUMENTS = 24  # of each term that are looked at
REMEMBERED = 10_000  # words
SHORTER = 3  # characters that the index's stem may have less than today's
LEAST = 3  # characters of a stem


def analyzer_of(generation: Generation, stems: Mapping[str, str]) -> Analyzer:
    """An analyzer for queries to an index whose stems are not those of today."""
    return Analyzer(generation.snapshot.settings, KeptStems(generation, stems))


class KeptStems:
    """Called with words and today's stems of them, it returns those that the index has."""

    def __init__(self, generation: Generation, stems: Mapping[str, str]) -> None:
        settings = generation.snapshot.settings
        self._generation, self._kept = generation, stems
        self._today, self._options = Analyzer(settings), ReadOptions(fields=settings.fields)
        self._found: dict[str, str] = {}

    def __call__(self, words: list[str], stems: list[str]) -> list[str]:
        return list(map(self._stem, words, stems))

    def _stem(self, word: str, stem: str) -> str:
        if word in self._kept:
            return self._kept[word]
        if word not in self._found:
            if len(self._found) >= REMEMBERED:
                self._found.clear()
            self._found[word] = self._look_up(word, stem)
        return self._found[word]

    def _look_up(self, word: str, stem: str) -> str:
        """The candidate that most documents have together with the word; if in doubt, today's."""
        candidates = list(dict.fromkeys(_candidates(word, stem)))
        numbers = self._generation.snapshot.term_numbers(candidates).tolist()
        there = [(c, n) for c, n in zip(candidates, numbers, strict=True) if n >= 0]
        if not there or [c for c, _ in there] == [stem]:
            return stem
        counts = [self._count(word, number) for _, number in there]
        best = max(counts)
        return there[counts.index(best)][0] if best else stem

    def _count(self, word: str, number: int) -> int:
        """Of the documents that a term is heaviest in, how many have a word."""
        term = SparseVector(np.array([number], np.int32), np.ones(1))
        found = self._generation.words().top(term, DOCUMENTS, positive=True)
        return sum(self._has(document, word) for document, _ in found)

    def _has(self, number: int, word: str) -> bool:
        values = self._generation.snapshot.read(number, values_of)
        return any(word in self._today.words(text) for text in texts_of(values, self._options))


def _candidates(word: str, stem: str) -> Iterator[str]:
    """What a stemmer may make of a word: its beginnings, also without accents or double vowels."""
    yield stem
    plain = "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))
    for spelling in dict.fromkeys((word, plain, _undoubled(word), _undoubled(plain))):
        for length in range(len(spelling), max(LEAST, len(stem) - SHORTER) - 1, -1):
            yield spelling[:length]
            yield f"{spelling[: length - 1]}i"
            yield f"{spelling[:length]}e"


def _undoubled(word: str) -> str:
    return "".join(c for i, c in enumerate(word) if not i or c != word[i - 1] or c not in "aeou")
