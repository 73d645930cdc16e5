"""min_w ½‖w‖² + C·R(Xw) for Δ = 1 − precision·recall, by hinge losses.

This Δ is the least over r of (1 − r)² + left(r)·(l − a) + included(r)·b (losses/measures.py). If
tables could have any real sizes a and b, R would thus be the least over r of (1 − r)² and a hinge
loss whose margins are left(r) for examples and included(r) for unlabeled documents. So for given r
the problem is one for coordinate descent, and the best r is the precision of the mixture of tables
that its solution is: a root, found by the secant method.

The objective is that of whole tables, and the bound that of a mixture of whole tables in which all
documents have their shares (losses/mixtures.py): so the gap is exact. With many examples it becomes
as small as is asked for. With few, real sizes may be too far from whole ones; that mixture is then
the cut from which the bundle method begins (solvers/bundle.py).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from likewise.losses import Cut, Hinge
from likewise.losses.mixtures import largest_mean
from likewise.solvers.descent import descend
from likewise.solvers.solution import Solution
from likewise.solvers.stopping import Progress, first_of, gap_below, iterations

if TYPE_CHECKING:
    from likewise.corpus import Corpus, Floats, Places, Vector
    from likewise.losses import Loss, PrecisionRecall
    from likewise.solvers.stopping import Report, Stop

ROUNDS = 24
MISSES = 2  # rounds in which real sizes were good enough, and whole ones were not
EPOCHS = 2000  # of descent in a round
FIRST, CLOSER, LAST = 1e-1, 0.1, 0.2  # gaps of descent: relative ones; a part of what is allowed
NEAR = 1.5  # factor between r and the precision from which on rounds become more exact
LEAST = 1e-8  # of the objective: a smaller gap than this is not tried


class Problem(NamedTuple):
    """Documents: `steps` as in a loss; scale·Δ is the loss of a table."""

    corpus: Corpus
    measure: PrecisionRecall
    loss: Loss
    positives: Places
    unlabeled: Places
    steps: Vector
    scale: float
    C: float


class Found(NamedTuple):
    """A solution, if the gap is small enough, and otherwise the best cut, if there is one."""

    solution: Solution | None
    cut: Cut | None


def precise(problem: Problem, stop: Stop, report: Report | None = None) -> Found:
    search = _Search(problem)
    for _ in range(ROUNDS):
        search.step(stop)
        if report is not None:
            report(search.progress.passes, search.progress.objective, search.progress.gap)
        if stop(search.progress):
            return Found(search.solution(), None)
        if search.ended:
            break
    return Found(None, search.cut)


def allowed_gap(stop: Stop, progress: Progress) -> float:
    """The largest gap at which `stop` lets a solver stop, to a factor of 2."""
    gap = objective = progress.objective
    while gap > LEAST * objective:
        gap *= 0.5
        if stop(progress._replace(objective=objective, bound=objective - gap)):
            break
    return gap


class _Search:
    def __init__(self, problem: Problem) -> None:
        self._p, self._arrays = problem, problem.corpus.arrays
        zero = self._arrays.xp.zeros_like(problem.steps)
        at_zero = problem.C * float(problem.loss.cut(zero).value)
        self.progress = Progress(0, 0, at_zero, 0.0, at_zero)
        self._best: Solution | None = None
        self._r, self._looseness, self._last = 0.5, FIRST, (math.nan, math.nan)
        self._between = 0.0, 1.0
        self._weights: Floats | None = None
        self._misses = 0
        self.cut: Cut | None = None

    @property
    def ended(self) -> bool:
        """Whether whole tables are too far from real ones."""
        return self._misses >= MISSES

    def step(self, stop: Stop) -> None:
        """Solve the problem for r, look at what that is worth, and go to the next r."""
        last, p = self.progress, self._p
        enough = LAST * allowed_gap(stop, last)
        found = self._solved(enough)
        square = 0.5 * self._arrays.dot(found.w, found.w)
        reach = p.steps * p.corpus.scores(found.w)
        objective = square + p.C * float(p.loss.cut(reach).value)
        if objective < last.objective or self._best is None:
            self._best = found
        shares = self._shares(found)
        self.progress = Progress(
            last.passes + found.progress.passes + 1,
            last.iterations + 1,
            min(objective, last.objective),
            max(last.bound, self._bound(stop, shares, square, min(objective, last.objective))),
            last.at_zero,
        )
        self._turn(shares, tight=found.progress.gap <= enough)

    def _solved(self, enough: float) -> Solution:
        p, (_, left, included) = self._p, self._p.measure.tangent(self._r, self._total)
        margins = (p.positives, p.scale * left), (p.unlabeled, p.scale * included)
        hinge = Hinge(self._arrays, self._arrays.placed(p.steps.shape[0], *margins), p.steps)
        small = first_of(iterations(EPOCHS), gap_below(self._looseness), lambda p: p.gap <= enough)
        found = descend(p.corpus, hinge, p.C, small, start=self._weights)
        solution = cast("Solution", found)  # the engine has access to rows
        self._weights = self._arrays.host(solution.weights)
        return solution

    @property
    def _total(self) -> int:
        return int(self._arrays.take(self._p.steps, self._p.positives).shape[0])

    def _shares(self, found: Solution) -> tuple[Floats, Floats]:
        """The shares in which examples are left out and unlabeled documents are included."""
        p, arrays = self._p, self._arrays
        caps = p.C * np.abs(arrays.host(p.steps))
        every = np.abs(arrays.host(found.weights)) / np.where(caps > 0.0, caps, 1.0)
        every = arrays.vector(np.minimum(every, 1.0))
        left, entered = (arrays.host(arrays.take(every, at)) for at in (p.positives, p.unlabeled))
        return left, entered

    def _bound(
        self, stop: Stop, shares: tuple[Floats, Floats], square: float, objective: float
    ) -> float:
        """Of a mixture with these shares; 0 if even real sizes would not be enough to stop."""
        p, (left, entered) = self._p, shares

        def delta(a: Floats, b: Floats) -> Floats:
            return np.asarray(p.measure.delta(np, a, b, len(left)))

        sizes = (np.array([len(left) - left.sum()]), np.array([entered.sum()]))
        most = p.C * p.scale * float(delta(*sizes)[0]) - square
        if not stop(self.progress._replace(objective=objective, bound=most)):
            return 0.0
        self._misses += 1
        mean = largest_mean(delta, left, entered)
        bound = 0.0 if mean is None else p.C * p.scale * mean - square
        if mean is not None and bound > self.progress.bound:
            every = (p.positives, left), (p.unlabeled, entered)
            members = self._arrays.placed(p.steps.shape[0], *every)
            self.cut = Cut(0.0, p.scale * mean, members)
        return bound

    def _turn(self, shares: tuple[Floats, Floats], *, tight: bool) -> None:
        """The next r, nearer to the precision of its solution, which falls as r grows.

        Far from it halfway, as factors go; near it, where a line through the last two would be.
        """
        left, entered = shares
        stays = len(left) - float(left.sum())
        size = stays + float(entered.sum())
        r, precision = self._r, stays / size if size > 0.0 else 1.0
        low, high = (r, self._between[1]) if precision > r else (self._between[0], r)
        before, fell = self._last
        self._last = r, r - precision
        near = max(r, precision) <= NEAR * min(r, precision)
        slope = (r - precision - fell) / (r - before) if r != before else 0.0
        nearer = r - (r - precision) / slope if near and slope else r
        least = 1.0 / len(self._p.steps)
        for one, other in ((r, precision), (low, high)):
            if not low < nearer < high and precision != r:
                nearer = math.sqrt(max(one, least) * max(other, least))
        self._looseness *= CLOSER if near else 1.0
        # What a rough solution says of r may be wrong.
        self._between = (low, high) if tight or not near else (0.0, 1.0)
        self._r = nearer

    def solution(self) -> Solution:
        best = cast("Solution", self._best)
        return Solution(self._arrays, best.w, best.weights, self.progress)
