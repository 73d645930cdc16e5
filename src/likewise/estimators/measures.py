"""Support vector machines for measures of the contingency table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.estimators.base import SVM
from likewise.losses import F1, PrecisionAt, PrecisionRecall, RecallAt
from likewise.solvers import problems
from likewise.solvers.problems import NEGATIVE_WEIGHT

if TYPE_CHECKING:
    from likewise.corpus import Corpus
    from likewise.losses import Measure
    from likewise.solvers.blocks import Blocks
    from likewise.solvers.solution import Solution


class _TableSVM(SVM):
    """An SVM for a measure of the contingency table: C · the largest loss that the scores allow.

    The default of C is the number of examples.
    """

    def __init__(
        self,
        C: float | None = None,
        *,
        scaling: str = "balanced",
        negative_weight: float = NEGATIVE_WEIGHT,
        tol: float = 1e-3,
        max_iter: int = 1000,
    ) -> None:
        self.C = C
        self.scaling = scaling
        self.negative_weight = negative_weight
        self.tol = tol
        self.max_iter = max_iter

    def _measure(self, blocks: Blocks) -> Measure:
        raise NotImplementedError

    def _solve(self, corpus: Corpus, blocks: Blocks) -> Solution:
        return problems.multivariate(
            corpus,
            blocks,
            self._measure(blocks),
            self.C,
            scaling=self.scaling,
            negative_weight=self.negative_weight,
            stop=self._stop(),
        )


class PrecisionRecallSVM(_TableSVM):
    """SVM_pr: for the product of precision and recall."""

    def _measure(self, blocks: Blocks) -> Measure:
        return PrecisionRecall()


class F1SVM(_TableSVM):
    """For F1."""

    def _measure(self, blocks: Blocks) -> Measure:
        return F1()


class BreakEvenSVM(_TableSVM):
    """For the precision-recall break-even point: recall among the first |P|."""

    def _measure(self, blocks: Blocks) -> Measure:
        return RecallAt(len(blocks.positives))


class _SizedSVM(_TableSVM):
    """Precision or recall among the first k, including the examples P; by default k = 2·|P|."""

    def __init__(
        self,
        k: int | None = None,
        C: float | None = None,
        *,
        scaling: str = "balanced",
        negative_weight: float = NEGATIVE_WEIGHT,
        tol: float = 1e-3,
        max_iter: int = 1000,
    ) -> None:
        super().__init__(
            C, scaling=scaling, negative_weight=negative_weight, tol=tol, max_iter=max_iter
        )
        self.k = k


class PrecisionAtK(_SizedSVM):
    """SVM_p@k: for the precision among the first k."""

    def _measure(self, blocks: Blocks) -> Measure:
        return PrecisionAt(problems.table_size(self.k, blocks))


class RecallAtK(_SizedSVM):
    """SVM_r@k: for the recall among the first k."""

    def _measure(self, blocks: Blocks) -> Measure:
        return RecallAt(problems.table_size(self.k, blocks))
