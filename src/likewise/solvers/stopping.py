"""Stopping rules of solvers, as values: `stop=first_of(passes(60), gap_below(1e-3))`."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

ROUNDING = 1e-11


class Progress(NamedTuple):
    """The progress of a solver: the best objective so far, and a lower bound on the minimum."""

    passes: int
    iterations: int
    objective: float
    bound: float
    at_zero: float

    @property
    def gap(self) -> float:
        return max(0.0, self.objective - self.bound)

    @property
    def relative_gap(self) -> float:
        """Relative to the objective or to the largest possible decrease, whichever is less.

        Relative to the objective alone, w = 0 would be good enough for a small C.
        """
        if self.gap <= ROUNDING * self.at_zero:
            return 0.0
        return self.gap / min(self.objective, self.at_zero - self.bound)


UNMEASURED = Progress(1, 1, *[float("nan")] * 3)  # of a query that minimises nothing
Stop = Callable[[Progress], bool]
Report = Callable[[int, float, float], None]


def passes(limit: int) -> Stop:
    """Stop after `limit` passes over the corpus."""
    return lambda progress: progress.passes >= limit


def iterations(limit: int) -> Stop:
    return lambda progress: progress.iterations >= limit


def gap_below(tol: float) -> Stop:
    """Stop at primal − dual ≤ tol · min(primal, primal(0) − dual)."""
    return lambda progress: progress.relative_gap <= tol


def first_of(*rules: Stop) -> Stop:
    return lambda progress: any(rule(progress) for rule in rules)
