"""Measures of rankings and of screening effort, as values whose `str` is their name.

A `Measure` takes which of the ranked documents are relevant, best first, and the number of relevant
documents in all, ranked or not. A topic without relevant documents scores 0.

An `Effort` takes all documents in the order in which they were judged; those that were never
reached come last, and those known at the start are left out. `Loss` and `NDCG` are those of
ASReview 3 (asreview.metrics).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from likewise.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    Relevance = NDArray[np.bool_]


class Measure(Protocol):
    def __call__(self, relevance: Relevance, n_relevant: int) -> float:
        """The value for one ranking."""


class Effort(Protocol):
    def __call__(self, relevance: Relevance) -> float:
        """The value for one screening."""


def ranked(scores: ArrayLike, labels: ArrayLike) -> Relevance:
    """Whether each document is relevant, by descending score, ties in document order."""
    scores, labels = np.asarray(scores), np.asarray(labels)
    if scores.ndim != 1 or scores.shape != labels.shape:
        raise UsageError(f"scores of shape {scores.shape} for labels of shape {labels.shape}")
    if np.isnan(scores).any():
        raise UsageError("a score is nan: documents can be ranked only by numbers")
    relevance: Relevance = labels[np.argsort(-scores, kind="stable")] > 0
    return relevance


def _check_cut(k: int | None) -> None:
    if k is not None and k < 1:
        raise UsageError(f"k is {k}: a measure of the first k needs k of 1 or more")


def _check_percent(percent: int) -> None:
    if not 0 < percent <= 100:
        raise UsageError(f"a share of {percent} %: it must be above 0 and at most 100 %")


@dataclass(frozen=True)
class AveragePrecision:
    """Mean over all relevant documents of the precision at its rank; 0 if it is not found.

    With k, only the first k documents count: AP@1000 is trec_eval's value for the usual run.
    """

    k: int | None = None

    def __post_init__(self) -> None:
        _check_cut(self.k)

    def __call__(self, relevance: Relevance, n_relevant: int) -> float:
        ranks = _ranks(relevance, n_relevant)
        seen = ranks if self.k is None else ranks[ranks <= self.k]
        return _share(np.sum(np.arange(1, len(seen) + 1) / seen), n_relevant)

    def __str__(self) -> str:
        return "AP" if self.k is None else f"AP@{self.k}"


@dataclass(frozen=True)
class _Cut:
    """A measure of the first k."""

    k: int

    def __post_init__(self) -> None:
        _check_cut(self.k)


class PrecisionAt(_Cut):
    """Relevant documents among the first k, divided by k even if fewer were ranked."""

    def __call__(self, relevance: Relevance, n_relevant: int) -> float:
        return _found(relevance, n_relevant, self.k) / self.k

    def __str__(self) -> str:
        return f"P@{self.k}"


class RecallAt(_Cut):
    """Relevant documents among the first k, as a share of all relevant documents."""

    def __call__(self, relevance: Relevance, n_relevant: int) -> float:
        return _share(_found(relevance, n_relevant, self.k), n_relevant)

    def __str__(self) -> str:
        return f"R@{self.k}"


@dataclass(frozen=True)
class RPrecision:
    """Precision at R, the number of relevant documents: the break-even point (PRBEP)."""

    def __call__(self, relevance: Relevance, n_relevant: int) -> float:
        return _share(_found(relevance, n_relevant, n_relevant), n_relevant)

    def __str__(self) -> str:
        return "Rprec"


class NDCGAt(_Cut):
    """Gain 1/log2(1 + rank) of each relevant document in the first k, over the best possible."""

    def __call__(self, relevance: Relevance, n_relevant: int) -> float:
        ranks = _ranks(relevance, n_relevant)
        best = np.arange(1, min(self.k, n_relevant) + 1)
        return _share(_gain(ranks[ranks <= self.k]), _gain(best))

    def __str__(self) -> str:
        return f"nDCG@{self.k}"


@dataclass(frozen=True)
class RocAuc:
    """Share of pairs with the relevant document first; the ranking must have all documents."""

    def __call__(self, relevance: Relevance, n_relevant: int) -> float:
        ranks = _ranks(relevance, n_relevant)
        n_others = len(relevance) - n_relevant
        if len(ranks) < n_relevant:
            raise UsageError(f"AUC needs all documents ranked: {len(ranks)} of {n_relevant} found")
        if n_relevant == 0 or n_others == 0:
            raise UsageError(
                f"AUC needs both classes: {n_relevant} of {len(relevance)} are relevant"
            )
        others_above = int(np.sum(ranks - np.arange(1, n_relevant + 1)))
        return 1 - others_above / (n_relevant * n_others)

    def __str__(self) -> str:
        return "AUC"


_PLAIN: dict[str, Measure] = {
    "ap": AveragePrecision(),
    "rprec": RPrecision(),
    "prbep": RPrecision(),
    "auc": RocAuc(),
}
_AT_K: dict[str, Callable[[int], Measure]] = {
    "ap": AveragePrecision,
    "p": PrecisionAt,
    "r": RecallAt,
    "ndcg": NDCGAt,
}


def parse(name: str) -> Measure:
    """The measure of a name such as "AP" or "nDCG@20", ignoring case."""
    if (plain := _PLAIN.get(name.lower())) is not None:
        return plain
    found = re.fullmatch(r"(ap|p|r|ndcg)@([1-9][0-9]*)", name.lower())
    if found is None:
        raise UsageError(
            f"unknown measure {name!r}: use AP, AP@k, AUC, Rprec, P@k, R@k or nDCG@k, "
            "with k from 1 up"
        )
    return _AT_K[found[1]](int(found[2]))


def interpolated(relevance: Relevance, n_relevant: int) -> list[float]:
    """The precision at recall 0, 0.1, … 1: the best at any rank with at least that recall."""
    ranks = _ranks(relevance, n_relevant)
    precision = np.arange(1, len(ranks) + 1) / ranks
    best = np.maximum.accumulate(precision[::-1])[::-1]
    needed = [max(-(-level * n_relevant // 10), 1) for level in range(11)]
    return [float(best[n - 1]) if n <= len(best) else 0.0 for n in needed]


@dataclass(frozen=True)
class Loss:
    """The area between the recall curve and the best possible one, over its maximum."""

    def __call__(self, relevance: Relevance) -> float:
        ranks, others = _all_ranks(relevance), len(relevance) - int(relevance.sum())
        if not others:
            raise UsageError("all documents are relevant: loss needs non-relevant ones, too")
        return float((ranks - np.arange(1, len(ranks) + 1)).mean() / others)

    def __str__(self) -> str:
        return "loss"


@dataclass(frozen=True)
class NDCG:
    """Gain 1/log2(1 + rank) of each relevant document, over the best possible."""

    def __call__(self, relevance: Relevance) -> float:
        ranks = _all_ranks(relevance)
        return _share(_gain(ranks), _gain(np.arange(1, len(ranks) + 1)))

    def __str__(self) -> str:
        return "NDCG"


@dataclass(frozen=True)
class WorkSaved:
    """WSS: the share of documents left when a share of the relevant ones is found, minus that of a
    random order (Cohen et al., JAMIA 2006).
    """

    percent: int = 95

    def __post_init__(self) -> None:
        _check_percent(self.percent)

    def __call__(self, relevance: Relevance) -> float:
        ranks = _all_ranks(relevance)
        needed = -(-self.percent * len(ranks) // 100)
        return float(1 - ranks[needed - 1] / len(relevance) - (1 - self.percent / 100))

    def __str__(self) -> str:
        return f"WSS@{self.percent}"


@dataclass(frozen=True)
class RecallAtShare:
    """The share of relevant documents found in the first `percent` % of all documents."""

    percent: int = 10

    def __post_init__(self) -> None:
        _check_percent(self.percent)

    def __call__(self, relevance: Relevance) -> float:
        seen = len(relevance) * self.percent // 100
        return float((_all_ranks(relevance) <= seen).mean())

    def __str__(self) -> str:
        return f"recall@{self.percent}%"


@dataclass(frozen=True)
class TimeToDiscovery:
    """ATD, average time to discovery: the share of documents judged until a relevant one is found,
    averaged over the relevant ones (Ferdinands et al., Systematic Reviews 2023).
    """

    def __call__(self, relevance: Relevance) -> float:
        return float(_all_ranks(relevance).mean() / len(relevance))

    def __str__(self) -> str:
        return "ATD"


EFFORTS: tuple[Effort, ...] = (
    Loss(),
    NDCG(),
    WorkSaved(),
    RecallAtShare(),
    TimeToDiscovery(),
)


def recall_curve(relevance: Relevance) -> NDArray[np.float64]:
    """The share of relevant documents found after each document."""
    found = np.cumsum(relevance)
    return found / max(int(found[-1]) if len(found) else 0, 1)


def _ranks(relevance: Relevance, n_relevant: int) -> NDArray[np.intp]:
    """The ranks, from 1, of the relevant documents found."""
    ranks = np.flatnonzero(relevance) + 1
    if len(ranks) > n_relevant:
        raise UsageError(f"{len(ranks)} relevant documents ranked, but only {n_relevant} in all")
    return ranks


def _found(relevance: Relevance, n_relevant: int, k: int) -> int:
    return int(np.count_nonzero(_ranks(relevance, n_relevant) <= k))


def _gain(ranks: NDArray[np.intp]) -> float:
    return float(np.sum(1 / np.log2(1 + ranks)))


def _share(part: float, whole: float) -> float:
    return float(part / whole) if whole else 0.0


def _all_ranks(relevance: Relevance) -> NDArray[np.intp]:
    ranks = np.flatnonzero(relevance) + 1
    if not len(ranks):
        raise UsageError("no document is relevant: this measure needs at least one")
    return ranks
