"""Bipartite ranking: examples above all others, as measured by the area under the ROC curve.

Shen & Lin, Active Sampling of Pairs and Points for Large-scale Linear Bipartite Ranking; their
parameters, too: the weights of all losses add up to budget·C.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from likewise.errors import UsageError
from likewise.estimators.base import SVM, Query
from likewise.solvers import ranking
from likewise.solvers.methods import NEGATIVE_WEIGHT

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from likewise.corpus import Corpus
    from likewise.solvers.blocks import Blocks
    from likewise.solvers.solution import Solution


class Ranker(Query):
    """A query vector that ranks; `score` is the AUC."""

    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """The area under the ROC curve: the share of pairs in order, a tie being half."""
        from sklearn.metrics import roc_auc_score

        relevant = np.asarray(y) == 1
        if relevant.all() or not relevant.any():
            raise UsageError(
                f"AUC needs both kinds: {int(relevant.sum())} of {len(relevant)} have y = 1"
            )
        return float(
            roc_auc_score(relevant, self.decision_function(X), sample_weight=sample_weight)
        )

    def _note(self, solution: Solution) -> None:
        super()._note(solution)
        if not np.any(solution.w):
            warnings.warn(
                f"{type(self).__name__} found nothing that tells the examples from the others: "
                "all documents score alike",
                stacklevel=3,
            )


class WeightedSVM(Ranker, SVM):
    """Ranking by points, both sides weighing the same: equation (2).

    ½‖w‖² + ½·budget·C·[mean of max(0, 1 − s) over P + mean of max(0, 1 + s) over the others];
    loss="squared_hinge" and "logistic" are the other choices.
    """

    def __init__(
        self,
        C: float = ranking.COST,
        *,
        budget: int = ranking.BUDGET,
        loss: str = "hinge",
        fit_intercept: bool = False,
        negative_weight: float = NEGATIVE_WEIGHT,
        tol: float = 1e-3,
        max_iter: int = 1000,
    ) -> None:
        self.C = C
        self.budget = budget
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.negative_weight = negative_weight
        self.tol = tol
        self.max_iter = max_iter

    def _solve(self, corpus: Corpus, blocks: Blocks) -> Solution:
        return ranking.weighted(
            corpus,
            blocks,
            self.C,
            budget=self.budget,
            loss=self.loss,
            bias=self.fit_intercept,
            negative_weight=self.negative_weight,
            stop=self._stop(),
        )


class RankSVM(Ranker, SVM):
    """Ranking by all pairs: equation (1), in O(n log n).

    ½‖w‖² + budget·C·[mean of max(0, 1 − s_i + s_j) over all i of P and all other j];
    loss="squared_hinge" has the squares.
    """

    def __init__(
        self,
        C: float = ranking.COST,
        *,
        budget: int = ranking.BUDGET,
        loss: str = "hinge",
        negative_weight: float = NEGATIVE_WEIGHT,
        tol: float = 1e-3,
        max_iter: int = 1000,
    ) -> None:
        self.C = C
        self.budget = budget
        self.loss = loss
        self.negative_weight = negative_weight
        self.tol = tol
        self.max_iter = max_iter

    def _solve(self, corpus: Corpus, blocks: Blocks) -> Solution:
        return ranking.rank(
            corpus,
            blocks,
            self.C,
            budget=self.budget,
            loss=self.loss,
            negative_weight=self.negative_weight,
            stop=self._stop(),
        )
