"""Whole words for the terms of an index: the most frequent form, in documents that have a term.

An index keeps stems alone. The documents in which a term weighs most are read for it; what was
found is kept as long as the generation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.corpus import SparseVector
from likewise.document import values_of
from likewise.readers import ReadOptions
from likewise.readers.records import texts_of
from likewise.text.surface import words_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from likewise.search.generation import Generation

DOCUMENTS = 8  # of each term that are read
REMEMBERED = 20_000  # terms


class Surface:
    """Called with terms, it returns a word for each; a term that no document has is its own."""

    def __init__(self, generation: Generation) -> None:
        self._generation = generation
        self._options = ReadOptions(fields=generation.snapshot.settings.fields)
        self._known: dict[str, str] = {}

    def __call__(self, terms: Iterable[str]) -> dict[str, str]:
        wanted = list(dict.fromkeys(terms))
        new = [term for term in wanted if term not in self._known]
        if len(self._known) + len(new) > REMEMBERED:
            self._known.clear()
            new = wanted
        numbers = self._generation.snapshot.term_numbers(new).tolist() if new else []
        for term, number in zip(new, numbers, strict=True):
            self._known[term] = self._look_up(term, number) if number >= 0 else term
        return {term: self._known.get(term, term) for term in wanted}

    def _look_up(self, term: str, number: int) -> str:
        alone = SparseVector(np.array([number], np.int32), np.ones(1))
        found = self._generation.words().top(alone, DOCUMENTS, positive=True)
        texts = (text for document, _ in found for text in self._texts(document))
        return words_of(self._generation.analyzer, [term], texts).get(term, term)

    def _texts(self, number: int) -> Iterable[str]:
        return texts_of(self._generation.snapshot.read(number, values_of), self._options)
