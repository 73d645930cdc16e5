"""Several reviewers: how far they agree, where they do not, and what holds for learning."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from likewise.reviews.ledger import Label, Mark

Combine = Literal["any", "majority"]
Votes = dict[str, dict[str, "Mark"]]  # document -> reviewer -> judgement


class Agreement(NamedTuple):
    """Two reviewers on the documents that both have judged; `kappa` is None where undefined."""

    first: str
    second: str
    documents: int
    agreed: int
    kappa: float | None


class Conflict(NamedTuple):
    """A document that some find relevant and others do not; `labels` is by reviewer."""

    document: str
    labels: dict[str, Label]


def kappa(pairs: Iterable[tuple[str, str]]) -> float | None:
    """Cohen's κ = (p_o − p_e) / (1 − p_e): agreement beyond what chance alone would give.

    J. Cohen, A coefficient of agreement for nominal scales, Educational and Psychological
    Measurement 20(1), 1960. Undefined without pairs, and where both always say the same one thing.
    """
    counts = Counter(pairs)
    total = counts.total()
    if not total:
        return None
    rows, columns = Counter[str](), Counter[str]()
    for (one, other), count in counts.items():
        rows[one] += count
        columns[other] += count
    observed = sum(count for (one, other), count in counts.items() if one == other)
    expected = sum(rows[label] * columns[label] for label in rows)
    if expected == total * total:
        return None
    return (observed * total - expected) / (total * total - expected)


def agreement(votes: Votes, reviewers: Iterable[str]) -> list[Agreement]:
    """Every two reviewers who have judged some of the same documents."""
    found = []
    for first, second in combinations(reviewers, 2):
        both = [v for v in votes.values() if first in v and second in v]
        pairs = [(v[first].label, v[second].label) for v in both]
        agreed = sum(one == other for one, other in pairs)
        if pairs:
            found.append(Agreement(first, second, len(pairs), agreed, kappa(pairs)))
    return found


def conflicts(votes: Votes) -> list[Conflict]:
    """Documents called relevant and not, in the order in which they were first judged."""
    found = []
    for document, said in votes.items():
        labels = {reviewer: mark.label for reviewer, mark in said.items()}
        if {"relevant", "not"} <= set(labels.values()):
            found.append(Conflict(document, labels))
    return found


def combined(votes: Votes, how: Combine) -> dict[str, bool]:
    """Relevant or not, of each document on which there is something to learn from."""
    decided = {document: COMBINE[how](said) for document, said in votes.items()}
    return {document: relevant for document, relevant in decided.items() if relevant is not None}


def _any(said: Mapping[str, Mark]) -> bool | None:
    """Relevant if anybody says so: what was kept can still be dropped, what was dropped is lost."""
    labels = {mark.label for mark in said.values()}
    return True if "relevant" in labels else False if "not" in labels else None


def _majority(said: Mapping[str, Mark]) -> bool | None:
    """What more reviewers say; nothing while it is a tie."""
    counts = Counter(mark.label for mark in said.values())
    lead = counts["relevant"] - counts["not"]
    return lead > 0 if lead else None


COMBINE: dict[Combine, Callable[[Mapping[str, Mark]], bool | None]] = {
    "any": _any,
    "majority": _majority,
}
