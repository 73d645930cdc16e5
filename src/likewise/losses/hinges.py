"""Losses that are sums over documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from likewise.losses.cuts import Cut
from likewise.losses.smooth import Bend

if TYPE_CHECKING:
    from likewise.losses.cuts import Floats, Places


@dataclass(frozen=True)
class Hinge:
    """R = Σ max(0, offsets + reach).

    A cost c, a margin m and a label y are offsets = c·m and steps = −c·y.
    """

    offsets: Floats
    steps: Floats

    def cut(self, reach: Floats) -> Cut:
        slack = self.offsets + reach
        members = slack > 0.0
        return Cut(float(slack[members].sum()), float(self.offsets[members].sum()), members)

    def between(self, one: Floats, other: Floats) -> tuple[Places, Hinge]:
        places = np.flatnonzero(self.offsets + np.maximum(one, other) > 0.0)
        return places, Hinge(self.offsets[places], self.steps[places])


@dataclass(frozen=True)
class SquaredHinge:
    """R = Σ costs·max(0, margin − signs·s)²: smooth, so that it has no cuts but a curvature."""

    costs: Floats
    signs: Floats
    margin: float = 1.0

    def at(self, s: Floats) -> Bend:
        slack = self.margin - self.signs * s
        np.maximum(slack, 0.0, out=slack)
        pulls = 2.0 * self.costs * slack
        curve = np.where(slack > 0.0, 2.0 * self.costs, 0.0)
        return Bend(0.5 * float(pulls @ slack), -self.signs * pulls, lambda d: curve * d)


@dataclass(frozen=True)
class Logistic:
    """R = Σ costs·ln(1 + exp(−signs·s))."""

    costs: Floats
    signs: Floats

    def at(self, s: Floats) -> Bend:
        margins = self.signs * s
        wrong = 0.5 - 0.5 * np.tanh(0.5 * margins)  # 1/(1 + exp(margin)), whatever its size
        value = float(self.costs @ np.logaddexp(0.0, -margins))
        curve = self.costs * wrong * (1.0 - wrong)
        return Bend(value, -self.signs * self.costs * wrong, lambda d: curve * d)
