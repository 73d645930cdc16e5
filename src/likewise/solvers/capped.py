"""min ½αᵀQα − mᵀα over 0 ≤ α ≤ cap and Σα = 1, for a few hundred variables at most.

Steps of two variables (SMO: Fan, Chen & Lin, JMLR 2005) find out which stay at a bound, Newton
steps that keep the sum settle those between. The gap is exact: how far, at most, a feasible point
could go below, which is Σ slope·(α − α') for the best α' there is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likewise.losses import Floats

RIDGE = 1e-12
ROUNDING = 1e-12  # of the cap
NEWTON_STEPS = 3
PATIENCE = 3  # rounds that gain nothing: rounding allows no more


class Capped:
    """The problem and its current point `alpha`, where the slope is Qα − m."""

    def __init__(self, matrix: Floats, linear: Floats, cap: float) -> None:
        self._matrix, self._linear = matrix, linear
        self.cap = min(cap, 1.0)
        self.alpha = _filled(np.arange(len(linear)), self.cap)
        self.slope = matrix @ self.alpha - linear

    @property
    def value(self) -> float:
        return 0.5 * float(self.alpha @ (self.slope - self._linear))

    @property
    def gap(self) -> float:
        lowest = _filled(np.argsort(self.slope, kind="stable"), self.cap)
        return max(0.0, float(self.slope @ (self.alpha - lowest)))

    @property
    def free(self) -> NDArray[np.bool_]:
        """Between the bounds by more than rounding."""
        near = ROUNDING * self.cap
        return (self.alpha > near) & (self.alpha < self.cap - near)

    def solve(self, tol: float, max_rounds: int) -> int:
        """Until the gap is below tol times the value's own size; returns the rounds taken."""
        idle = 0
        for done in range(max_rounds):
            if self.gap <= tol * max(self._size(), 1e-300) or idle == PATIENCE:
                return done
            before = self.value
            self._round()
            idle = 0 if self.value < before else idle + 1
        return max_rounds

    def _size(self) -> float:
        """Of the terms that make the value, so that a value near 0 asks for no miracles."""
        return 0.5 * abs(float(self.alpha @ (self.slope + self._linear))) + abs(
            float(self.alpha @ self._linear)
        )

    def _round(self) -> None:
        for _ in range(len(self.alpha)):
            if not self._move_two():
                break
        for _ in range(NEWTON_STEPS):
            if not self._settle():
                break

    def _move_two(self) -> bool:
        """Shift weight from the steepest variable to the one that gains most by it."""
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

    def _settle(self) -> bool:
        """A Newton step of the variables between their bounds; whether it ended at a bound."""
        free = np.flatnonzero(self.free)
        if len(free) < 2:
            return False
        start, direction = self.alpha[free], self._direction(free)
        bounds = np.where(direction > 0.0, self.cap, 0.0)
        lengths = np.divide(
            bounds - start, direction, out=np.full(len(free), np.inf), where=direction != 0.0
        )
        length = min(1.0, float(lengths.min()))
        moved = np.clip(start + length * direction, 0.0, self.cap)
        self.alpha[free] = np.where(lengths <= length, bounds, moved)
        self.slope = self._matrix @ self.alpha - self._linear
        return length < 1.0

    def _direction(self, free: NDArray[np.integer]) -> Floats:
        """To where the free variables' slopes are equal, their sum unchanged."""
        block = self._matrix[np.ix_(free, free)]
        block[np.diag_indices(len(free))] += RIDGE * max(float(block.diagonal().max()), 1e-300)
        sides = np.linalg.solve(block, np.c_[self.slope[free], np.ones(len(free))])
        level = sides[:, 0].sum() / sides[:, 1].sum()
        direction: Floats = level * sides[:, 1] - sides[:, 0]
        direction -= direction.mean()
        return direction


def _filled(order: NDArray[np.integer], cap: float) -> Floats:
    """The sum of 1 given to the first ones, to each as much as it may have."""
    alpha = np.zeros(len(order))
    before = cap * np.arange(len(order))
    alpha[order] = np.clip(1.0 - before, 0.0, cap)
    return alpha
