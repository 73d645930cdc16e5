"""Combined ranking and regression: squared loss of points, hinge loss of pairs, random steps.

½‖w‖² + budget·C·[gamma·(mean loss over pairs) + (1 − gamma)·(mean (y − s)² over points)], y = ±1.
Sculley, KDD 2010. With points="as_pairs" points have the pairs' loss of y·s instead, as in the
program that Shen & Lin ran. It reads single rows (core/combined.h). There is no duality gap; the
objective is computed at the end, if that takes O(n log n).
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
    from likewise.corpus import Arrays, Corpus, Vector
    from likewise.losses import Sides
    from likewise.solvers.blocks import Blocks

STEPS = 100_000
GAMMA = 0.5
POINTS = ("squared", "as_pairs")


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
    each = rows.combined(draws, loss, points == "squared", total, int(steps))
    weights = arrays.placed(corpus.shape[0], (ids, each))
    w = corpus.weighted_sum(weights)
    objective = float("nan")
    if loss != "logistic" and points == "squared":
        value = _objective(arrays, corpus.scores(w), sides, gamma, loss)
        objective = 0.5 * arrays.dot(w, w) + total * value
    passes = 2 - (-2 * int(steps) // len(ids))
    progress = Progress(passes, int(steps), objective, float("nan"), float("nan"))
    return Solution.of(arrays, w, weights, progress)


def _objective(arrays: Arrays, s: Vector, sides: Sides, gamma: float, loss: str) -> float:
    xp, n = arrays.xp, s.shape[0]
    above, below = arrays.take(s, sides.upper), arrays.take(s, sides.lower)
    points = float(xp.sum((1.0 - above) ** 2) + xp.sum((1.0 + below) ** 2)) / n
    if loss == "hinge":
        hinge = PairHinge(arrays, sides, n)
        pairs = hinge.cut(hinge.steps * s).value
    else:
        pairs = PairSquaredHinge(arrays, sides, n).at(s).value if gamma > 0 else 0.0
    return float(gamma * pairs + (1.0 - gamma) * points)
