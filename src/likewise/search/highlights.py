"""Where the words of a text stand that count for its score."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from likewise.text import Analyzer

WORD = re.compile(r"\w+")
MOST = 12  # terms of a document that are shown


class Highlights:
    """Called with a text and the weights of terms, it yields the places of words with a weight."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._analyzer = analyzer
        self._terms: dict[str, list[str]] = {}

    def __call__(
        self, text: str, of: Mapping[str, float]
    ) -> Iterator[tuple[tuple[int, int], float]]:
        """A word has the weight of its term, alone or in a pair."""
        words = [(word.span(), self._of(word[0])) for word in WORD.finditer(text)]
        words = [(span, terms) for span, terms in words if terms]  # as pairs pass over stop words
        weights = [sum(of.get(term, 0.0) for term in terms) for _, terms in words]
        for i, ((_, terms), (_, following)) in enumerate(pairwise(words)):
            together = of.get(f"{terms[-1]} {following[0]}", 0.0)
            weights[i] += together
            weights[i + 1] += together
        yield from ((span, w) for (span, _), w in zip(words, weights, strict=True) if w)

    def _of(self, word: str) -> list[str]:
        if word not in self._terms:
            self._terms[word] = self._analyzer(word)
        return self._terms[word]
