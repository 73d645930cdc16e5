"""min_w ½‖w‖² + C·R(Xw) for every loss that has cuts, by a corpus' two products alone.

A cutting-plane method with a line search between the best point so far and the minimiser of the
cuts, as OCAS (Franc & Sonnenburg, JMLR 2009), except for where the next cut is made: three tenths
of the way from the best point to the minimiser took the fewest iterations here. An iteration makes
two passes, both for the new cut (solvers/cuts.py); w is computed at the end, in two more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.solvers.cuts import Cuts
from likewise.solvers.line import Line, Quadratic
from likewise.solvers.solution import Solution
from likewise.solvers.stopping import Progress

if TYPE_CHECKING:
    from likewise.corpus import Vector
    from likewise.losses import Cut, Loss
    from likewise.solvers.cuts import Minimiser
    from likewise.solvers.products import Products
    from likewise.solvers.shares import Shares
    from likewise.solvers.stopping import Report, Stop

ROOM = 24
TOWARDS_MINIMISER = 0.3
PATIENCE = 8
ROUNDING = 1e-12
REFINE_EVERY = 3
TRIMS = (1e-3, 1e-4)
TRIM_COST = 0.05


def bundle(
    corpus: Products,
    loss: Loss,
    C: float,
    stop: Stop,
    report: Report | None = None,
    room: int = ROOM,
    shares: Shares | None = None,
    first: Cut | None = None,
) -> Solution:
    """Shares, if given, refine some of the cuts of contingency tables.

    `first` is a cut to begin with; otherwise that is the one at 0.
    """
    search = _Search(corpus, loss, float(C), room, shares, first)
    while not stop(search.progress) and search.idle < PATIENCE:
        search.step()
        if report is not None:
            report(search.progress.passes, search.progress.objective, search.progress.gap)
    return search.solution(stop)


class _Search:
    """The documents' reach at the best point, its squared length, and the next cut to add."""

    def __init__(
        self,
        corpus: Products,
        loss: Loss,
        C: float,
        room: int,
        shares: Shares | None,
        first: Cut | None,
    ) -> None:
        self._corpus, self._arrays = corpus, corpus.arrays
        self._loss, self._C, self._shares = loss, C, shares
        self._cuts = Cuts(corpus, loss.steps, C, room)
        self._reach = self._arrays.xp.zeros_like(loss.steps)
        self._square = 0.0
        self._first_try = 1.0
        own = loss.cut(self._reach)
        self._next = own if first is None else first
        at_zero = C * float(own.value)
        self.progress = Progress(0, 0, at_zero, 0.0, at_zero)
        self.idle = 0

    def step(self) -> None:
        self._cuts.add(self._next, self._reach)
        minimiser = self._cuts.minimise()
        ends = self._reach, minimiser.reach
        line = Line(self._arrays, self._loss, self._C, *ends, self._norm(minimiser))
        best = line.minimise(self._first_try)
        cut = line.cut(best.k + TOWARDS_MINIMISER * (1.0 - best.k))
        self._next = self._refined(cut, minimiser)
        if best.k > 0.0:
            self._cuts.move_best(best.k)
            self._reach = self._reach + best.k * (minimiser.reach - self._reach)
            self._square = 2.0 * line.norm(best.k)
            self._first_try = min(1.0, 1.5 * best.k)
        self._note(best.value, minimiser.bound)

    def _refined(self, cut: Cut, minimiser: Minimiser) -> Cut:
        turn = (self.progress.iterations + 1) % REFINE_EVERY == 0
        if self._shares is None or not turn:
            return cut
        return self._shares.refine(cut, minimiser.reach, self._cuts.held(self._shares.positives))

    def _norm(self, minimiser: Minimiser) -> Quadratic:
        across = minimiser.times_best - self._square
        curve = minimiser.square - self._square - 2.0 * across
        least = ROUNDING * (minimiser.square + self._square)  # points that differ by rounding only
        return Quadratic(0.5 * self._square, across, max(curve, least))

    def _note(self, objective: float, bound: float) -> None:
        last = self.progress
        objective, bound = min(objective, last.objective), max(bound, last.bound)
        moved = objective < last.objective or bound > last.bound
        self.idle = 0 if moved else self.idle + 1
        self.progress = Progress(
            last.passes + 2, last.iterations + 1, objective, bound, last.at_zero
        )

    def solution(self, stop: Stop) -> Solution:
        """The best point.

        Documents with almost no weight, left from early cuts, are dropped if the objective allows.
        """
        xp, weights, last = self._arrays.xp, self._cuts.weights(), self.progress
        size, caps = xp.abs(weights), self._C * xp.abs(self._loss.steps)
        lights = [size < least * caps for least in TRIMS]
        some = [self._arrays.number(xp.any(light & (weights != 0.0))) for light in lights]
        for light, found in zip(lights, some, strict=True):
            if float(found):
                trimmed = self._finish(xp.where(light, xp.zeros_like(weights), weights))
                excess = trimmed.progress.objective - last.objective
                if excess <= TRIM_COST * last.gap and stop(trimmed.progress):
                    return trimmed
        return self._finish(weights)

    def _finish(self, weights: Vector) -> Solution:
        """From the documents' weights to w and its exact objective."""
        w = self._corpus.weighted_sum(weights)
        value = float(self._loss.cut(self._loss.steps * self._corpus.scores(w)).value)
        objective = 0.5 * self._arrays.dot(w, w) + self._C * value
        self.progress = self.progress._replace(passes=self.progress.passes + 2)
        found = self.progress._replace(objective=objective)
        return Solution(self._arrays, w, weights, found)
