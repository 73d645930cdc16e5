"""Several reviewers: how far they agree, where they do not, and what holds for learning."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from likewise.reviews.ledger import Label, Mark

Combine = Literal["any", "majority"]
How = Literal["decided", "agreed", "conflict", "open"]
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


def alpha(units: Iterable[Iterable[str]]) -> float | None:
    """Krippendorff's α = 1 − D_o / D_e for nominal data, of any number of reviewers.

    Not everybody need have judged everything: `units` are what was said of each document. After
    K. Krippendorff, Content Analysis, 4th ed., 2018, chapter 12. Undefined where nothing
    was judged twice, and where all always say the same.
    """
    counts = [Counter(said) for said in units]
    pairable = [one for one in counts if one.total() > 1]
    values = Counter[str]()
    differing = 0.0
    for one in pairable:
        values.update(one)
        total = one.total()
        differing += (total * total - sum(n * n for n in one.values())) / (total - 1)
    n = values.total()
    expected = n * n - sum(count * count for count in values.values())
    return 1 - (n - 1) * differing / expected if expected else None


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


def conflicts(
    votes: Votes, agree: int = 1, decided: Mapping[str, Label] | None = None
) -> list[Conflict]:
    """Documents called relevant and not, in the order in which they were first judged.

    Those decided on are none any more, nor those of which enough reviewers say the same.
    """
    decided = decided or {}
    return [
        Conflict(document, {reviewer: mark.label for reviewer, mark in said.items()})
        for document, said in votes.items()
        if final(said, decided.get(document), agree, "any").how == "conflict"
    ]


class Final(NamedTuple):
    """What holds of a document: True is relevant, None neither. `how` says why."""

    relevant: bool | None
    how: How


def final(said: Mapping[str, Mark], decision: Label | None, agree: int, how: Combine) -> Final:
    """A decision goes before votes; then what `agree` reviewers say and fewer deny.

    Until then it is what `how` makes of the votes there are.
    """
    if decision is not None:
        return Final({"relevant": True, "not": False}.get(decision), "decided")
    yes = no = 0  # of thousands of documents at each turn: no Counter
    for mark in said.values():
        yes += mark.label == "relevant"
        no += mark.label == "not"
    if max(yes, no) >= agree and (min(yes, no) == 0 or (agree > 1 and yes != no)):
        return Final(yes > no, "agreed")
    return Final(COMBINE[how](said), "conflict" if yes and no else "open")


def combined(
    votes: Votes, how: Combine, agree: int = 1, decided: Mapping[str, Label] | None = None
) -> dict[str, bool]:
    """Relevant or not, of each document on which there is something to learn from."""
    decided = decided or {}
    found: dict[str, bool] = {}
    for id, said in votes.items():
        if len(said) == 1 and id not in decided:  # most are such, and any rule says the same
            (mark,) = said.values()
            if mark.label != "unsure":
                found[id] = mark.label == "relevant"
        elif (relevant := final(said, decided.get(id), agree, how).relevant) is not None:
            found[id] = relevant
    for id, label in decided.items():
        if id not in votes and label != "unsure":
            found[id] = label == "relevant"
    return found


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
