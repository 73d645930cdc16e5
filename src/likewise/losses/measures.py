"""Measures of a contingency table with a of the l examples (`total`) and b unlabeled documents.

`over` makes the loss: the largest Δ that the scores allow (losses/tables.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from likewise.losses.tables import FreeTables, SizedTables

if TYPE_CHECKING:
    from likewise.corpus import Arrays, Places, Vector
    from likewise.losses.cuts import Loss


class Measure(Protocol):
    def delta(self, xp: Any, a: Vector, b: Vector, total: int) -> Vector:
        """Δ, the best value of the measure minus its value for the table."""

    def over(
        self,
        arrays: Arrays,
        positives: Places,
        unlabeled: Places,
        steps: Vector,
        scale: float = 1.0,
    ) -> Loss:
        """The loss scale·Δ of these documents, by their scores."""


class _Free:
    """Tables of any size."""

    def over(
        self,
        arrays: Arrays,
        positives: Places,
        unlabeled: Places,
        steps: Vector,
        scale: float = 1.0,
    ) -> Loss:
        return FreeTables(self, arrays, positives, unlabeled, steps, scale)

    def delta(self, xp: Any, a: Vector, b: Vector, total: int) -> Vector:
        raise NotImplementedError

    def rise(self, xp: Any, a: Vector, b: Vector, total: int) -> Vector:
        raise NotImplementedError

    def needed(self, xp: Any, b: Vector, cost: Vector, total: int) -> Vector:
        raise NotImplementedError


@dataclass(frozen=True)
class PrecisionRecall(_Free):
    """1 − precision · recall.

    Δ is concave in a and b, and for any a, b the least over r from 0 to 1 of a function that is
    linear in them: (1 − r)² + left·(l − a) + included·b. It is least where r is the precision.
    """

    def tangent(self, r: float, total: int) -> tuple[float, float, float]:
        """(1 − r)², left and included."""
        return (1.0 - r) ** 2, (2.0 - r) * r / total, r * r / total

    def delta(self, xp: Any, a: Vector, b: Vector, total: int) -> Vector:
        found: Vector = a * a / (xp.maximum(a + b, 1.0) * total)
        return 1.0 - found

    def rise(self, xp: Any, a: Vector, b: Vector, total: int) -> Vector:
        size = a + b
        rise: Vector = a * a / (xp.maximum(size, 1.0) * (size + 1.0) * total)
        return rise

    def needed(self, xp: Any, b: Vector, cost: Vector, total: int) -> Vector:
        z = xp.minimum(cost * total, 1.0)
        root = xp.sqrt(z * (z + 4.0 * b * (b + 1.0)))
        return _ratio(xp, z * (2.0 * b + 1.0) + root, 2.0 * (1.0 - z))


@dataclass(frozen=True)
class F1(_Free):
    """1 − F1."""

    def delta(self, xp: Any, a: Vector, b: Vector, total: int) -> Vector:
        found: Vector = 2.0 * a / (a + b + total)
        return 1.0 - found

    def rise(self, xp: Any, a: Vector, b: Vector, total: int) -> Vector:
        size = a + b + total
        rise: Vector = 2.0 * a / (size * (size + 1.0))
        return rise

    def needed(self, xp: Any, b: Vector, cost: Vector, total: int) -> Vector:
        c = b + total
        middle = 2.0 - cost * (2.0 * c + 1.0)
        square = 4.0 - 4.0 * cost * (2.0 * c + 1.0) + cost * cost
        possible = (middle > 0.0) & (square >= 0.0)
        below = xp.where(possible, middle + xp.sqrt(xp.maximum(square, 0.0)), 0.0)
        return _ratio(xp, 2.0 * cost * c * (c + 1.0), below)


@dataclass(frozen=True)
class _Sized:
    """Tables with a + b = k."""

    k: int

    def over(
        self,
        arrays: Arrays,
        positives: Places,
        unlabeled: Places,
        steps: Vector,
        scale: float = 1.0,
    ) -> Loss:
        return SizedTables(self, arrays, positives, unlabeled, steps, scale)

    def delta(self, xp: Any, a: Vector, b: Vector, total: int) -> Vector:
        raise NotImplementedError


class PrecisionAt(_Sized):
    """1 − precision among the first k."""

    def delta(self, xp: Any, a: Vector, b: Vector, total: int) -> Vector:
        return b / float(self.k)


class RecallAt(_Sized):
    """1 − recall among the first k; with k = l the precision-recall break-even point."""

    def delta(self, xp: Any, a: Vector, b: Vector, total: int) -> Vector:
        return (total - a) / total


def _ratio(xp: Any, above: Vector, below: Vector) -> Vector:
    """The quotient; infinite if `below` is 0."""
    there = below > 0.0
    return xp.where(there, above / xp.where(there, below, 1.0), xp.inf)
