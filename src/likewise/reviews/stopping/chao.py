"""Chao's estimator: how many are missing, by how many were found once only and how many twice."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log, sqrt

from likewise.reviews.stopping.screening import Estimate, Screening


@dataclass(frozen=True)
class Chao:
    """Needs several rankings that search for themselves, and how many of them found each document.

    With S found, f₁ of them by one ranking and f₂ by two, there are S + f₁²/(2·f₂) or more. The
    bounds are Chao's, by a log-normal distribution of what is missing.
    """

    target: float = 0.95
    confidence: float = 0.95

    @property
    def source(self) -> str:
        return (
            "A. Chao, Estimating the population size for capture-recapture data with unequal "
            "catchability, Biometrics 43, 1987; for reviews: M. P. Bron, P. G. M. van der Heijden, "
            "A. J. Feelders & A. P. J. M. Siebes, Using Chao's estimator as a stopping criterion "
            "for technology-assisted review, TOIS 2025"
        )

    def __str__(self) -> str:
        return "Chao"

    def __call__(self, screening: Screening) -> Estimate:
        captures, found = screening.captures, screening.found
        if captures is None:
            return Estimate(str(self), False, "it needs several rankings")
        once, twice = (sum(times == n for times in captures) for n in (1, 2))
        if not found or not twice:
            return Estimate(str(self), False, "no record was found by just two rankings")
        few, likely, many = missing(once, twice, self.confidence)
        few, likely, many = (min(value, screening.left) for value in (few, likely, many))
        low = found / (found + many)
        return Estimate(
            str(self),
            low >= self.target,
            f"of {found:,} found, {once:,} by one ranking only and {twice:,} by two",
            found / (found + likely),
            low,
            found / (found + few),
            self.confidence,
        )


def missing(once: int, twice: int, confidence: float) -> tuple[float, float, float]:
    """How many are missing: at least, likely and at most; `twice` is not 0."""
    from scipy.special import ndtri

    ratio = once / twice
    likely = once * ratio / 2
    if not likely:
        return 0.0, 0.0, 0.0
    variance = twice * (ratio**4 / 4 + ratio**3 + ratio**2 / 2)
    factor = exp(float(ndtri((1 + confidence) / 2)) * sqrt(log(1 + variance / likely**2)))
    return likely / factor, likely, likely * factor
