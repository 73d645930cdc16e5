"""Losses that are sums over documents."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from likewise.losses.cuts import Cut
from likewise.losses.smooth import Bend

if TYPE_CHECKING:
    from likewise.corpus import Arrays, Floats, Ids, Places, Vector


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
        both = (_some(self.arrays, each, arrays, ids) for each in (self.offsets, self.steps))
        return Hinge(arrays, *(arrays.vector(factors) * each for each in both))

    def by(self, arrays: Arrays) -> Hinge:
        """The same loss of vectors that `arrays` describes."""
        if arrays is self.arrays:
            return self
        host = self.arrays.host
        return Hinge(arrays, *(arrays.vector(host(each)) for each in (self.offsets, self.steps)))

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
        costs, signs = (_some(self.arrays, each, arrays, ids) for each in (self.costs, self.signs))
        return replace(self, arrays=arrays, costs=arrays.vector(factors) * costs, signs=signs)

    def at(self, s: Vector) -> Bend:
        xp = self.arrays.xp
        slack = xp.maximum(self.margin - self.signs * s, 0.0)
        pulls = 2.0 * self.costs * slack
        curve = xp.where(slack > 0.0, 2.0 * self.costs, 0.0)
        value = 0.5 * self.arrays.dot(pulls, slack)
        return Bend(value, -self.signs * pulls, lambda d: curve * d, curve)


@dataclass(frozen=True)
class Logistic:
    """R = Σ costs·ln(1 + exp(−signs·s))."""

    arrays: Arrays
    costs: Vector
    signs: Vector

    def among(self, arrays: Arrays, ids: Ids, factors: Floats) -> Logistic:
        costs, signs = (_some(self.arrays, each, arrays, ids) for each in (self.costs, self.signs))
        return replace(self, arrays=arrays, costs=arrays.vector(factors) * costs, signs=signs)

    def at(self, s: Vector) -> Bend:
        xp = self.arrays.xp
        margins = self.signs * s
        wrong = 0.5 - 0.5 * xp.tanh(0.5 * margins)  # 1/(1 + exp(margin)) without overflow
        value = self.arrays.dot(self.costs, xp.logaddexp(xp.zeros_like(margins), -margins))
        curve = self.costs * wrong * (1.0 - wrong)
        return Bend(value, -self.signs * self.costs * wrong, lambda d: curve * d, curve)


def _some(own: Arrays, values: Vector, arrays: Arrays, ids: Ids) -> Vector:
    """The values of some documents, where vectors of `arrays` lie."""
    chosen = own.take(values, ids)
    return chosen if arrays is own else arrays.vector(own.host(chosen))
