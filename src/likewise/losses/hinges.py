"""Losses that are sums over documents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from likewise.losses.cuts import Cut, Floats


@dataclass(frozen=True)
class Hinge:
    """R = Σ max(0, offsets + steps·s).

    A cost c, a margin m and a label y are offsets = c·m and steps = −c·y.
    """

    offsets: Floats
    steps: Floats

    def cut(self, s: Floats) -> Cut:
        slack = self.steps * s
        slack += self.offsets
        members = slack > 0.0
        return Cut(float(slack @ members), float(self.offsets @ members), members)


@dataclass(frozen=True)
class SquaredHinge:
    """R = Σ costs·max(0, margin − signs·s)²: smooth, so that it has no cuts but a curvature."""

    costs: Floats
    signs: Floats
    margin: float = 1.0

    def slack(self, s: Floats) -> Floats:
        slack = self.margin - self.signs * s
        return np.maximum(slack, 0.0, out=slack)
