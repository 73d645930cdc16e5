"""Hypergeometric tests: documents as balls in an urn, and how likely it is that many are missing.

If there are R relevant documents in all and `before` of them were known, an urn of N documents
holds R − before, and P(X ≤ k) for X ~ Hypergeometric(N, R − before, n) is the probability that n
draws show no more relevant ones than the k that were seen. The R for which that is not unlikely
give bounds on recall.
M. Callaghan & F. Müller-Hansen, Statistical stopping criteria for automated screening in
systematic reviews, Systematic Reviews 9:273, 2020.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from likewise.reviews.stopping.bisection import first
from likewise.reviews.stopping.screening import Estimate, Screening

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]

PAPER = (
    "M. Callaghan & F. Müller-Hansen, Statistical stopping criteria for automated screening in "
    "systematic reviews, Systematic Reviews 9:273, 2020"
)
MOST_STARTS = 100  # urns to look into; fewer only make p larger


@dataclass(frozen=True)
class SampledUrn:
    """The last draw at random, of a size that was fixed before, looked at once.

    The interval of recall is exact in the sense of Clopper & Pearson, Biometrika 26, 1934: it
    covers all numbers of relevant documents in the urn that the sample does not make unlikely.
    """

    target: float = 0.95
    confidence: float = 0.95

    @property
    def source(self) -> str:
        return f"{PAPER}: random sampling; bounds as in C. J. Clopper & E. S. Pearson 1934"

    def __str__(self) -> str:
        return "sample looked at once"

    def __call__(self, screening: Screening) -> Estimate:
        found = screening.found
        if not screening.samples or not screening.samples[-1].judged:
            return Estimate(str(self), False, "no random sample has been judged")
        if not found:
            return Estimate(str(self), False, "nothing relevant has been found")
        urn, n, k, before = screening.samples[-1]
        tail = (1 - self.confidence) / 2
        least, most = found - before, urn - n + k  # those known of, and all that could be
        few = first(lambda K: 1 - chance(urn, K, n, k - 1) > tail, least, most)
        many = first(lambda K: chance(urn, K + 1, n, k) <= tail, few, most)
        likely = min(max(k * urn / n, least), most)
        sure = first(lambda K: chance(urn, K + 1, n, k) <= 2 * tail, least, most)
        return Estimate(
            str(self),
            found >= self.target * (before + sure),
            f"a sample of {n:,} with {k:,} relevant",
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
    correction for many tests. That would be too bold where documents really are random, and wrong
    where they come sorted, so what no ranking chose is left out: it is in no urn.
    """

    target: float = 0.95
    confidence: float = 0.95

    @property
    def source(self) -> str:
        return f"{PAPER}: ranked quasi-sampling"

    def __str__(self) -> str:
        return "ranked urn"

    def __call__(self, screening: Screening) -> Estimate:
        found = screening.found
        if not found:
            return Estimate(str(self), False, "nothing relevant has been found")
        urns, alpha = Urns(screening), 1 - self.confidence
        ranked = urns.found
        most = first(lambda total: urns.p(total + 1) < alpha, ranked, ranked + screening.left)
        low = found / (found - ranked + most)
        n, k = urns.strongest(most + 1)
        because = f"of the last {n:,} that the ranking chose, {k:,} were relevant"
        return Estimate(str(self), low >= self.target, because, None, low, 1.0, self.confidence)


class Urns:
    """All samples that end with the last judgement, each with the urn that it was drawn from.

    Of samples with equally many relevant documents the longest is the strongest evidence, so only
    those are kept that begin behind a relevant document, or with the first document.
    """

    def __init__(self, screening: Screening) -> None:
        gains = np.asarray(screening.gains, np.bool_)
        gains = np.delete(gains, list(screening.unranked))
        documents = screening.documents - len(screening.unranked)
        self.found = int(gains.sum())
        curve = np.concatenate([[0], np.cumsum(gains)])
        starts = np.flatnonzero(np.concatenate([[True], gains]))
        if len(starts) > MOST_STARTS:
            spread = np.linspace(0, len(starts) - 1, MOST_STARTS).astype(int)
            starts = starts[spread]
        self._before = curve[starts]
        self._urn, self._n = documents - starts, len(gains) - starts
        self._k = self.found - self._before

    def p(self, total: int) -> float:
        """The smallest p-value of the test that there are so many relevant documents or more."""
        return float(self._tails(total).min())

    def strongest(self, total: int) -> tuple[int, int]:
        """The size of the sample that speaks most against so many, and its relevant ones."""
        at = int(np.argmin(self._tails(total)))
        return int(self._n[at]), int(self._k[at])

    def _tails(self, total: int) -> Floats:
        return tails(self._urn, total - self._before, self._n, self._k)


def tails(urn: Ints, relevant: Ints, n: Ints, k: Ints) -> Floats:
    """P(X ≤ k) for X ~ Hypergeometric, of many at once: n draws from an urn with `relevant`."""
    logs = _log_factorials(int(urn.max()).bit_length())
    there = np.minimum(relevant, urn)
    rows = np.repeat(np.arange(len(k)), k + 1)
    x = np.arange(len(rows)) - np.repeat(np.cumsum(k + 1) - (k + 1), k + 1)
    urn_, n_, there_ = urn[rows], n[rows], there[rows]
    others = urn_ - there_
    inside = (x <= there_) & (x <= n_) & (n_ - x <= others)
    rows, x, urn_, n_, there_, others = (a[inside] for a in (rows, x, urn_, n_, there_, others))

    def choose(a: Ints, b: Ints) -> Floats:
        return np.asarray(logs[a] - logs[b] - logs[a - b])

    terms = np.exp(choose(there_, x) + choose(others, n_ - x) - choose(urn_, n_))
    found = np.minimum(np.bincount(rows, terms, len(k)), 1.0)
    return np.where(relevant > urn, 0.0, found)


@lru_cache(maxsize=2)
def _log_factorials(bits: int) -> Floats:
    from scipy.special import gammaln

    return np.asarray(gammaln(np.arange(2**bits + 1) + 1.0))


def chance(urn: int, relevant: int, n: int, k: int) -> float:
    """P(X ≤ k) for one such X."""
    if relevant > urn or k < 0:
        return 0.0
    if k >= min(n, relevant):
        return 1.0
    one = (np.array([value], np.int64) for value in (urn, relevant, n, k))
    return float(tails(*one)[0])
