"""Quadratic programmes of at most a few hundred variables: min ½αᵀQα − mᵀα with bounds on α.

`Box`: 0 ≤ α ≤ caps. `Capped`: 0 ≤ α ≤ cap and Σα = 1. `on_simplex`: α ≥ 0 and Σα ≤ total. All is
on the host. Rounds over single variables, or pairs of them, find which stay at a bound; Newton
steps solve for the free ones. This works for Q of any rank, and is exact if few are free.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likewise.corpus import Floats, Ids, Mask

RIDGE = 1e-12
NEWTON_STEPS = 3
ROUNDING = 1e-12  # relative to the cap
PATIENCE = 3  # rounds without gain before it stops: only rounding is left
TOLERANCE = 1e-11  # of the gradient on a simplex


class _Bounded:
    """A problem and its current point `alpha`, with gradient Qα − m."""

    def __init__(self, matrix: Floats, linear: Floats, caps: Floats, start: Floats) -> None:
        self._matrix, self._linear, self._caps = matrix, linear, caps
        self.alpha = start.copy()
        self.slope = matrix @ start - linear

    def _settle(self) -> None:
        for _ in range(NEWTON_STEPS):
            if not self._newton_step():
                break

    def _newton_step(self) -> bool:
        """A Newton step of the free variables; returns whether it ended at a bound."""
        free = self._movable()
        if len(free) == 0:
            return False
        start, caps, direction = self.alpha[free], self._caps[free], self._direction(free)
        bounds = np.where(direction > 0.0, caps, 0.0)
        lengths = np.divide(
            bounds - start, direction, out=np.full(len(free), np.inf), where=direction != 0.0
        )
        length = min(1.0, float(lengths.min()))
        moved = np.clip(start + length * direction, 0.0, caps)
        self.alpha[free] = np.where(lengths <= length, bounds, moved)
        self.slope = self._matrix @ self.alpha - self._linear
        return length < 1.0

    def _block(self, free: Ids) -> Floats:
        block: Floats = self._matrix[np.ix_(free, free)]
        block[np.diag_indices(len(free))] += RIDGE * max(float(block.diagonal().max()), 1e-300)
        return block

    def _movable(self) -> Ids:
        raise NotImplementedError

    def _direction(self, free: Ids) -> Floats:
        raise NotImplementedError


class Box(_Bounded):
    """0 ≤ α ≤ caps, by coordinate descent."""

    def __init__(self, matrix: Floats, linear: Floats, caps: Floats, start: Floats) -> None:
        super().__init__(matrix, linear, caps, start)
        self._curves, self._tops = matrix.diagonal().tolist(), caps.tolist()

    def step(self) -> bool:
        """One round and its Newton steps; returns whether anything changed."""
        before = self.alpha.copy()
        self._round()
        self._settle()
        return bool((before != self.alpha).any())

    def _round(self) -> None:
        """Minimise over each variable in turn."""
        alpha, slope, matrix = self.alpha, self.slope, self._matrix
        movable = np.where(slope < 0.0, alpha < self._caps, alpha > 0.0) & (slope != 0.0)
        for i in np.flatnonzero(movable).tolist():
            old, top, pull = float(alpha[i]), self._tops[i], float(slope[i])
            goal = top if pull < 0.0 else 0.0
            if self._curves[i] > 0.0:
                goal = min(max(old - pull / self._curves[i], 0.0), top)
            if goal != old:
                alpha[i] = goal
                slope += (goal - old) * matrix[i]

    def _movable(self) -> Ids:
        return np.flatnonzero((self.alpha > 0.0) & (self.alpha < self._caps))

    def _direction(self, free: Ids) -> Floats:
        solved = np.linalg.solve(self._block(free), -self.slope[free])
        return np.asarray(solved, np.float64)


class Capped(_Bounded):
    """0 ≤ α ≤ cap and Σα = 1, by steps of two variables (SMO: Fan, Chen & Lin, JMLR 2005).

    The gap is a bound on how far any feasible point is below: Σ gradient·(α − α') for the best
    feasible α'.
    """

    def __init__(self, matrix: Floats, linear: Floats, cap: float) -> None:
        self.cap = min(cap, 1.0)
        start = _filled(np.arange(len(linear)), self.cap)
        super().__init__(matrix, linear, np.full(len(linear), self.cap), start)

    @property
    def value(self) -> float:
        return 0.5 * float(self.alpha @ (self.slope - self._linear))

    @property
    def gap(self) -> float:
        lowest = _filled(np.argsort(self.slope, kind="stable"), self.cap)
        return max(0.0, float(self.slope @ (self.alpha - lowest)))

    @property
    def free(self) -> NDArray[np.bool_]:
        """A mask of the variables between their bounds by more than rounding."""
        near = ROUNDING * self.cap
        return (self.alpha > near) & (self.alpha < self.cap - near)

    def solve(self, tol: float, max_rounds: int) -> int:
        """Solve until the gap is below tol times the size of the value; returns the rounds."""
        idle = 0
        for done in range(max_rounds):
            if self.gap <= tol * max(self._size(), 1e-300) or idle == PATIENCE:
                return done
            before = self.value
            self._round()
            idle = 0 if self.value < before else idle + 1
        return max_rounds

    def _size(self) -> float:
        """The size of the value's terms: for a value near 0, tol must not be below rounding."""
        return 0.5 * abs(float(self.alpha @ (self.slope + self._linear))) + abs(
            float(self.alpha @ self._linear)
        )

    def _round(self) -> None:
        for _ in range(len(self.alpha)):
            if not self._move_two():
                break
        self._settle()

    def _move_two(self) -> bool:
        """Move weight to the variable with the least gradient, from the one that gains most."""
        slope, matrix = self.slope, self._matrix
        can_rise, can_fall = self.alpha < self.cap, self.alpha > 0.0
        up = int(np.argmin(np.where(can_rise, slope, np.inf)))
        drop = np.where(can_fall, slope - slope[up], 0.0)
        bend = np.maximum(matrix[up, up] + matrix.diagonal() - 2 * matrix[up], RIDGE)
        gains = np.where(drop > 0.0, drop**2 / bend, 0.0)
        down = int(np.argmax(gains))
        if not gains[down] > 0.0:
            return False
        step = min(drop[down] / bend[down], self.cap - self.alpha[up], self.alpha[down])
        self.alpha[up] += step
        self.alpha[down] -= step
        self.slope = slope + step * (matrix[up] - matrix[down])
        return bool(step > 0.0)

    def _movable(self) -> Ids:
        free = np.flatnonzero(self.free)
        return free if len(free) > 1 else free[:0]

    def _direction(self, free: Ids) -> Floats:
        """To where the free variables' gradients are equal, with their sum unchanged."""
        sides = np.linalg.solve(self._block(free), np.c_[self.slope[free], np.ones(len(free))])
        level = sides[:, 0].sum() / sides[:, 1].sum()
        direction: Floats = level * sides[:, 1] - sides[:, 0]
        direction -= direction.mean()
        return direction


def _filled(order: Ids, cap: float) -> Floats:
    """A sum of 1, given to the first variables up to the cap of each."""
    alpha = np.zeros(len(order))
    before = cap * np.arange(len(order))
    alpha[order] = np.clip(1.0 - before, 0.0, cap)
    return alpha


def on_simplex(H: Floats, b: Floats, total: float, start: Floats) -> Floats:
    """The minimiser over α ≥ 0, Σα ≤ total, from a feasible `start`: the bundle's dual.

    It is feasible even if H is singular. An active-set method like Wolfe's for the nearest point of
    a polytope (1976): minimise over the active variables, drop those that would become negative,
    add the one with the steepest descent. A slack variable, the last one, turns Σα ≤ total into an
    equation.
    """
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
        alpha, price = _settled(system, target, alpha, used)
        slope = system[:-1, :-1] @ alpha - target[:-1] + price
        slope[used] = 0.0
        best = int(slope.argmin())
        if slope[best] >= -tolerance:
            break
        used[best] = True
    return alpha


def _settled(system: Floats, target: Floats, alpha: Floats, used: Mask) -> tuple[Floats, float]:
    """Minimise over the active variables, dropping those that reach 0 on the way."""
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
