"""Combined ranking and regression: squared loss of points, hinge loss of pairs, random steps.

½‖w‖² + budget·C·[gamma·(mean loss over pairs) + (1 − gamma)·(mean (y − s)² over points)], y = ±1.
Sculley, KDD 2010. With points="as_pairs" points have the pairs' loss of y·s instead, as in the
program that Shen & Lin ran. It reads single rows (core/combined.h). The result is the mean of all
steps' w, later ones counting more. There is no duality gap. But the objective of that mean falls as
1/steps, so what the second half of the steps has gained is about what is left to gain: the bound
is that much below the objective. Over all pairs both take O(n log n); with the logistic loss, which
would take O(n²), the mean over the pairs of a few thousand documents is taken for that over all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.errors import UsageError
from likewise.losses import PairHinge, PairSquaredHinge
from likewise.solvers.active import access, draws_of
from likewise.solvers.blocks import check_above_zero
from likewise.solvers.problems import NEGATIVE_WEIGHT
from likewise.solvers.ranking import BUDGET, COST, LOSSES, check_loss, sides_of, total_weight
from likewise.solvers.solution import Solution
from likewise.solvers.stopping import Progress

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from numpy.typing import NDArray

    from likewise.corpus import Arrays, Corpus, Vector
    from likewise.losses import Sides
    from likewise.solvers.blocks import Blocks

STEPS = 100_000
GAMMA = 0.5
POINTS = ("squared", "as_pairs")
SOME = 1000  # documents of a side whose pairs are looked at for the logistic loss


def combined(
    corpus: Corpus,
    blocks: Blocks,
    C: float = COST,
    *,
    budget: float = BUDGET,
    gamma: float = GAMMA,
    loss: str = "hinge",
    points: str = "squared",
    steps: int = STEPS,
    seed: int = 0,
    negative_weight: float = NEGATIVE_WEIGHT,
) -> Solution:
    total = total_weight(C, budget)
    check_loss(loss, LOSSES)
    check_above_zero("max_iter", steps)
    if points not in POINTS:
        raise UsageError(f"unknown points {points!r}: choose {', '.join(POINTS)}")
    if not 0 <= gamma <= 1:
        raise UsageError(f"gamma must be a number from 0 to 1, not {gamma!r}")
    sides = sides_of(corpus, blocks, negative_weight)
    ids = np.concatenate([sides.upper, sides.lower])
    rows = access(corpus, ids)
    draws, arrays = draws_of(rows, sides, gamma, seed), corpus.arrays
    both = rows.combined(draws, loss, points == "squared", total, int(steps))
    weights = [arrays.placed(corpus.shape[0], (ids, each)) for each in both]
    half, w = (corpus.weighted_sum(each) for each in weights)
    value = _Objective(arrays, sides, total, gamma, loss, points)
    zero = arrays.vector(np.zeros(corpus.shape[1]))
    before, after = (value(each, corpus.scores(each)) for each in (half, w))
    progress = Progress(
        6 - (-2 * int(steps) // len(ids)),
        int(steps),
        after,
        after - max(before - after, 0.0),
        value(zero, corpus.scores(zero)),
    )
    return Solution(arrays, w, weights[1], progress)


class _Objective:
    """The value of the problem at any w."""

    def __init__(
        self, arrays: Arrays, sides: Sides, total: float, gamma: float, loss: str, points: str
    ) -> None:
        self._arrays, self._sides, self._total = arrays, sides, total
        self._gamma, self._loss, self._points = gamma, loss, points

    def __call__(self, w: Vector, s: Vector) -> float:
        gamma = self._gamma
        pairs = self._of_pairs(s) if gamma > 0 else 0.0
        points = self._of_points(s) if gamma < 1 else 0.0
        value = gamma * pairs + (1.0 - gamma) * points
        return float(0.5 * self._arrays.dot(w, w) + self._total * value)

    def _of_points(self, s: Vector) -> float:
        xp, take, sides = self._arrays.xp, self._arrays.take, self._sides
        margins = xp.concat([take(s, sides.upper), -take(s, sides.lower)])
        if self._points == "squared":
            return float(xp.mean((1.0 - margins) ** 2))
        return float(xp.mean(_POINT[self._loss](xp, margins)))

    def _of_pairs(self, s: Vector) -> float:
        arrays, sides = self._arrays, self._sides
        if self._loss == "logistic":
            return _sampled(arrays.host(s), sides)
        if self._loss == "squared_hinge":
            return PairSquaredHinge(arrays, sides.spread(arrays)).at(s).value
        hinge = PairHinge(arrays, sides.spread(arrays))
        return float(hinge.cut(hinge.steps * s).value)


_POINT: dict[str, Callable[[Any, Vector], Vector]] = {
    "hinge": lambda xp, t: xp.maximum(1.0 - t, 0.0),
    "squared_hinge": lambda xp, t: xp.maximum(1.0 - t, 0.0) ** 2,
    "logistic": lambda xp, t: xp.logaddexp(-t, 0.0 * t),
}


def _sampled(s: NDArray[Any], sides: Sides) -> float:
    """The mean logistic loss over pairs of some documents, evenly spread over both sides."""
    upper, lower = (side[:: -(-len(side) // SOME)] for side in (sides.upper, sides.lower))
    margins = s[upper][:, None] - s[lower][None, :]
    weights = np.outer(sides.shares[upper], sides.shares[lower])
    return float((weights * np.logaddexp(0.0, -margins)).sum() / weights.sum())
