"""Search along a line: min over k ≥ 0 of ½(q0 + 2·q1·k + q2·k²) + C·R(s + k·along).

R is convex and known only point by point, by its cuts; the quadratic is known. Two cuts that
bracket the minimum bound it from below, and their lowest point is tried next.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from likewise.losses import Cut, Floats, Loss

TRIES = 12
PRECISION = 0.3


class Quadratic(NamedTuple):
    """‖w + k·direction‖²/2 = at_zero + slope·k + ½·curve·k²."""

    at_zero: float
    slope: float
    curve: float

    def __call__(self, k: float) -> float:
        return self.at_zero + k * (self.slope + 0.5 * k * self.curve)


class Point(NamedTuple):
    """A point of the line: objective and slope, with the loss's own share of them."""

    k: float
    value: float
    slope: float
    loss: float
    loss_slope: float
    cut: Cut

    def loss_at(self, k: float) -> float:
        """The tangent to C·R."""
        return self.loss + (k - self.k) * self.loss_slope


class Line:
    def __init__(self, loss: Loss, C: float, s: Floats, along: Floats, norm: Quadratic) -> None:
        self._loss, self._C, self.norm = loss, C, norm
        self._s, self._along = s, along
        self._steps = loss.steps * along

    def at(self, k: float, cut: Cut | None = None) -> Point:
        cut = cut or self._loss.cut(self._s + k * self._along)
        loss, slope = self._C * cut.value, self._C * float(self._steps @ cut.members)
        full = self.norm.slope + k * self.norm.curve + slope
        return Point(k, self.norm(k) + loss, full, loss, slope, cut)

    def minimise(self, start: Point, k: float) -> Point:
        """The best point found; `start` itself (k = 0) where the line does not go down."""
        if start.slope >= 0 or self.norm.curve <= 0:
            return start
        best, low, high = start, start, None
        for _ in range(TRIES):
            point = self.at(k)
            best = min(best, point, key=lambda p: p.value)
            if point.slope < 0:
                low = point
            else:
                high = point
            k, bound = self._next(low, high)
            if best.value - bound <= PRECISION * (start.value - best.value):
                break
        return best

    def _next(self, low: Point, high: Point | None) -> tuple[float, float]:
        """Where the quadratic plus the higher of two tangents to R is lowest, and its value."""
        k = low.k - low.slope / self.norm.curve
        if high is None:
            return k, self.norm(k) + low.loss_at(k)
        rise = high.loss_slope - low.loss_slope
        meet = low.k + (high.loss_at(low.k) - low.loss) / -rise if rise > 0 else low.k
        k = min(k, max(meet, high.k - high.slope / self.norm.curve))
        return k, self.norm(k) + max(low.loss_at(k), high.loss_at(k))
