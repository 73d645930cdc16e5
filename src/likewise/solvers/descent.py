"""Separable losses by coordinate descent on the dual (Hsieh et al., ICML 2008), in the core.

Each epoch visits the documents in random order and reads them in place, so this needs an engine
with row access. The scores seen in an epoch give an estimate of the gap; when that is small enough,
one pass over all documents computes it exactly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise.engines.arrays import NUMPY
from likewise.losses import Hinge, SquaredHinge
from likewise.solvers.solution import Solution
from likewise.solvers.stopping import Progress

if TYPE_CHECKING:
    from likewise.corpus import Corpus, Descent, Floats, Ids, RowAccess
    from likewise.solvers.stopping import Report, Stop

FEW = 20_000  # up to so many documents one thread sums up faster than a pass
DEAR = 1500.0  # costs of all errors, for rows of length 1 and margins of 1
HOPE = 2.0  # scores improve during an epoch: the gap after it is about half of the estimate
HINGE_HOPE = 1.4  # of hinge losses, where few rows still move, it is more
LEAST_HOPE = 0.5  # where a check found more than was hoped for, less is hoped for after it


class _Sides(NamedTuple):
    """costs·max(0, margins − labels·s), without documents whose cost is 0."""

    ids: Ids
    labels: Floats
    margins: Floats
    costs: Floats


def descend(
    corpus: Corpus,
    loss: Hinge | SquaredHinge,
    C: float,
    stop: Stop,
    report: Report | None = None,
    *,
    bias: bool = False,
    seed: int = 0,
    start: Floats | None = None,
) -> Solution | None:
    """Min ½‖w‖² + ½b² + C·loss; None if the engine has no row access.

    `start` has an earlier solution's weights of all documents.
    """
    sides = _sides(loss, C)
    squared = isinstance(loss, SquaredHinge)
    rows = corpus.row_access(sides.ids)
    if rows is None:
        return None
    sums = _Sums(corpus, rows, sides)
    alpha, w = _start(sums, start, squared, bias)
    descent = rows.descent(
        sides.labels, sides.margins, sides.costs, alpha, w, squared=squared, bias=bias, seed=seed
    )
    at_zero = NUMPY.dot(sides.costs, sides.margins ** (2 if squared else 1))
    progress, hope = Progress(1, 0, at_zero, 0.0, at_zero), HOPE if squared else HINGE_HOPE
    while not stop(progress):
        progress = _progress(descent.epoch(), progress, len(sides.ids), rounds=1)
        progress = progress._replace(objective=min(progress.objective, at_zero))
        estimate = progress.gap
        hoped = progress._replace(objective=progress.bound + estimate / hope)
        if stop(hoped):
            progress = _progress(descent.check(), progress, len(sides.ids), rounds=0)
            hope = min(max(estimate / max(progress.gap, 1e-300), LEAST_HOPE), hope)
        elif hope < 1.0:  # no estimate ends it, only a check
            progress = hoped
        if report is not None:
            report(progress.passes, progress.objective, progress.gap)
    return _solution(corpus, sides, descent, progress)


class _Sums(NamedTuple):
    """From multipliers to w."""

    corpus: Corpus
    rows: RowAccess
    sides: _Sides

    def __call__(self, alpha: Floats) -> Floats:
        weights = self.sides.labels * alpha
        if len(weights) < FEW:
            return self.rows.weighted_sum(weights)
        arrays = self.corpus.arrays
        every = arrays.placed(self.corpus.shape[0], (self.sides.ids, weights))
        return np.asarray(arrays.host(self.corpus.weighted_sum(every)), np.float64)


def _start(sums: _Sums, earlier: Floats | None, squared: bool, bias: bool) -> tuple[Floats, Floats]:
    """An earlier solution; or the best point of the dual on the line through Rocchio's query.

    Where errors cost much, that point is hardly nearer than 0, from where visits change less.
    """
    sides = sums.sides
    if earlier is not None:  # a document whose label changed starts from 0
        caps = np.full(len(sides.ids), np.inf) if squared else sides.costs
        alpha = np.clip(sides.labels * earlier[sides.ids], 0.0, caps)
        return alpha, sums(alpha)
    most = float(sides.margins.max(initial=1e-300))
    if squared or bias or NUMPY.dot(sides.costs, sums.rows.squares) > DEAR * most:
        return np.zeros(len(sides.ids)), np.zeros(0)
    alpha = sides.costs * sides.margins
    w = sums(alpha)
    bend = NUMPY.dot(w, w)
    length = NUMPY.dot(alpha, sides.margins) / bend if bend > 0 else 1.0
    length = min(length, 1.0 / most)
    return length * alpha, length * w


def _sides(loss: Hinge | SquaredHinge, C: float) -> _Sides:
    host = loss.arrays.host
    if isinstance(loss, SquaredHinge):
        costs, signs = host(loss.costs), host(loss.signs)
        ids = np.flatnonzero(costs)
        margins = np.full(len(ids), loss.margin)
        return _Sides(ids, signs[ids].astype(np.float64), margins, C * costs[ids])
    steps, offsets = host(loss.steps), host(loss.offsets)
    ids = np.flatnonzero(steps)
    weights = np.abs(steps[ids])
    return _Sides(ids, -np.sign(steps[ids]), offsets[ids] / weights, C * weights)


def _progress(
    told: tuple[float, float, int], last: Progress, documents: int, rounds: int
) -> Progress:
    objective, bound, visits = told
    return Progress(
        1 - (-visits // max(documents, 1)), last.iterations + rounds, objective, bound, last.at_zero
    )


def _solution(corpus: Corpus, sides: _Sides, descent: Descent, progress: Progress) -> Solution:
    """The descent ended with a check, unless there was nothing to do."""
    arrays, n = corpus.arrays, corpus.shape[0]
    weights = arrays.placed(n, (sides.ids, sides.labels * descent.alpha))
    done = progress._replace(passes=progress.passes + 1)
    w, scores = arrays.vector(descent.sum()), None
    if progress.iterations and len(sides.ids) == n:
        scores = arrays.vector(descent.scores)
    return Solution(arrays, w, weights, done, descent.bias, scores=scores)
