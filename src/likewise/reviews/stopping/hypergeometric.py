"""Hypergeometric tests: documents as balls in an urn, and how likely it is that many are missing.

Both rules test whether recall is below a target. If it is, an urn of N documents holds at least
K = ⌊found / target − before⌋ + 1 relevant ones, and p = P(X ≤ k) for X ~ Hypergeometric(N, K, n) is
the probability that n draws show no more relevant ones than the k that were seen.
M. Callaghan & F. Müller-Hansen, Statistical stopping criteria for automated screening in
systematic reviews, Systematic Reviews 9:273, 2020.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor
from typing import TYPE_CHECKING

import numpy as np

from likewise.reviews.stopping.screening import Estimate, Screening

if TYPE_CHECKING:
    from collections.abc import Callable

PAPER = (
    "M. Callaghan & F. Müller-Hansen, Statistical stopping criteria for automated screening in "
    "systematic reviews, Systematic Reviews 9:273, 2020"
)
MOST_STARTS = 100  # urns to look into; fewer only make p larger
STEPS = 14  # of halving, for a bound on recall: to four digits


@dataclass(frozen=True)
class SampledUrn:
    """Uses documents that were drawn at random, so that the ranking before does not matter.

    The interval of recall is exact in the sense of Clopper & Pearson, Biometrika 26, 1934: it
    covers all numbers of relevant documents in the urn that the sample does not make unlikely.
    """

    target: float = 0.95
    confidence: float = 0.95

    @property
    def source(self) -> str:
        return f"{PAPER}: random sampling; bounds as in C. J. Clopper & E. S. Pearson 1934"

    def __str__(self) -> str:
        return "sample"

    def __call__(self, screening: Screening) -> Estimate:
        sample, found = screening.sample, screening.found
        if sample is None or not sample.judged:
            return Estimate(str(self), False, "no random sample has been judged")
        if not found:
            return Estimate(str(self), False, "nothing relevant has been found")
        urn, n, k, before = sample
        p = chance(urn, missing_at(self.target, found, before), n, k)
        tail = (1 - self.confidence) / 2
        least, most = found - before, urn - n + k  # those known of, and all that could be
        few = _first(lambda K: 1 - chance(urn, K, n, k - 1) > tail, least, most)
        many = _first(lambda K: chance(urn, K + 1, n, k) <= tail, few, most)
        likely = min(max(k * urn / n, least), most)
        return Estimate(
            str(self),
            p < 1 - self.confidence,
            _says(p, self.target, f"a sample of {n:,} with {k:,} relevant"),
            found / (before + likely),
            found / (before + many),
            found / (before + few),
            self.confidence,
        )


@dataclass(frozen=True)
class RankedUrn:
    """Treats what was judged last as a random sample of all that was left then.

    It was ranked, so relevant documents came sooner than by chance: the test errs towards going on.
    All beginnings of a sample are tried and the smallest p counts, as in the paper, without a
    correction for many tests.
    """

    target: float = 0.95
    confidence: float = 0.95

    @property
    def source(self) -> str:
        return f"{PAPER}: ranked quasi-sampling"

    def __str__(self) -> str:
        return "ranked urn"

    def __call__(self, screening: Screening) -> Estimate:
        if not screening.found:
            return Estimate(str(self), False, "nothing relevant has been found")
        urns = Urns(screening)
        p = urns.p(self.target)
        alpha = 1 - self.confidence
        low = urns.lowest(alpha)
        return Estimate(
            str(self),
            p < alpha,
            _says(p, self.target, "what was judged last"),
            None,
            low,
            1.0,
            self.confidence,
        )


class Urns:
    """All samples that end with the last judgement, each with the urn that it was drawn from.

    Of samples with equally many relevant documents the longest is the strongest evidence, so only
    those are kept that begin behind a relevant document, or with the first document.
    """

    def __init__(self, screening: Screening) -> None:
        curve = np.concatenate([[0], np.cumsum(screening.gains)])
        starts = np.flatnonzero([True, *screening.gains])
        if len(starts) > MOST_STARTS:
            spread = np.linspace(0, len(starts) - 1, MOST_STARTS).astype(int)
            starts = starts[spread]
        self._found = screening.found
        self._samples = [
            (screening.documents - start, len(screening.gains) - start, int(curve[start]))
            for start in starts.tolist()
        ]

    def p(self, target: float) -> float:
        """The smallest p-value of the test that recall is below the target."""
        return min(
            chance(urn, missing_at(target, self._found, before), n, self._found - before)
            for urn, n, before in self._samples
        )

    def lowest(self, alpha: float) -> float:
        """Lower confidence bound on recall."""
        low, high = 0.0, 1.0
        for _ in range(STEPS):
            middle = (low + high) / 2
            low, high = (middle, high) if self.p(middle) < alpha else (low, middle)
        return low


def missing_at(target: float, found: int, before: int) -> int:
    """The smallest number of relevant documents in the urn for which recall is below the target."""
    if target <= 0:
        return 1 << 62
    return floor(found / target - before + 1e-9) + 1


def chance(urn: int, relevant: int, n: int, k: int) -> float:
    """P(X ≤ k) for X ~ Hypergeometric: n draws from an urn with so many relevant ones."""
    from scipy.special import gammaln

    if relevant > urn or k < 0:
        return 0.0
    fewest, most = max(0, n - (urn - relevant)), min(n, relevant)
    if k >= most:
        return 1.0
    if k < fewest:
        return 0.0
    x = np.arange(fewest, k + 1, dtype=np.float64)

    def choose(a: float, b: np.ndarray | float) -> np.ndarray:
        return np.asarray(gammaln(a + 1) - gammaln(np.asarray(b) + 1) - gammaln(a - b + 1))

    logs = choose(relevant, x) + choose(urn - relevant, n - x) - choose(urn, n)
    return float(min(np.exp(logs).sum(), 1.0))


def _first(holds: Callable[[int], bool], low: int, high: int) -> int:
    """The first number for which it holds, if it does so from there on; else the last."""
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def _says(p: float, target: float, what: str) -> str:
    return f"{what}: p = {p:.3g} if recall were below {100 * target:g} %"
