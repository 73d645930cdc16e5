"""min ½αᵀQα − mᵀα over 0 ≤ α ≤ caps, for a few hundred variables at most.

Rounds of coordinate descent find out which variables stay at a bound, Newton steps settle those
between: robust where Q has any rank, exact where few variables are between.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from likewise.losses import Floats

RIDGE = 1e-12
NEWTON_STEPS = 3


class Box:
    """The problem and its current point `alpha`, where the slope is Qα − m."""

    def __init__(self, matrix: Floats, linear: Floats, caps: Floats, start: Floats) -> None:
        self._matrix, self._linear, self._caps = matrix, linear, caps
        self._curves, self._tops = matrix.diagonal().tolist(), caps.tolist()
        self.alpha = start.copy()
        self.slope = matrix @ start - linear

    def step(self) -> bool:
        """One round and its Newton steps; whether anything moved."""
        before = self.alpha.copy()
        self._round()
        for _ in range(NEWTON_STEPS):
            if not self._settle():
                break
        return bool((before != self.alpha).any())

    def _round(self) -> None:
        """Minimise over one variable after the other."""
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

    def _settle(self) -> bool:
        """A Newton step of the variables between their bounds; whether it ended at a bound."""
        free = np.flatnonzero((self.alpha > 0.0) & (self.alpha < self._caps))
        if len(free) == 0:
            return False
        start, caps = self.alpha[free], self._caps[free]
        direction = self._direction(free)
        bounds = np.where(direction > 0.0, caps, 0.0)
        lengths = np.divide(
            bounds - start, direction, out=np.full(len(free), np.inf), where=direction != 0.0
        )
        length = min(1.0, float(lengths.min()))
        moved = np.clip(start + length * direction, 0.0, caps)
        self.alpha[free] = np.where(lengths <= length, bounds, moved)
        self.slope = self._matrix @ self.alpha - self._linear
        return length < 1.0

    def _direction(self, free: np.ndarray) -> Floats:
        block = self._matrix[np.ix_(free, free)]
        block[np.diag_indices(len(free))] += RIDGE * max(float(block.diagonal().max()), 1e-300)
        return np.linalg.solve(block, -self.slope[free])
