"""Losses that are sums over documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from likewise.losses.cuts import Cut

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

    def slack(self, s: Floats) -> Floats:
        slack = self.margin - self.signs * s
        return np.maximum(slack, 0.0, out=slack)
