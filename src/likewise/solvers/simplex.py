"""min ½αᵀHα − bᵀα over α ≥ 0, Σα ≤ total: the bundle's dual, some 30 variables.

An active-set method as Wolfe's for the nearest point of a polytope (1976): minimise over the
variables that are in use, give up those that would turn negative, take in the one that promises
most. Σα ≤ total becomes an equation by a slack variable, the last one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from likewise.corpus import Mask
    from likewise.losses import Floats

RIDGE = 1e-12
TOLERANCE = 1e-11


def minimise(H: Floats, b: Floats, total: float, start: Floats) -> Floats:
    """The minimiser, from a feasible `start`; feasible even where H is singular."""
    size = len(b)
    system = np.zeros((size + 2, size + 2))
    system[:size, :size] = H * total
    system[:, -1] = system[-1, :] = 1.0
    system[-1, -1] = 0.0
    ridge = RIDGE * max(float(np.trace(system) + np.abs(b).max()), 1e-300)
    system[range(size + 1), range(size + 1)] += ridge
    target = np.append(b, [0.0, 1.0])
    alpha = np.append(start / total, 1.0 - start.sum() / total).clip(min=0.0)
    alpha = _active_set(system, target, alpha / alpha.sum(), 20 * size + 20)
    return alpha[:size] * total


def _active_set(system: Floats, target: Floats, alpha: Floats, limit: int) -> Floats:
    tolerance = TOLERANCE * (np.abs(target[:-2]).max() + np.abs(system[:-1, :-1] @ alpha).max())
    used = alpha > 0
    for _ in range(limit):
        alpha, price = _settle(system, target, alpha, used)
        slope = system[:-1, :-1] @ alpha - target[:-1] + price
        slope[used] = 0.0
        best = int(slope.argmin())
        if slope[best] >= -tolerance:
            break
        used[best] = True
    return alpha


def _settle(system: Floats, target: Floats, alpha: Floats, used: Mask) -> tuple[Floats, float]:
    """Minimise over the variables in use, dropping those that reach 0 on the way."""
    while True:
        chosen = np.append(np.flatnonzero(used), len(system) - 1)
        solved = np.linalg.solve(system[np.ix_(chosen, chosen)], target[chosen])
        goal = np.zeros_like(alpha)
        goal[chosen[:-1]] = solved[:-1]
        below = goal < 0
        if not below.any():
            return goal, float(solved[-1])
        step = (alpha[below] / (alpha[below] - goal[below])).min()
        alpha = alpha + step * (goal - alpha)
        used &= ~(below & (alpha <= 1e-14))
        alpha = np.where(used, alpha, 0.0)
