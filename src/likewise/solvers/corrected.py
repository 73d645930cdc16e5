"""min_w ½‖w‖² + C·Σ max(0, offsets + steps·Xw), by passes and a sample that is solved repeatedly.

A sample that stands for all documents (solvers/thinned.py) is solved by its dual, which gives w and
shares of the sample's documents. The scores of all documents by w give shares of the others: 1
within the margin, 0 outside, and some between at the margin. All these shares are a point of the
dual, so that the gap is that of all documents. The vector that they make differs from w because of
how the sample was drawn. This difference is added to the sample's part, which is then solved again
(as DANE does: Shamir, Srebro & Zhang, ICML 2014). A round makes two passes.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from likewise.losses import Hinge
from likewise.solvers.descent import descend
from likewise.solvers.solution import Solution
from likewise.solvers.stopping import Progress
from likewise.solvers.thinned import are_few, thinned

if TYPE_CHECKING:
    from likewise.corpus import Corpus, Floats, Vector
    from likewise.solvers.stopping import Report, Stop
    from likewise.solvers.thinned import Thinned

ROUNDS = 8
WIDEST = 0.25  # scores around the margin in which shares rise from 0 to 1
NARROWER = 6  # times that width is made narrower, at most
CORNERS = 4.0  # times what shares at the margin may cost is the allowed gap
CLOSER = 4.0  # times the sample's gap is the allowed gap
LEAST_GAP = 1e-5  # of the objective: for less, other solvers are better
GRID = 256  # points of a line that are looked at, all at once
ROUNDING = 1e-12


def corrected(
    corpus: Corpus, loss: Hinge, C: float, stop: Stop, report: Report | None = None
) -> Solution | None:
    """None if no sample stands for all, or did not within a few rounds."""
    if are_few(corpus.shape[0]):
        return None
    arrays, xp = loss.arrays, loss.arrays.xp
    start = loss.cut(xp.zeros_like(loss.steps))
    costs = arrays.number(xp.sum(loss.costs))  # they come together
    at_zero = float(C) * float(start.value)
    progress = Progress(0, 0, at_zero, 0.0, at_zero)
    sample = thinned(corpus, loss, C, costs) if allowed_gap(stop, progress) else None
    if sample is None:
        return None
    rounds = _Rounds(corpus, loss, float(C), sample, stop, progress)
    for _ in range(ROUNDS):
        rounds.solve()
        if report is not None:
            report(rounds.progress.passes, rounds.progress.objective, rounds.progress.gap)
        if stop(rounds.progress):
            return rounds.solution()
    return None


def allowed_gap(stop: Stop, progress: Progress) -> float:
    """About the largest gap at which a solver may stop; 0 if that is too small.

    Before anything is known of the minimum, it is taken for half of the objective at 0.
    """
    gap = objective = min(progress.objective, 0.5 * progress.at_zero)
    while gap > LEAST_GAP * objective:
        gap *= 0.8
        if stop(progress._replace(objective=objective, bound=objective - gap)):
            return gap
    return 0.0


class _Primal(NamedTuple):
    """A point, the documents' weights in it, and their slacks times their costs."""

    terms: Vector
    weights: Vector
    slack: Vector

    def towards(self, other: _Primal, k: float) -> _Primal:
        return _Primal(*(a + k * (b - a) for a, b in zip(self, other, strict=True)))


class _Dual(NamedTuple):
    """Σ offsets·shares, the vector that the shares make, and all documents' weights in that.

    `held` are the weights of the sample's documents for its own problem, `own` the vector of these.
    """

    offset: float
    terms: Vector
    weights: Vector
    held: Floats
    own: Vector

    def towards(self, other: _Dual, k: float) -> _Dual:
        return _Dual(*(a + k * (b - a) for a, b in zip(self, other, strict=True)))


