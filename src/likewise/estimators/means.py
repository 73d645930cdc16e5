"""Query vectors without learning."""

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
    """The examples' mean minus `negative_weight` times that of the negatives."""

    def __init__(self, *, negative_weight: float = NEGATIVE_WEIGHT) -> None:
        self.negative_weight = negative_weight

    def _solve(self, corpus: Corpus, blocks: Blocks) -> Solution:
        return problems.centroid(corpus, blocks, negative_weight=self.negative_weight)


class Rocchio(Query):
    """The examples' mean minus the unlabeled documents', and `negative_weight` times N's."""

    def __init__(self, *, negative_weight: float = NEGATIVE_WEIGHT) -> None:
        self.negative_weight = negative_weight

    def _solve(self, corpus: Corpus, blocks: Blocks) -> Solution:
        return problems.rocchio(corpus, blocks, negative_weight=self.negative_weight)
