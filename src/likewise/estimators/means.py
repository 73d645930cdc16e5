"""Means as query vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.estimators.base import Query
from likewise.solvers import problems
from likewise.solvers.problems import NEGATIVE_WEIGHT

if TYPE_CHECKING:
    from likewise.corpus import Corpus
    from likewise.solvers.blocks import Blocks
    from likewise.solvers.solution import Solution


class Centroid(Query):
    """The mean of the examples minus `negative_weight` times the mean of the negatives."""

    def __init__(self, *, negative_weight: float = NEGATIVE_WEIGHT) -> None:
        self.negative_weight = negative_weight

    def _solve(self, corpus: Corpus, blocks: Blocks) -> Solution:
        return problems.centroid(corpus, blocks, negative_weight=self.negative_weight)


class Rocchio(Query):
    """The mean of P minus that of U minus `negative_weight` times that of N."""

    def __init__(self, *, negative_weight: float = NEGATIVE_WEIGHT) -> None:
        self.negative_weight = negative_weight

    def _solve(self, corpus: Corpus, blocks: Blocks) -> Solution:
        return problems.rocchio(corpus, blocks, negative_weight=self.negative_weight)
