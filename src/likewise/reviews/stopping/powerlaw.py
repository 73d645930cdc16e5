"""A power law of how relevant documents become rarer, and how many are still to come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from likewise.reviews.stopping.bisection import first
from likewise.reviews.stopping.screening import Estimate, Screening

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

GRID = 400  # values of the exponent
POINT_PROCESSES = (
    "A. Sneyd & M. Stevenson, Modelling stopping criteria for search results using Poisson "
    "processes, EMNLP 2019; M. Stevenson & R. Bin-Hezam, Stopping methods for "
    "technology assisted reviews based on point processes, TOIS 2023"
)


class _Asked(Protocol):
    @property
    def target(self) -> float: ...
    @property
    def confidence(self) -> float: ...


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
        return POINT_PROCESSES

    def __str__(self) -> str:
        return "power law"

    def __call__(self, screening: Screening) -> Estimate:
        if screening.found < self.least:
            return Estimate(str(self), False, f"it waits for {self.least} relevant records")
        more = growth(screening)
        return judged_so(self, str(self), screening, more, np.full(len(more), 1 / len(more)))


def growth(screening: Screening) -> Floats:
    """By how much the mean so far will be multiplied: values that are equally likely."""
    gains = np.asarray(screening.gains, np.bool_)
    judged = len(gains)
    places = np.flatnonzero(gains) + 0.5
    exponents = _exponents(len(places), float(np.log(judged / places).sum()))
    return np.asarray(np.expm1(exponents * np.log(screening.documents / judged)))


def judged_so(
    rule: _Asked, name: str, screening: Screening, more: Floats, weights: Floats
) -> Estimate:
    """What a Poisson process says whose mean is yet to grow by `more`, with these weights."""
    found, tail = screening.found, (1 - rule.confidence) / 2
    shares = [tail, 0.5, rule.confidence, 1 - tail]
    few, middle, most, many = mixed(screening, more, weights, shares)
    return Estimate(
        name,
        found >= rule.target * (found + most),
        f"{few:,} to {many:,} relevant ones are still to come",
        found / (found + middle),
        found / (found + many),
        found / (found + few),
        rule.confidence,
    )


def mixed(screening: Screening, more: Floats, weights: Floats, shares: list[float]) -> list[int]:
    """Quantiles of the number still to come: a mixture of negative binomials."""
    from scipy.special import betainc

    found = screening.found

    def below(count: int) -> float:
        """P(still to come ≤ count)."""
        return float(weights @ betainc(found, count + 1, 1 / (1 + more)))

    def quantile(wanted: float) -> int:
        return first(lambda count: below(count) >= wanted, 0, screening.left)

    return [quantile(wanted) for wanted in shares]


def _exponents(found: int, logs: float) -> Floats:
    """Values of β, equally likely given that it is at most 1."""
    from scipy.special import gammainc, gammaincinv

    below_one = gammainc(found, logs)
    middles = (np.arange(GRID) + 0.5) / GRID * below_one
    return np.asarray(np.minimum(gammaincinv(found, middles) / logs, 1.0))
