"""Search along a line: min over 0 ≤ k ≤ 1 of ‖w + k·direction‖²/2 + C·R(w + k·direction).

The squared length is a known quadratic; R is convex and evaluated point by point, by its cuts. Two
cuts that bracket the minimum give a lower bound, and their lowest point is tried next. Only
documents that can be members of a cut somewhere on the line are used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from likewise.corpus import Arrays, Vector
    from likewise.losses import Cut, Loss, Members

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
    """A point of the line: objective and slope, and the loss's part of them."""

    k: float
    value: float
    slope: float
    loss: float
    loss_slope: float

    def loss_at(self, k: float) -> float:
        """The tangent to C·R."""
        return self.loss + (k - self.k) * self.loss_slope


class Line:
    def __init__(
        self, arrays: Arrays, loss: Loss, C: float, start: Vector, end: Vector, norm: Quadratic
    ) -> None:
        """`start` and `end` are the documents' reaches at k = 0 and k = 1."""
        self._arrays, self._C, self.norm, self._size = arrays, C, norm, start.shape[0]
        self._places, self._loss = loss.between(start, end)
        self._start = arrays.take(start, self._places)
        self._along = arrays.take(end, self._places) - self._start

    def cut(self, k: float) -> Cut:
        """The cut at a point, of all documents."""
        cut = self._loss.cut(self._start + k * self._along)
        return cut._replace(members=self._arrays.placed(self._size, (self._places, cut.members)))

    def minimise(self, k: float) -> Point:
        """The best point found, trying k first; k = 0 if the objective does not decrease."""
        begin, first = self._looked(0.0), self._looked(k)  # together, where vectors lie elsewhere
        best = low = start = self._at(*begin)
        high: Point | None = None
        if start.slope >= 0.0 or self.norm.curve <= 0.0:
            return start
        for tried in range(TRIES):
            point = self._at(*(self._looked(k) if tried else first))
            best = min(best, point, key=lambda p: p.value)
            low, high = (point, high) if point.slope < 0.0 else (low, point)
            if low.k >= 1.0:
                break
            k, bound = self._next(low, high)
            if best.value - bound <= PRECISION * (start.value - best.value):
                break
        return best

    def _looked(self, k: float) -> tuple[float, Cut, Any]:
        """The cut at a point, and the change of its members' reach along the line."""
        cut = self._loss.cut(self._start + k * self._along)
        return k, cut, self._sum(cut.members)

    def _at(self, k: float, cut: Cut, change: Any) -> Point:
        loss, slope = self._C * float(cut.value), self._C * float(change)
        return Point(
            k, self.norm(k) + loss, self.norm.slope + k * self.norm.curve + slope, loss, slope
        )

    def _sum(self, members: Members) -> Any:
        """The change of the members' reach along the line, weighted by their shares."""
        xp = self._arrays.xp
        if members.dtype == xp.bool:
            return self._arrays.number(xp.sum(xp.where(members, self._along, 0.0)))
        return self._arrays.dot(self._along, members)

    def _next(self, low: Point, high: Point | None) -> tuple[float, float]:
        """Where the length plus the higher of two tangents to R is lowest, and its value."""
        k = min(1.0, low.k - low.slope / self.norm.curve)
        if high is None:
            return k, self.norm(k) + low.loss_at(k)
        rise = high.loss_slope - low.loss_slope
        meet = low.k + (low.loss - high.loss_at(low.k)) / rise if rise > 0.0 else low.k
        k = min(k, max(meet, high.k - high.slope / self.norm.curve))
        return k, self.norm(k) + max(low.loss_at(k), high.loss_at(k))
