"""Relevant documents set aside at random, and how many of them the ranking has found since."""

from __future__ import annotations

from dataclasses import dataclass

from likewise.reviews.stopping.screening import Estimate, Screening

NEEDED = "it needs relevant records of a random sample that was set aside at the start"


@dataclass(frozen=True)
class Quantile:
    """The share of those set aside that the ranking has reached is an estimate of its recall.

    Its bounds are binomial (Clopper & Pearson 1934). For a target of 95 % at 95 % confidence at
    least 59 relevant documents have to be set aside, all of which must be found.
    """

    target: float = 0.95
    confidence: float = 0.95

    @property
    def source(self) -> str:
        return (
            "D. D. Lewis, E. Yang & O. Frieder, Certifying one-phase technology-assisted reviews, "
            "CIKM 2021: quantile binomial confidence bound"
        )

    def __str__(self) -> str:
        return "quantile bound"

    def __call__(self, screening: Screening) -> Estimate:
        control = screening.control
        if control is None or not control.relevant:
            return Estimate(str(self), False, NEEDED)
        there, reached = control
        tail = (1 - self.confidence) / 2
        return Estimate(
            str(self),
            lowest(reached, there, 2 * tail) >= self.target,
            f"{reached:,} of {there:,} set aside are found",
            reached / there,
            lowest(reached, there, tail),
            1 - lowest(there - reached, there, tail),
            self.confidence,
        )


@dataclass(frozen=True)
class Target:
    """Stop when all relevant documents that were set aside are found: ten in the paper."""

    confidence: float = 0.95

    @property
    def source(self) -> str:
        return (
            "G. V. Cormack & M. R. Grossman, Engineering quality and reliability in "
            "technology-assisted review, SIGIR 2016"
        )

    def __str__(self) -> str:
        return "target set"

    def __call__(self, screening: Screening) -> Estimate:
        control = screening.control
        if control is None or not control.relevant:
            return Estimate(str(self), False, NEEDED)
        there, reached = control
        because = f"{reached:,} of {there:,} set aside are found"
        if reached < there:
            return Estimate(str(self), False, because)
        low = lowest(reached, there, 1 - self.confidence)
        return Estimate(str(self), True, because, None, low, 1.0, self.confidence)


def lowest(successes: int, trials: int, alpha: float) -> float:
    """The smallest p for which so many successes or more are not less likely than alpha."""
    from scipy.special import betaincinv

    if not successes:
        return 0.0
    return float(betaincinv(successes, trials - successes + 1, alpha))
