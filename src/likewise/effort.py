"""What a screening cost: measures as values whose `str` is their name.

A measure sees which documents were relevant in the order they were looked at, all documents
included: those that were never reached are behind the others. What was known beforehand is no
part of it. `Loss` and `NDCG` are those of ASReview 3 (asreview.metrics).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from likewise.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Relevance = NDArray[np.bool_]
    Ranks = NDArray[np.intp]


class Effort(Protocol):
    def __call__(self, relevance: Relevance) -> float:
        """The value for one screening."""


@dataclass(frozen=True)
class Loss:
    """The area between the recall curve and the best there can be, over that area's most."""

    def __call__(self, relevance: Relevance) -> float:
        ranks, others = _ranks(relevance), len(relevance) - int(relevance.sum())
        if not others:
            raise UsageError("all documents are relevant: there is no order to lose by")
        return float((ranks - np.arange(1, len(ranks) + 1)).mean() / others)

    def __str__(self) -> str:
        return "loss"


@dataclass(frozen=True)
class NDCG:
    """Gain 1/log2(1 + rank) of each relevant document, over the most there can be."""

    def __call__(self, relevance: Relevance) -> float:
        ranks = _ranks(relevance)
        best = np.arange(1, len(ranks) + 1)
        return float((1 / np.log2(1 + ranks)).sum() / (1 / np.log2(1 + best)).sum())

    def __str__(self) -> str:
        return "NDCG"


@dataclass(frozen=True)
class WorkSaved:
    """WSS: the share of documents left when a share of the relevant ones is found, minus what
    chance would have left (Cohen et al., JAMIA 2006).
    """

    percent: int = 95

    def __post_init__(self) -> None:
        _check_percent(self.percent)

    def __call__(self, relevance: Relevance) -> float:
        ranks = _ranks(relevance)
        needed = -(-self.percent * len(ranks) // 100)
        return float(1 - ranks[needed - 1] / len(relevance) - (1 - self.percent / 100))

    def __str__(self) -> str:
        return f"WSS@{self.percent}"


@dataclass(frozen=True)
class RecallAtShare:
    """The share of relevant documents among the first so many of a hundred."""

    percent: int = 10

    def __post_init__(self) -> None:
        _check_percent(self.percent)

    def __call__(self, relevance: Relevance) -> float:
        seen = len(relevance) * self.percent // 100
        return float((_ranks(relevance) <= seen).mean())

    def __str__(self) -> str:
        return f"recall@{self.percent}%"


@dataclass(frozen=True)
class TimeToDiscovery:
    """ATD: the share of documents looked at until a relevant one is found, on average over them
    (Ferdinands et al., Systematic Reviews 2023).
    """

    def __call__(self, relevance: Relevance) -> float:
        return float(_ranks(relevance).mean() / len(relevance))

    def __str__(self) -> str:
        return "ATD"


def recall_curve(relevance: Relevance) -> NDArray[np.float64]:
    """The share of relevant documents found after each document."""
    found = np.cumsum(relevance)
    return found / max(int(found[-1]) if len(found) else 0, 1)


def _ranks(relevance: Relevance) -> Ranks:
    ranks = np.flatnonzero(relevance) + 1
    if not len(ranks):
        raise UsageError("no document is relevant: there is nothing to find")
    return ranks


def _check_percent(percent: int) -> None:
    if not 0 < percent <= 100:
        raise UsageError(f"{percent} %: a share is above 0 and at most 100 %")


EFFORTS: tuple[Effort, ...] = (
    Loss(),
    NDCG(),
    WorkSaved(),
    RecallAtShare(),
    TimeToDiscovery(),
)
