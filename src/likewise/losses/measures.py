"""Measures of a contingency table: a of l examples (`total`) and b unlabeled documents are in.

`over` makes the loss: the worst Δ that the scores do not rule out (losses/tables.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from likewise.losses.tables import FreeTables, SizedTables

if TYPE_CHECKING:
    from likewise.corpus import Ids
    from likewise.losses.cuts import Floats, Loss


class Measure(Protocol):
    def delta(self, a: Floats, b: Floats, total: int) -> Floats:
        """Δ, what is missing to the best value of the measure."""

    def over(self, positives: Ids, unlabeled: Ids, steps: Floats, scale: float = 1.0) -> Loss:
        """The loss scale·Δ of these documents, by their scores."""


class _Free:
    """Tables of any size."""

    def over(self, positives: Ids, unlabeled: Ids, steps: Floats, scale: float = 1.0) -> Loss:
        return FreeTables(self, positives, unlabeled, steps, scale)

    def delta(self, a: Floats, b: Floats, total: int) -> Floats:
        raise NotImplementedError

    def rise(self, a: Floats, b: Floats, total: int) -> Floats:
        raise NotImplementedError

    def needed(self, b: Floats, cost: Floats, total: int) -> Floats:
        raise NotImplementedError


@dataclass(frozen=True)
class PrecisionRecall(_Free):
    """1 − precision · recall."""

    def delta(self, a: Floats, b: Floats, total: int) -> Floats:
        found: Floats = a * a / (np.maximum(a + b, 1.0) * total)
        return 1.0 - found

    def rise(self, a: Floats, b: Floats, total: int) -> Floats:
        size = a + b
        rise: Floats = a * a / (np.maximum(size, 1.0) * (size + 1.0) * total)
        return rise

    def needed(self, b: Floats, cost: Floats, total: int) -> Floats:
        z = np.minimum(cost * total, 1.0)
        root = np.sqrt(z * (z + 4.0 * b * (b + 1.0)))
        return _ratio(z * (2.0 * b + 1.0) + root, 2.0 * (1.0 - z))


@dataclass(frozen=True)
class F1(_Free):
    """1 − F1."""

    def delta(self, a: Floats, b: Floats, total: int) -> Floats:
        return 1.0 - 2.0 * a / (a + b + total)

    def rise(self, a: Floats, b: Floats, total: int) -> Floats:
        size = a + b + total
        return 2.0 * a / (size * (size + 1.0))

    def needed(self, b: Floats, cost: Floats, total: int) -> Floats:
        c = b + total
        middle = 2.0 - cost * (2.0 * c + 1.0)
        square = 4.0 - 4.0 * cost * (2.0 * c + 1.0) + cost * cost
        possible = (middle > 0.0) & (square >= 0.0)
        below = np.where(possible, middle + np.sqrt(np.maximum(square, 0.0)), 0.0)
        return _ratio(2.0 * cost * c * (c + 1.0), below)


@dataclass(frozen=True)
class _Sized:
    """Tables with a + b = k."""

    k: int

    def over(self, positives: Ids, unlabeled: Ids, steps: Floats, scale: float = 1.0) -> Loss:
        return SizedTables(self, positives, unlabeled, steps, scale)

    def delta(self, a: Floats, b: Floats, total: int) -> Floats:
        raise NotImplementedError


class PrecisionAt(_Sized):
    """1 − precision among the first k."""

    def delta(self, a: Floats, b: Floats, total: int) -> Floats:
        return b / self.k


class RecallAt(_Sized):
    """1 − recall among the first k; with k = l the precision-recall break-even point."""

    def delta(self, a: Floats, b: Floats, total: int) -> Floats:
        return (total - a) / total


def _ratio(above: Floats, below: Floats) -> Floats:
    """The quotient, infinite where `below` is 0."""
    result: Floats = np.full(len(above), np.inf)
    np.divide(above, below, out=result, where=below > 0.0)
    return result
