"""One-class problems of a few documents: the one-class SVM and SVDD.

One-class SVM (Schölkopf et al., Neural Computation 2001): min ½‖w‖² − ρ + cap·Σ max(0, ρ − w·x_i)
with cap = 1/(νℓ). SVDD (Tax & Duin, Machine Learning 2004): min R² + C·Σ max(0, ‖x_i − a‖² − R²).
Both are solved exactly by their duals, which need only the documents' dot products.
Onoda, Murata & Yamada (2005) use them for feedback from non-relevant documents alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise.errors import UsageError
from likewise.solvers.dual import gram
from likewise.solvers.qp import Capped

if TYPE_CHECKING:
    from likewise.corpus import Csr, Floats

TOL = 1e-6
MAX_ROUNDS = 1000


class Plane(NamedTuple):
    """f(x) = w·x − rho is at least 0 for all but a share ν of the documents."""

    w: Floats
    rho: float
    alphas: Floats
    objective: float
    gap: float
    rounds: int


class Sphere(NamedTuple):
    """Contains what is within `radius` of the centre."""

    center: Floats
    radius: float
    alphas: Floats
    objective: float
    gap: float
    rounds: int

    @property
    def square(self) -> float:
        """The squared distance of the centre from the origin."""
        return float(np.einsum("i,i", self.center, self.center))


def plane(rows: Csr, nu: float = 0.01, *, tol: float = TOL, max_rounds: int = MAX_ROUNDS) -> Plane:
    """The one-class SVM of the rows; `nu` is the share of them that may be outside."""
    count = _count(rows)
    if not 0 < nu <= 1:
        raise UsageError(f"nu is {nu}: it must be above 0 and at most 1")
    problem = Capped(gram(rows), np.zeros(count), 1 / (nu * count))
    rounds = problem.solve(tol, max_rounds)
    objective = problem.gap - problem.value
    rho = _level(problem)
    w = rows.weighted_sum(problem.alpha)
    return Plane(w, rho, problem.alpha, objective, problem.gap, rounds)


def sphere(
    rows: Csr, C: float | None = None, *, tol: float = TOL, max_rounds: int = MAX_ROUNDS
) -> Sphere:
    """SVDD of the rows; C is the cost of a row outside; from 1 on, none is outside."""
    count = _count(rows)
    cost = 1.0 if C is None else C
    if not cost * count >= 1 - 1e-12:
        raise UsageError(f"C is {cost}: for {count} documents it must be at least {1 / count:.3g}")
    products = gram(rows)
    problem = Capped(2 * products, products.diagonal().copy(), cost)
    rounds = problem.solve(tol, max_rounds)
    center = rows.weighted_sum(problem.alpha)
    square = float(problem.alpha @ products @ problem.alpha)
    # A document's gradient is ‖a‖² minus its squared distance from the centre a.
    radius = float(np.sqrt(max(0.0, square - _level(problem))))
    objective = problem.gap - problem.value
    return Sphere(center, radius, problem.alpha, objective, problem.gap, rounds)


def _count(rows: Csr) -> int:
    if rows.shape[0] == 0:
        raise UsageError("there is no document to learn from: give at least one")
    return rows.shape[0]


def _level(problem: Capped) -> float:
    """The gradient at the boundary: of documents on it or, if there are none, halfway between."""
    free, slope = problem.free, problem.slope
    if free.any():
        return float(slope[free].mean())
    beyond = problem.alpha > 0.5 * problem.cap
    inside, outside = slope[~beyond], slope[beyond]
    if not len(inside):
        return float(outside.max())
    if not len(outside):
        return float(inside.min())
    return 0.5 * float(inside.min() + outside.max())
