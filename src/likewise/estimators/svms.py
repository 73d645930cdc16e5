"""Support vector machines whose loss is a sum over documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.estimators.base import SVM
from likewise.solvers import problems
from likewise.solvers.problems import NEGATIVE_WEIGHT

if TYPE_CHECKING:
    from likewise.corpus import Corpus
    from likewise.solvers.blocks import Blocks
    from likewise.solvers.solution import Solution


class OneClassSVM(SVM):
    """SVM_1c: examples should score above 1 (and negatives below −1); U is ignored.

    ½‖w‖² + C·[mean of max(0, 1 − s) over P + negative_weight · mean of max(0, 1 + s) over N].
    """

    def __init__(
        self,
        C: float = 100.0,
        *,
        negative_weight: float = NEGATIVE_WEIGHT,
        tol: float = 1e-3,
        max_iter: int = 1000,
    ) -> None:
        self.C = C
        self.negative_weight = negative_weight
        self.tol = tol
        self.max_iter = max_iter

    def _solve(self, corpus: Corpus, blocks: Blocks) -> Solution:
        return problems.one_class(
            corpus, blocks, self.C, negative_weight=self.negative_weight, stop=self._stop()
        )


class BalancedSVM(SVM):
    """SVM_ba: examples should score above ½ and unlabeled documents below −½.

    ½‖w‖² + C·[mean of max(0, ½ − s) over P + mean of max(0, ½ + s) over U], plus negative_weight
    times the latter over N. loss="squared_hinge" takes the squares, with margins of 1 instead of ½.
    C_per_example sets the cost in another way: it is the weight c of each example's slack in
    ½‖v‖² + c·[Σ over P + l/u · Σ over U] with margins of 1, where v is 2w for the hinge and w
    for its square. By default c is 1 for the hinge and 3 for its square.
    """

    def __init__(
        self,
        C: float | None = None,
        *,
        C_per_example: float | None = None,
        loss: str = "hinge",
        fit_intercept: bool = False,
        scaling: str = "balanced",
        negative_weight: float = NEGATIVE_WEIGHT,
        tol: float = 1e-3,
        max_iter: int = 1000,
    ) -> None:
        self.C = C
        self.C_per_example = C_per_example
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.scaling = scaling
        self.negative_weight = negative_weight
        self.tol = tol
        self.max_iter = max_iter

    def _solve(self, corpus: Corpus, blocks: Blocks) -> Solution:
        return problems.balanced(
            corpus,
            blocks,
            self.C,
            C_per_example=self.C_per_example,
            loss=self.loss,
            bias=self.fit_intercept,
            scaling=self.scaling,
            negative_weight=self.negative_weight,
            stop=self._stop(),
        )
