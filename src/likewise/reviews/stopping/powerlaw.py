"""A power law of how relevant documents become rarer, and how many are still to come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from likewise.reviews.stopping.screening import Estimate, Screening

if TYPE_CHECKING:
    from collections.abc import Callable

GRID = 400  # values of the exponent


@dataclass(frozen=True)
class PowerLaw:
    """Relevant documents as a Poisson process along the ranking, with a rate that falls as x^(β−1).

    Both of its parameters are unknown, and integrated out: with r of them found at x_1 … x_r among
    n judged, β ~ Gamma(r, Σ ln(n/x_i)) and the mean number up to n ~ Gamma(r, 1), as follows from
    the likelihood with priors 1/β and 1/mean; β is at most 1, since the rate does not rise. What is
    still to come up to document N is then a mixture of negative binomials. The bounds hold if the
    rate does fall so. Where a ranking leaves hardly anything behind, it is too careful.
    """

    target: float = 0.95
    confidence: float = 0.95
    least: int = 5

    @property
    def source(self) -> str:
        return (
            "A. Sneyd & M. Stevenson, Modelling stopping criteria for search results using Poisson "
            "processes, EMNLP 2019; M. Stevenson & R. Bin-Hezam, Stopping methods for "
            "technology assisted reviews based on point processes, TOIS 2023"
        )

    def __str__(self) -> str:
        return "power law"

    def __call__(self, screening: Screening) -> Estimate:
        found = screening.found
        if found < self.least:
            return Estimate(str(self), False, f"it waits for {self.least} relevant documents")
        tail = (1 - self.confidence) / 2
        few, middle, many = still_to_come(screening, [tail, 0.5, 1 - tail])
        (most,) = still_to_come(screening, [self.confidence])
        return Estimate(
            str(self),
            found >= self.target * (found + most),
            f"{few:,} to {many:,} relevant ones are still to come",
            found / (found + middle),
            found / (found + many),
            found / (found + few),
            self.confidence,
        )


def still_to_come(screening: Screening, shares: list[float]) -> list[int]:
    """Quantiles of the number of relevant documents among those not judged."""
    from scipy.special import betainc

    gains = np.asarray(screening.gains, np.bool_)
    judged, left = len(gains), screening.documents - len(gains)
    places = np.flatnonzero(gains) + 0.5
    found = len(places)
    exponents = _exponents(found, float(np.log(judged / places).sum()))
    more = np.expm1(exponents * np.log(screening.documents / judged))  # times the mean so far

    def share(count: int) -> float:
        """P(still to come ≤ count)."""
        return float(np.mean(betainc(found, count + 1, 1 / (1 + more))))

    return [_quantile(share, wanted, left) for wanted in shares]


def _exponents(found: int, logs: float) -> np.ndarray:
    """Values of β, equally likely given that it is at most 1."""
    from scipy.special import gammainc, gammaincinv

    below_one = gammainc(found, logs)
    middles = (np.arange(GRID) + 0.5) / GRID * below_one
    return np.minimum(gammaincinv(found, middles) / logs, 1.0)


def _quantile(share: Callable[[int], float], wanted: float, most: int) -> int:
    low, high = 0, most
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if share(middle) >= wanted else (middle + 1, high)
    return low
