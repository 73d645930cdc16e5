"""Losses that are sums over documents."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from likewise.losses.cuts import Cut
from likewise.losses.smooth import Bend, moved

if TYPE_CHECKING:
    from collections.abc import Callable

    from likewise.corpus import Arrays, Floats, Ids, Places, Vector
    from likewise.losses.smooth import Along

L = TypeVar("L", "SquaredHinge", "Logistic")


@dataclass(frozen=True)
class Hinge:
    """R = Σ max(0, offsets + reach).

    A cost c, a margin m and a label y are offsets = c·m and steps = −c·y.
    """

    arrays: Arrays
    offsets: Vector
    steps: Vector

    @property
    def costs(self) -> Vector:
        return self.arrays.xp.abs(self.steps)

    def among(self, arrays: Arrays, ids: Ids, factors: Floats) -> Hinge:
        both = _some(self.arrays, arrays, ids, self.offsets, self.steps)
        return Hinge(arrays, *(arrays.vector(factors) * each for each in both))

    def by(self, arrays: Arrays) -> Hinge:
        """The same loss of vectors that `arrays` describes."""
        own = self.arrays
        return Hinge(arrays, *(moved(own, each, arrays) for each in (self.offsets, self.steps)))

    def cut(self, reach: Vector) -> Cut:
        xp = self.arrays.xp
        slack = self.offsets + reach
        members = slack > 0.0
        value = xp.sum(xp.where(members, slack, 0.0))
        offset = xp.sum(xp.where(members, self.offsets, 0.0))
        return Cut(self.arrays.number(value), self.arrays.number(offset), members)

    def between(self, one: Vector, other: Vector) -> tuple[Places, Hinge]:
        xp, take = self.arrays.xp, self.arrays.take
        places = xp.nonzero(self.offsets + xp.maximum(one, other) > 0.0)[0]
        return places, Hinge(self.arrays, take(self.offsets, places), take(self.steps, places))


@dataclass(frozen=True)
class SquaredHinge:
    """R = Σ costs·max(0, margin − signs·s)²: smooth, with a curvature instead of cuts."""

    arrays: Arrays
    costs: Vector
    signs: Vector
    margin: float = 1.0

    def among(self, arrays: Arrays, ids: Ids, factors: Floats) -> SquaredHinge:
        return _among(self, arrays, ids, factors)

    def at(self, s: Vector) -> Bend:
        xp, twice = self.arrays.xp, 2.0 * self.costs
        slack = xp.maximum(self.margin - self.signs * s, 0.0)
        pulls = twice * slack
        curve = twice * _ones_above_zero(xp, slack)
        value = 0.5 * self.arrays.dot(pulls, slack)
        return Bend(value, -self.signs * pulls, lambda d: curve * d, curve)

    def along(self, s: Vector, d: Vector) -> Along:
        """The same at the points s + k·d, in a third of the operations."""
        xp, arrays = self.arrays.xp, self.arrays
        start, change = self.margin - self.signs * s, self.signs * d
        pulls = 2.0 * self.costs * change
        squares = pulls * change

        def at(k: float) -> tuple[float, Callable[[], float]]:
            slack = xp.maximum(start - k * change, 0.0)

            def bend() -> float:
                return float(arrays.number(xp.sum(squares * _ones_above_zero(xp, slack))))

            return -arrays.dot(pulls, slack), bend

        return at


@dataclass(frozen=True)
class Logistic:
    """R = Σ costs·ln(1 + exp(−signs·s))."""

    arrays: Arrays
    costs: Vector
    signs: Vector

    def among(self, arrays: Arrays, ids: Ids, factors: Floats) -> Logistic:
        return _among(self, arrays, ids, factors)

    def at(self, s: Vector) -> Bend:
        xp = self.arrays.xp
        margins = self.signs * s
        wrong = 0.5 - 0.5 * xp.tanh(0.5 * margins)  # 1/(1 + exp(margin)) without overflow
        value = self.arrays.dot(self.costs, xp.logaddexp(xp.zeros_like(margins), -margins))
        curve = self.costs * wrong * (1.0 - wrong)
        return Bend(value, -self.signs * self.costs * wrong, lambda d: curve * d, curve)


def _ones_above_zero(xp: Any, values: Vector) -> Vector:
    """To multiply by: for xp.where, which goes by each value, NumPy needs ten times as long."""
    return xp.astype(values > 0.0, xp.float64)


def _among(loss: L, arrays: Arrays, ids: Ids, factors: Floats) -> L:
    costs, signs = _some(loss.arrays, arrays, ids, loss.costs, loss.signs)
    return replace(loss, arrays=arrays, costs=arrays.vector(factors) * costs, signs=signs)


def _some(own: Arrays, arrays: Arrays, ids: Ids, *vectors: Vector) -> list[Vector]:
    """The values of some documents: they come together, where vectors lie elsewhere."""
    taken = [own.take(values, ids) for values in vectors]
    return [moved(own, values, arrays) for values in taken]
