"""Bipartite ranking: examples above all others, as measured by the area under the ROC curve.

The methods and default parameters of Shen & Lin, Active Sampling of Pairs and Points for
Large-scale Linear Bipartite Ranking: the weights of all losses sum to budget·C.
"""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from likewise.engines.memory import as_corpus
from likewise.errors import UsageError
from likewise.estimators.base import SVM, Query
from likewise.solvers import ranking
from likewise.solvers.active import Sampling, active
from likewise.solvers.blocks import check_above_zero
from likewise.solvers.combined import GAMMA, STEPS, combined
from likewise.solvers.problems import NEGATIVE_WEIGHT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import ArrayLike

    from likewise.corpus import Corpus
    from likewise.solvers.active import Step
    from likewise.solvers.blocks import Blocks
    from likewise.solvers.solution import Solution


ROUNDING = 1e-13


class Ranker(Query):
    """A query vector for ranking; `score` is the AUC."""

    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """The area under the ROC curve: the share of pairs in order; a tie counts half."""
        from sklearn.metrics import roc_auc_score

        check_is_fitted(self)
        relevant = np.asarray(y) == self.classes_[-1]
        if relevant.all() or not relevant.any():
            raise UsageError(
                f"AUC needs both classes: {int(relevant.sum())} of {len(relevant)} have y = "
                f"{self.classes_[-1]}"
            )
        return float(
            roc_auc_score(relevant, self.decision_function(X), sample_weight=sample_weight)
        )

    def _note(self, solution: Solution) -> None:
        super()._note(solution)
        if np.abs(self.coef_).max(initial=0.0) <= ROUNDING * np.abs(solution.alphas).sum():
            warnings.warn(
                f"{type(self).__name__} could not separate the examples from the others: "
                "all documents have the same score",
                stacklevel=3,
            )


