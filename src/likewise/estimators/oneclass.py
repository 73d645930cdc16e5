"""One-class estimators: NuOneClassSVM and SVDD, as outlier detectors of scikit-learn.

fit(X); decision_function is at least 0 inside; predict returns 1 inside and −1 outside. They solve
the dual exactly. Its size is the number of documents squared, so use at most some thousands.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from likewise.errors import UsageError
from likewise.estimators.base import documents_of, scores_of
from likewise.solvers.blocks import check_above_zero
from likewise.solvers.oneclass import Plane, Sphere, plane, sphere

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from sklearn.utils import Tags

    from likewise.corpus import Corpus

    Floats = NDArray[np.float64]

NU = 0.01


class _OneClass(OutlierMixin, BaseEstimator):  # type: ignore[misc]
    """support_: the support vectors' numbers; dual_coef_: their weights, which sum to 1.

    objective_: its final value; duality_gap_: a bound on how far that is above the minimum.
    """

    tol: float
    max_iter: int

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from all rows; `y` is ignored."""
        check_above_zero("tol", self.tol)
        check_above_zero("max_iter", self.max_iter)
        corpus = documents_of(self, X, reset=True)
        found = self._solve(corpus)
        self.support_ = np.flatnonzero(found.alphas)
        self.dual_coef_ = found.alphas[self.support_]
        self.objective_, self.duality_gap_ = found.objective, found.gap
        self.n_iter_ = max(found.rounds, 1)
        if found.rounds >= self.max_iter:
            warnings.warn(
                f"{type(self).__name__} stopped after {found.rounds} rounds with a gap of "
                f"{found.gap:.2g}: raise max_iter or tol",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def decision_function(self, X: Any) -> Floats:
        """At least 0 inside, below 0 outside."""
        scores: Floats = self.score_samples(X) - self.offset_
        return scores

    def score_samples(self, X: Any) -> Floats:
        """The decision function without its offset."""
        check_is_fitted(self)
        return self._scores(documents_of(self, X, reset=False))

    def predict(self, X: Any) -> NDArray[np.int64]:
        """1 inside, −1 outside."""
        return np.where(self.decision_function(X) >= 0, 1, -1)

    def _solve(self, corpus: Corpus) -> Plane | Sphere:
        raise NotImplementedError

    def _scores(self, corpus: Corpus) -> Floats:
        raise NotImplementedError

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class NuOneClassSVM(_OneClass):
    """½‖w‖² − ρ + 1/(νℓ)·Σ max(0, ρ − w·x_i); f(x) = w·x − ρ (Schölkopf et al., 2001).

    nu: the share of documents that may be left outside; coef_: w; rho_: ρ.
    """

    def __init__(self, nu: float = NU, *, tol: float = 1e-6, max_iter: int = 1000) -> None:
        self.nu = nu
        self.tol = tol
        self.max_iter = max_iter

    def _solve(self, corpus: Corpus) -> Plane:
        rows = corpus.rows(np.arange(corpus.shape[0]))
        found = plane(rows, self.nu, tol=self.tol, max_rounds=self.max_iter)
        self.coef_, self.rho_ = found.w, found.rho
        self.offset_ = self.rho_
        return found

    def _scores(self, corpus: Corpus) -> Floats:
        return scores_of(corpus, self.coef_)


class SVDD(_OneClass):
    """R² + C·Σ max(0, ‖x_i − a‖² − R²); f(x) = R² − ‖x − a‖² (Tax & Duin, 2004).

    C: the cost of a document outside, at least 1/ℓ; or nu, with C = 1/(νℓ), by default 0.01.
    center_: a; radius_: R. On rows of unit length with this C, a is the w of NuOneClassSVM(nu).
    """

    def __init__(
        self,
        C: float | None = None,
        *,
        nu: float | None = None,
        tol: float = 1e-6,
        max_iter: int = 1000,
    ) -> None:
        self.C = C
        self.nu = nu
        self.tol = tol
        self.max_iter = max_iter

    def _solve(self, corpus: Corpus) -> Sphere:
        rows = corpus.rows(np.arange(corpus.shape[0]))
        found = sphere(rows, self._cost(rows.shape[0]), tol=self.tol, max_rounds=self.max_iter)
        self.center_, self.radius_ = found.center, found.radius
        self.offset_ = -(self.radius_**2)
        return found

    def _cost(self, documents: int) -> float:
        if self.C is not None and self.nu is not None:
            raise UsageError("C and nu both set the cost: give one of them")
        if self.C is not None:
            check_above_zero("C", self.C)
            return self.C
        nu = NU if self.nu is None else self.nu
        if not 0 < nu <= 1:
            raise UsageError(f"nu is {nu}: it must be above 0 and at most 1")
        return 1 / (nu * max(documents, 1))

    def _scores(self, corpus: Corpus) -> Floats:
        """The negative squared distance from the centre."""
        along = scores_of(corpus, self.center_)
        square = float(np.einsum("i,i", self.center_, self.center_))
        squares: Floats = corpus.arrays.host(corpus.squares)
        return 2 * along - square - squares
