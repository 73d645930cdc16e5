"""Bounds on recall from random draws, which hold at all times at once: look whenever you like.

Let R be the number of relevant documents. A draw j takes n_j of N_j unjudged documents at random,
when before_j relevant ones are known; k_j of it are relevant. Given all that was judged earlier, by
whatever ranking, k_j ~ Hypergeometric(N_j, R − before_j, n_j), with R the only unknown. So the
likelihood L_t(R) of the draws so far is a product, and for any weights π that were fixed before the
first of them Σ_r π(r)·L_t(r) / L_t(R) is a martingale at the true R. By Ville's inequality it ever
reaches 1/α with a chance of at most α: the numbers R with L_t(R) ≥ α·Σ_r π(r)·L_t(r) hold the
truth at all times t together with confidence 1 − α.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from likewise.reviews.stopping.bisection import first
from likewise.reviews.stopping.screening import Estimate, Sample, Screening

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

DENSE = 512  # weights on each number up to here, then on a grid
GRID = 512


@dataclass(frozen=True)
class RandomSample:
    """Uses what was drawn at random; the ranking does not matter, nor how often one looks.

    The weights fall as 1/(x + 1) with the number x of relevant documents in the first urn: this
    costs little where few are left, which is where people stop.
    """

    target: float = 0.95
    confidence: float = 0.95

    @property
    def source(self) -> str:
        return (
            "I. Waudby-Smith & A. Ramdas, Confidence sequences for sampling without replacement, "
            "NeurIPS 2020; for reviews: D. D. Lewis, L. Gray & M. Noel, Confidence sequences for "
            "evaluating one-phase technology-assisted review, ICAIL 2023"
        )

    def __str__(self) -> str:
        return "random sample"

    def __call__(self, screening: Screening) -> Estimate:
        samples = [sample for sample in screening.samples if sample.judged]
        found = screening.found
        if not samples:
            return Estimate(str(self), False, "nothing was drawn at random")
        drawn, relevant = (sum(values) for values in zip(*(s[1:3] for s in samples), strict=True))
        because = f"of {drawn:,} drawn at random, {relevant:,} relevant"
        if not found:
            return Estimate(str(self), False, f"{because}; nothing relevant has been found")
        few, likely, many = totals(screening, samples, 1 - self.confidence)
        low = found / many
        return Estimate(
            str(self),
            low >= self.target,
            because,
            found / likely,
            low,
            found / few,
            self.confidence,
        )


def totals(screening: Screening, samples: Sequence[Sample], alpha: float) -> tuple[int, int, int]:
    """The fewest relevant documents there may be in all, the likeliest number, and the most."""
    likelihood = Likelihood(samples)
    least, most = screening.found, screening.found + screening.left
    urn, before = samples[0].urn, samples[0].before
    levels = likelihood(before + _grid(urn))
    bar = np.log(alpha) + _log_sum(levels + _log_weights(urn))

    def at(total: int) -> float:
        return float(likelihood(np.array([total]))[0])

    likely = first(lambda total: at(total + 1) <= at(total), least, most)
    few = first(lambda total: at(total) >= bar, least, likely)
    many = first(lambda total: at(total + 1) < bar, likely, most)
    return few, likely, many


class Likelihood:
    """log L(R) but for a constant; concave in R, −∞ where R is impossible."""

    def __init__(self, samples: Sequence[Sample]) -> None:
        self._urn, self._n, self._k, self._before = (
            np.array(values, np.float64)[:, None] for values in zip(*samples, strict=True)
        )

    def __call__(self, totals: NDArray[np.int64]) -> Floats:
        relevant = totals[None, :] - self._before
        others = self._urn - relevant
        possible = (relevant >= self._k) & (others >= self._n - self._k)
        inside = np.where(possible, relevant, self._k)
        outside = np.where(possible, others, self._n - self._k)
        logs = _choose(inside, self._k) + _choose(outside, self._n - self._k)
        return np.asarray(np.where(possible, logs, -np.inf).sum(axis=0))


def _grid(urn: int) -> NDArray[np.int64]:
    """Numbers of relevant documents: each of the small ones, and others ever farther apart."""
    if urn <= DENSE:
        return np.arange(urn + 1)
    wide = np.geomspace(DENSE + 1, urn, GRID).round().astype(np.int64)
    return np.unique(np.concatenate([np.arange(DENSE + 1), wide]))


def _log_weights(urn: int) -> Floats:
    """As 1/(x + 1), each for all numbers up to the next one of the grid; together 1."""
    grid = _grid(urn)
    shares = np.diff(np.log1p(np.append(grid, urn + 1)))
    return np.asarray(np.log(shares / shares.sum()))


def _choose(a: Floats, b: Floats) -> Floats:
    from scipy.special import gammaln

    return np.asarray(gammaln(a + 1) - gammaln(b + 1) - gammaln(a - b + 1))


def _log_sum(logs: Floats) -> float:
    from scipy.special import logsumexp

    return float(logsumexp(logs))
