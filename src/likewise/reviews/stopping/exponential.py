"""Relevant documents whose rate falls exponentially along the ranking."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from likewise.reviews.stopping.powerlaw import POINT_PROCESSES, judged_so
from likewise.reviews.stopping.screening import Estimate, Screening

GRID = 400
SPAN = 60.0  # the rate falls by up to e^60 over what was judged


@dataclass(frozen=True)
class Exponential:
    """A Poisson process with rate a·exp(−b·x), and both a and b unknown.

    With r found at x_1 … x_r among n judged, b has the likelihood Π b·exp(−b·x_i)/(1 − exp(−b·n)),
    here with a prior that is flat in log(1 + b·n), and the mean number up to n ~ Gamma(r, 1).
    """

    target: float = 0.95
    confidence: float = 0.95
    least: int = 5

    @property
    def source(self) -> str:
        return POINT_PROCESSES

    def __str__(self) -> str:
        return "exponential rate"

    def __call__(self, screening: Screening) -> Estimate:
        if screening.found < self.least:
            return Estimate(str(self), False, f"it waits for {self.least} relevant records")
        return judged_so(self, str(self), screening, *still_to_come(screening))


def still_to_come(screening: Screening) -> tuple[np.ndarray, np.ndarray]:
    """By how much the mean so far will be multiplied, and how likely each of that is."""
    gains = np.asarray(screening.gains, np.bool_)
    judged = len(gains)
    places = (np.flatnonzero(gains) + 0.5) / judged
    rates = np.expm1(np.linspace(1e-6, np.log1p(SPAN), GRID))  # b·n
    seen = -np.expm1(-rates)
    logs = len(places) * (np.log(rates) - np.log(seen)) - rates * places.sum()
    weights = np.exp(logs - logs.max())
    ends = screening.documents / judged
    more = np.exp(-rates) * -np.expm1(-rates * (ends - 1)) / seen
    return more, weights / weights.sum()