class WeightedSVM(Ranker, SVM):
    """Ranking by points, both classes with the same weight: equation (2).

    ½‖w‖² + ½·budget·C·[mean of max(0, 1 − s) over P + mean of max(0, 1 + s) over the others];
    loss may also be "squared_hinge" or "logistic".
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
    loss="squared_hinge" takes the squares.
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


class CombinedRankingRegression(Ranker):
    """CRR: the squared loss of points and the hinge loss of pairs, by random steps (Sculley, 2010).

    ½‖w‖² + budget·C·[gamma·(mean loss over pairs) + (1 − gamma)·(mean of (y − s)² over points)];
    The loss of pairs may also be "squared_hinge" or "logistic"; points="as_pairs" uses it for
    points, too. max_iter is the number of steps; the result is the mean over all of them, later
    ones counting more. objective_ is its value there (of "logistic" over some pairs). There is no
    duality gap: excess_ is what the second half of the steps has gained, about what is left to
    gain. It warns if that is above tol times the objective.
    """

    def __init__(
        self,
        C: float = ranking.COST,
        *,
        budget: int = ranking.BUDGET,
        gamma: float = GAMMA,
        loss: str = "hinge",
        points: str = "squared",
        negative_weight: float = NEGATIVE_WEIGHT,
        tol: float = 1e-2,
        max_iter: int = STEPS,
        random_state: Any = 0,
    ) -> None:
        self.C = C
        self.budget = budget
        self.gamma = gamma
        self.loss = loss
        self.points = points
        self.negative_weight = negative_weight
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def _solve(self, corpus: Corpus, blocks: Blocks) -> Solution:
        check_above_zero("tol", self.tol)
        return combined(
            corpus,
            blocks,
            self.C,
            budget=self.budget,
            gamma=self.gamma,
            loss=self.loss,
            points=self.points,
            steps=self.max_iter,
            seed=seed_of(self.random_state),
            negative_weight=self.negative_weight,
        )

    def _note(self, solution: Solution) -> None:
        super()._note(solution)
        progress = solution.progress
        self.objective_, self.excess_ = progress.objective, progress.gap
        if self.excess_ > self.tol * self.objective_:
            warnings.warn(
                f"CombinedRankingRegression may be {self.excess_ / self.objective_:.2g} above its "
                f"minimum after {progress.iterations} steps, more than tol={self.tol:g}: raise "
                "max_iter or tol, or lower C",
                ConvergenceWarning,
                stacklevel=3,
            )


class ActiveRankSVM(Ranker, SVM):
    """Ranking by pairs drawn while learning (active sampling): ASRankSVM and, with points, ASCRC.

    strategy: soft-correct, soft-close, random, hard-correct or hard-close. gamma: the probability
    of drawing a pair and not a point; `uniform` is the share of pairs among pairs and points.
    threshold: points, but not pairs, have an additional entry −1. bias_correction: weight a draw by
    the inverse of its probability. loss: hinge, squared_hinge or logistic. callback: called with a
    Step after every batch, for example a Curve.

    n_rejected_: the number of rejected draws; rejected_: that of each batch; pairs_: the documents
    of the pairs learned from, −1 for the missing one of a point; pair_costs_: their weights.
    """

    def __init__(
        self,
        C: float = ranking.COST,
        *,
        strategy: str = "soft-correct",
        budget: int = ranking.BUDGET,
        batch: int = 100,
        gamma: float | str = 1.0,
        threshold: bool = False,
        bias_correction: bool = True,
        loss: str = "hinge",
        negative_weight: float = NEGATIVE_WEIGHT,
        tol: float = 1e-3,
        max_iter: int = 1000,
        random_state: Any = 0,
        n_jobs: int = 1,
        callback: Callable[[Step], object] | None = None,
    ) -> None:
        self.C = C
        self.strategy = strategy
        self.budget = budget
        self.batch = batch
        self.gamma = gamma
        self.threshold = threshold
        self.bias_correction = bias_correction
        self.loss = loss
        self.negative_weight = negative_weight
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.callback = callback

    def _solve(self, corpus: Corpus, blocks: Blocks) -> Solution:
        ranked = active(
            corpus,
            blocks,
            self.C,
            Sampling(
                self.strategy,
                self.budget,
                self.batch,
                self.gamma,
                self.threshold,
                self.bias_correction,
                seed_of(self.random_state),
                self.n_jobs,
            ),
            loss=self.loss,
            negative_weight=self.negative_weight,
            stop=self._stop(),
            callback=self.callback,
        )
        self.rejected_ = ranked.rejected
        self.n_rejected_ = sum(ranked.rejected)
        self.pairs_ = np.column_stack([ranked.chosen.upper, ranked.chosen.lower])
        self.pair_costs_, self.pair_coef_ = ranked.chosen.costs, ranked.chosen.alphas
        return ranked.solution


class Curve:
    """A callback that records the AUC on some documents, and the rejected draws, while learning.

    at: record when this many pairs are drawn; None: after every batch. pairs: how many were drawn;
    auc; rejected: rejected draws per pair since the last record.
    """

    def __init__(self, X: Any, y: ArrayLike, *, at: Iterable[int] | None = None) -> None:
        self._corpus, self._relevant = as_corpus(X), np.asarray(y) == 1
        self._ahead = None if at is None else sorted(at, reverse=True)
        self._rejected = 0
        self.pairs: list[int] = []
        self.auc: list[float] = []
        self.rejected: list[float] = []

    def __call__(self, step: Step) -> None:
        self._rejected += step.rejected
        if self._is_wanted(step.pairs):
            self._look(step)

    def _is_wanted(self, pairs: int) -> bool:
        if self._ahead is None:
            return True
        reached = False
        while self._ahead and self._ahead[-1] <= pairs:
            self._ahead.pop()
            reached = True
        return reached

    def _look(self, step: Step) -> None:
        from sklearn.metrics import roc_auc_score

        w, _ = step.w
        new = step.pairs - (self.pairs[-1] if self.pairs else 0)
        self.pairs.append(step.pairs)
        scores = self._corpus.arrays.host(self._corpus.scores(w))
        self.auc.append(float(roc_auc_score(self._relevant, scores)))
        self.rejected.append(self._rejected / max(new, 1))
        self._rejected = 0


def seed_of(random_state: Any) -> int:
    """An integer seed for the core from scikit-learn's random_state."""
    if isinstance(random_state, Integral) and int(random_state) >= 0:
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))
