"""Slow, readable oracles that the tests compare with.

==== Losses and solvers ====
A loss is a function from scores s to its worst cut (offset, a): R(s) = offset + a·s. Nothing here
is clever: every contingency table is tried, and minima are found by plain cutting planes with
SciPy's general solver. What `minimum` returns is attained, so no lower bound may lie above it.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy.optimize import minimize

DELTAS = {
    "ba": lambda a, b, p, u: 0.5 * ((p - a) / p + b / u),
    "pr": lambda a, b, p, u: 1 - a * a / ((a + b) * p) if a else 1.0,
    "f1": lambda a, b, p, u: 1 - 2 * a / (a + b + p),
    "p@k": lambda a, b, p, u: b / (a + b),
    "r@k": lambda a, b, p, u: (p - a) / p,
}


def tables(p, u, k=None):
    """All (a, b); with k those with a + b = k."""
    return [(a, b) for a in range(p + 1) for b in range(u + 1) if k is None or a + b == k]


def worst_table(delta, leaving, entering, scale=1.0, k=None):
    """(value, a, b) of the worst table, where leaving out an example adds its entry of `leaving`
    and letting in an unlabeled document its entry of `entering`; a is None if nothing is above 0.
    """
    p, u = len(leaving), len(entering)
    out, into = sorted(leaving, reverse=True), sorted(entering, reverse=True)
    values = [
        (scale * delta(a, b, p, u) + sum(out[: p - a]) + sum(into[:b]), a, b)
        for a, b in tables(p, u, k)
    ]
    return max([(0.0, None, None), *values], key=lambda value: value[0])


def worst_of_all_subsets(delta, leaving, entering, scale=1.0, k=None):
    """The value alone, without using that the highest-scoring documents are the worst."""
    p, u = len(leaving), len(entering)
    values = [
        scale * delta(p - i, j, p, u) + sum(A) + sum(B)
        for i in range(p + 1)
        for A in combinations(leaving, i)
        for j in range(u + 1)
        for B in combinations(entering, j)
        if k is None or p - i + j == k
    ]
    return max([0.0, *values])


def family(name, scaling, y, k=None, weights=1.0):
    """The multivariate family (OP 4), in either scaling, as a cut of all documents' scores."""
    P, U = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    p, u, n = len(P), len(U), len(P) + len(U)
    scale, cp, cu = (1.0, 1 / p, 1 / u) if scaling == "balanced" else (0.5 / n, 1 / n, 1 / n)

    def cut(s):
        reach = weights * s
        _, a, b = worst_table(DELTAS[name], -cp * reach[P], cu * reach[U], scale, k)
        pull = np.zeros(len(s))
        if a is None:
            return 0.0, pull
        pull[P[np.argsort(reach[P])[: p - a]]] = -cp
        pull[U[np.argsort(-reach[U])[:b]]] = cu
        return scale * DELTAS[name](a, b, p, u), weights * pull

    return cut


def plus(one, other):
    """The sum of two losses."""
    return lambda s: tuple(x + y for x, y in zip(one(s), other(s), strict=True))


def hinges(costs, margins, signs):
    """Σ costs·max(0, margins − signs·s)."""

    def cut(s):
        counts = margins - signs * s > 0
        return (costs * margins)[counts].sum(), np.where(counts, -costs * signs, 0.0)

    return cut


def objective(cut, w, X, C):
    offset, pull = cut(X @ w)
    return 0.5 * w @ w + C * (offset + pull @ (X @ w))


def minimum(cut, X, C, rounds=100):
    """An attained value of ½‖w‖² + C·R(Xw), as near the least as SciPy gets."""
    w, best = np.zeros(X.shape[1]), np.inf
    found = []
    for _ in range(rounds):
        best = min(best, objective(cut, w, X, C))
        offset, pull = cut(X @ w)
        new = (*np.round(X.T @ pull, 12), round(offset, 12))
        if new in found:
            break
        found.append(new)
        w = _lowest(np.array(found), C)
    return best


def _lowest(cuts, C):
    """Where ½‖w‖² + C·ξ is least, with ξ above 0 and above all cuts (g, offset).

    In the variables w/c and (ξ(0) − ξ)/c, which are of a size that suits SciPy for all C.
    """
    c = min(C, 1.0)
    G, offsets = np.r_[cuts[:, :-1], np.zeros((1, cuts.shape[1] - 1))], np.r_[cuts[:, -1], 0.0]
    below = (offsets.max() - offsets) / c
    solved = minimize(
        lambda x: 0.5 * x[:-1] @ x[:-1] * c / C - x[-1],
        np.zeros(cuts.shape[1]),
        jac=lambda x: np.append(x[:-1] * c / C, -1.0),
        constraints=[
            {
                "type": "ineq",
                "fun": lambda x: below - G @ x[:-1] - x[-1],
                "jac": lambda x: np.c_[-G, -np.ones(len(G))],
            }
        ],
        method="SLSQP",
        options={"maxiter": 300, "ftol": 1e-14},
    )
    return c * solved.x[:-1]


def squared_hinge_minimum(costs, signs, X, bias):
    """The least ½‖w‖² + ½b² + Σ costs·max(0, 1 − signs·(Xw + b))², and where it is."""
    Z = np.c_[X, np.ones(len(X))] if bias else X

    def value(v):
        slack = np.maximum(0.0, 1 - signs * (Z @ v))
        return 0.5 * v @ v + costs @ slack**2, v - 2 * Z.T @ (costs * signs * slack)

    solved = minimize(value, np.zeros(Z.shape[1]), jac=True, method="BFGS", options={"gtol": 1e-9})
    return solved.fun, solved.x


def pair_loss(sides, s, power=1):
    """Σ shares[i]·shares[j]·max(0, 1 − s[i] + s[j])^power over every pair."""
    return sum(
        sides.shares[i] * sides.shares[j] * max(0.0, 1.0 - s[i] + s[j]) ** power
        for i in sides.upper
        for j in sides.lower
    )


def capped_minimum(Q, linear, cap):
    """The least ½αᵀQα − linear·α over 0 ≤ α ≤ cap and Σα = 1 that SciPy finds, and where."""
    size = len(linear)
    solved = minimize(
        lambda a: 0.5 * a @ Q @ a - linear @ a,
        np.full(size, 1 / size),
        jac=lambda a: Q @ a - linear,
        bounds=[(0.0, min(cap, 1.0))] * size,
        constraints=[{"type": "eq", "fun": lambda a: a.sum() - 1, "jac": lambda a: np.ones(size)}],
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-15},
    )
    return solved.fun, solved.x
