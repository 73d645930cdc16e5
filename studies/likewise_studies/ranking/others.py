"""What Shen & Lin leave open, and what is the default here, as rows beside their methods.

The exponential loss of pairs; half of the pairs drawn by soft closeness and half by soft
correctness, which tolerates noise that correctness alone collects; kernel features; and our
estimators with nothing but their defaults.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from likewise.estimators import ActiveRankSVM, CombinedRankingRegression, WeightedSVM
from likewise.estimators.ranking import seed_of
from likewise.solvers.active import Sampling, _Search
from likewise.solvers.ranking import BUDGET, COST, sides_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from likewise.corpus import Corpus
    from likewise.solvers.blocks import Blocks
    from likewise.solvers.solution import Solution

LANDMARKS = 300
HALVES = ("soft-close", "soft-correct")


class Mixed(ActiveRankSVM):
    """Batches by soft closeness and by soft correctness in turn."""

    def _solve(self, corpus: Corpus, blocks: Blocks) -> Solution:
        sides = sides_of(corpus, blocks, self.negative_weight)
        sampling = Sampling(seed=seed_of(self.random_state))
        search = _InTurn(corpus, sides, self.C, sampling, self.loss)
        search.run(self._stop(), None)
        return search.result().solution


class _InTurn(_Search):
    def _draw(self, strategy: str, count: int) -> bool:
        chosen = strategy if strategy == "random" else HALVES[len(self._rejected) % 2]
        return super()._draw(chosen, count)


class Ranker:
    """What is ranked by other means, with the estimators' `fit` and `score`."""

    def fit(self, X: Any, y: Any) -> Self:
        raise NotImplementedError

    def scores(self, X: Any) -> Any:
        raise NotImplementedError

    def score(self, X: Any, y: Any) -> float:
        from sklearn.metrics import roc_auc_score

        return float(roc_auc_score(y > 0, self.scores(X)))


class Exponential(Ranker):
    """½‖w‖² + budget·C·[mean of exp(s_j − s_i) over all pairs], by L-BFGS.

    The mean over pairs is that of exp(−s_i) over i times that of exp(s_j) over j: O(n).
    """

    def fit(self, X: Any, y: Any) -> Self:
        from scipy.optimize import minimize

        above, below = X[y > 0], X[y <= 0]

        def value(w: Any) -> tuple[float, Any]:
            up, low = np.exp(-(above @ w)), np.exp(below @ w)
            a, b = up.mean(), low.mean()
            slope = a * (below.T @ low) / len(low) - b * (above.T @ up) / len(up)
            total = BUDGET * COST
            return 0.5 * w @ w + total * a * b, w + total * slope

        self.w_ = minimize(value, np.zeros(X.shape[1]), jac=True, method="L-BFGS-B").x
        return self

    def scores(self, X: Any) -> Any:
        return X @ self.w_


class Kernel(Ranker):
    """`WeightedSVM` on Nyström's features of a Gaussian kernel, of the width that SVC has."""

    def fit(self, X: Any, y: Any) -> Self:
        from sklearn.kernel_approximation import Nystroem

        squares = X.multiply(X).mean() if hasattr(X, "multiply") else (X**2).mean()
        variance = float(squares - X.mean() ** 2)
        gamma = 1.0 / (X.shape[1] * variance)
        self._features = Nystroem(gamma=gamma, n_components=LANDMARKS, random_state=0)
        self._ranker = WeightedSVM().fit(self._features.fit_transform(X), y)
        return self

    def scores(self, X: Any) -> Any:
        return self._ranker.decision_function(self._features.transform(X))


OTHERS: dict[str, Callable[[int], Any]] = {
    "crr default": lambda seed: CombinedRankingRegression(random_state=seed),
    "soft-correct default": lambda seed: ActiveRankSVM(random_state=seed),
    "mixed": lambda seed: Mixed(random_state=seed, tol=1e-2),
    "exponential": lambda seed: Exponential(),
    "kernel": lambda seed: Kernel(),
}
LABELS = {
    "crr default": "CombinedRankingRegression()",
    "soft-correct default": "ActiveRankSVM()",
    "mixed": "soft-close and soft-correct in turn",
    "exponential": "exponential loss of all pairs",
    "kernel": "WSVM on 300 kernel features",
}
DRAWN = {"crr default": 10, "soft-correct default": 3, "mixed": 3}  # seeds, at most