class _Rounds:
    def __init__(
        self,
        corpus: Corpus,
        loss: Hinge,
        C: float,
        sample: Thinned[Hinge],
        stop: Stop,
        progress: Progress,
    ) -> None:
        self._corpus, self._arrays, self._loss, self._C = corpus, corpus.arrays, loss, C
        self._sample, self._stop, self.progress = sample, stop, progress
        self._own, xp = sample.loss, corpus.arrays.xp
        nothing, nobody = (xp.zeros(each, dtype=xp.float64) for each in reversed(corpus.shape))
        self._best = _Primal(nothing, nobody, loss.offsets)
        self._dual = _Dual(0.0, nothing, nobody, np.zeros(len(sample.ids)), nothing)

    def solve(self) -> None:
        """Solve the sample, and look at what all documents say about that."""
        arrays, sample, loss, last = self._arrays, self._sample, self._loss, self._dual
        found = self._sampled()
        held = sample.corpus.arrays.host(found.weights)
        own = sample.widened(arrays, found.w)
        terms = own + last.terms - last.own
        weights = last.weights + sample.spread(arrays, held - last.held)
        slack = loss.offsets + loss.steps * self._corpus.scores(terms)
        objective, value = self._nearer(_Primal(terms, weights, slack))
        shares = self._shares(slack, value, held)
        weights = -self._C * loss.steps * shares
        offset = arrays.number(arrays.xp.sum(loss.offsets * shares))  # it comes with the sums
        sums = self._corpus.weighted_sum(weights)
        bound = self._higher(_Dual(self._C * float(offset), sums, weights, held, own))
        before = self.progress
        self.progress = Progress(
            before.passes + 2 + math.ceil(found.progress.passes * sample.share),
            before.iterations + 1,
            objective,
            max(bound, before.bound),
            before.at_zero,
        )

    def _sampled(self) -> Solution:
        """The solution of the sample; what all others add to w changes its margins."""
        own, last, some = self._own, self._dual, cast("Corpus", self._sample.corpus)
        shift = self._sample.narrowed(self._arrays, last.terms - last.own)
        shifted = Hinge(own.arrays, own.offsets + own.steps * some.scores(shift), own.steps)
        enough = allowed_gap(self._stop, self.progress) / CLOSER
        start = last.held if self.progress.iterations else None
        found = descend(some, shifted, self._C, lambda now: now.gap <= enough, start=start)
        return cast("Solution", found)  # a matrix has access to rows

    def _nearer(self, point: _Primal) -> tuple[float, float]:
        """Go to the best point between the best so far and this one.

        Returns its objective, and the loss at the point given.
        """
        dot, start = self._arrays.dot, self._best
        along = point.terms - start.terms
        pull, curve = dot(start.terms, along), dot(along, along)
        k = np.arange(1, GRID + 1) / GRID
        rises, values = self._arrays.hinge_line(start.slack, point.slack - start.slack, GRID)
        slopes = pull + k * curve + self._C * rises
        first = int(np.argmax(np.append(slopes[:-1], 0.0) >= 0.0))  # where the objective is lowest
        best = self._best = start.towards(point, float(k[first]))
        objective = 0.5 * dot(best.terms, best.terms) + self._C * float(values[first])
        return objective, float(values[-1])

    def _higher(self, point: _Dual) -> float:
        """Go to the best point of the dual between the best so far and this one; its value."""
        dot, last = self._arrays.dot, self._dual
        along = point.terms - last.terms
        rise, curve = point.offset - last.offset - dot(last.terms, along), dot(along, along)
        best = last.towards(point, min(max(rise / curve, 0.0), 1.0) if curve > 0.0 else 1.0)
        self._dual = best
        return best.offset - 0.5 * dot(best.terms, best.terms)

    def _shares(self, slack: Vector, value: float, held: Floats) -> Vector:
        """Shares in the dual: those of the sample are known, those of others go by their slack.

        `value` is the sum of all slacks above 0.
        """
        arrays, xp, costs = self._arrays, self._arrays.xp, self._loss.costs
        margins = slack / xp.where(costs > 0.0, costs, 1.0)
        enough, width = allowed_gap(self._stop, self.progress) / CORNERS, WIDEST
        for _ in range(NARROWER):
            shares = xp.clip(margins / width + 0.5, 0.0, 1.0)
            cost = self._C * (value - arrays.dot(shares, slack))
            if cost <= enough:
                break
            width *= max(min(0.5, math.sqrt(enough / cost)), 0.05)
        most = self._C * np.abs(self._own.steps)
        own = np.minimum(np.abs(held) / np.where(most > 0.0, most, 1.0), 1.0)
        return self._with(shares, own)

    def _with(self, shares: Vector, own: Floats) -> Vector:
        """Shares of all documents, with those of the sample's documents."""
        arrays, sample = self._arrays, self._sample
        there = arrays.placed(sample.shape[0], (sample.ids, np.ones(len(own), np.bool_)))
        return arrays.xp.where(there, sample.spread(arrays, own), shares)

    def solution(self) -> Solution:
        """The best point; weights that only rounding left are 0."""
        xp, weights = self._arrays.xp, self._best.weights
        weighty = xp.abs(weights) > ROUNDING * self._C * self._loss.costs
        weights = weights * xp.astype(weighty, xp.float64)
        return Solution(self._arrays, self._best.terms, weights, self.progress)
