"""The records that were judged: found by who, what, why and when, and by what the ranking thinks.

A record is worth another look where the ranking disagrees: it is called relevant and is ranked
below most that are not, or the other way round. So that no record vouches for its own label, each
is scored by a ranking that was learned without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from likewise.document import title_of
from likewise.errors import UnknownIdError, UsageError
from likewise.reviews.adjudications import in_force
from likewise.reviews.agreement import final
from likewise.reviews.ledger import LABELS
from likewise.reviews.remarks import NOTHING
from likewise.search.hits import scores_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from likewise.reviews.adjudications import Decision
    from likewise.reviews.agreement import How
    from likewise.reviews.ledger import Entry, Label, Mark, Stage
    from likewise.reviews.live import Live
    from likewise.reviews.remarks import Remark

    Floats = NDArray[np.float64]

FOLDS = 5
What = Literal["judge", "undo", "redo", "note", "decide"]


class Vote(NamedTuple):
    """What one reviewer says of a record."""

    reviewer: str
    label: Label
    at: float
    reasons: tuple[str, ...]
    note: str
    tags: tuple[str, ...]


class JudgedRecord(NamedTuple):
    """A record that was judged, or decided on.

    `label` is what holds, and `how` it came to that: decided, agreed, conflict, or open while
    too few have judged it. `doubt` is above 0.5 where its score is more like those of
    records that were judged the other way: then it deserves another look. None where nothing can be
    compared, and where doubtful records were not asked for.
    """

    document: str
    title: str
    label: Label
    how: How
    votes: tuple[Vote, ...]
    decision: Decision | None
    doubt: float | None
    at: float
    present: bool = False
    """Whether it is in the index still."""

    @property
    def doubtful(self) -> bool:
        return self.doubt is not None and self.doubt > 0.5


class JudgedList(NamedTuple):
    """A part of the records that were asked for, and how many there are in all."""

    records: list[JudgedRecord]
    total: int


class Step(NamedTuple):
    """One thing that happened to a record: judged, undone, redone, noted, or decided."""

    at: float
    by: str
    what: What
    label: Label | None
    stage: Stage | None
    reasons: tuple[str, ...] = ()
    note: str | None = None
    tags: tuple[str, ...] | None = None


class Words(NamedTuple):
    """Reasons and tags that somebody has used, in the order of the alphabet."""

    reasons: list[str]
    tags: list[str]


class Wanted(NamedTuple):
    """Which records; what is None is not asked for. Times are in seconds since 1970."""

    label: str | None = None
    by: str | None = None
    reason: str | None = None
    tag: str | None = None
    how: str | None = None
    since: float | None = None
    until: float | None = None
    doubtful: bool = False

    def checked(self) -> Wanted:
        if self.label not in (None, *LABELS):
            raise UsageError(f"{self.label!r} is no judgement: say {', '.join(LABELS)}")
        if self.how not in (None, "decided", "agreed", "conflict", "open"):
            raise UsageError(f"how is {self.how!r}: say decided, agreed, conflict or open")
        return self


def wanted(**given: Any) -> Wanted:
    unknown = set(given).difference(Wanted._fields)
    if unknown:
        known = ", ".join(Wanted._fields)
        raise UsageError(f"records cannot be chosen by {min(unknown)!r}: give {known}")
    return Wanted(**given)


def judged(live: Live, wanted: Wanted, n: int, offset: int) -> JudgedList:
    """The last judged first; doubtful ones by how strongly the ranking disagrees."""
    if n < 1 or offset < 0:
        raise UsageError(f"{n} records from {offset} on: ask for at least one, from 0 on")
    asked = wanted.checked()
    doubts = live.doubts() if asked.doubtful else {}
    records = [one for one in _all(live, doubts) if _is_wanted(one, asked)]
    if asked.doubtful:
        records.sort(key=lambda one: -(one.doubt or 0.0))
    else:
        records.sort(key=lambda one: -one.at)
    shown = records[offset : offset + n]
    return JudgedList([_titled(live, one) for one in shown], len(records))


def record(live: Live, document: str) -> JudgedRecord:
    """One record, judged or not yet."""
    (number,) = live.documents.numbers([document])
    votes, decided = live.votes(), in_force(live.decisions, live.stage)
    if number < 0 and document not in votes:
        raise UnknownIdError(
            f"no document {document!r} in {live.generation.place}: "
            "it was deleted, or was never there"
        )
    made = _record(live, document, votes.get(document, {}), decided.get(document))
    return _titled(live, made)


def history(live: Live, document: str) -> list[Step]:
    """All that happened to a record, as far as who looks may see it; the first first."""
    steps = [
        *_changes(live.ledger.history, document),
        *(_remarked(one) for one in live.remarks.history if one.document == document),
        *(
            Step(one.at, one.by, "decide", one.label, one.stage, one.reasons, one.note or None)
            for one in live.decisions
            if one.document == document
        ),
    ]
    return sorted(steps, key=lambda step: step.at)


def words_used(live: Live) -> Words:
    """What can be asked for, as far as who looks may see it."""
    marks = (mark for said in live.votes().values() for mark in said.values())
    reasons = {reason for mark in marks for reason in mark.reasons}
    beside = (one for who in live.remarks.reviewers for one in live.remarks.of(who).values())
    return Words(sorted(reasons), sorted({tag for one in beside for tag in one.tags}))


def doubts(live: Live) -> dict[str, float]:
    """By document: how far the ranking disagrees with what holds of it; see JudgedRecord."""
    labels = live.labels()
    known = dict(zip(labels, live.documents.numbers(labels), strict=True))
    labels = {id: label for id, label in labels.items() if known[id] >= 0}
    sides = {side: sorted(id for id in labels if labels[id] is side) for side in (True, False)}
    if min(map(len, sides.values())) < 2:
        return {}
    rng = np.random.default_rng(0)
    folds: list[list[str]] = [[] for _ in range(FOLDS)]
    for ids in sides.values():  # each fold has its part of both
        for place, which in enumerate(rng.permutation(len(ids)).tolist()):
            folds[place % FOLDS].append(ids[which])
    scores: dict[str, float] = {}
    for fold in filter(None, folds):
        rest = {id: label for id, label in labels.items() if id not in set(fold)}
        scores |= _scored(live, rest, fold)
    if not scores:
        return {}
    ranked = {side: np.sort([scores[id] for id in ids]) for side, ids in sides.items()}
    return {
        id: _doubt(scores[id], ranked[label], ranked[not label], label)
        for id, label in labels.items()
    }


def _scored(live: Live, rest: Mapping[str, bool], fold: Sequence[str]) -> dict[str, float]:
    """What a ranking that was learned from the rest makes of these."""
    ranker = live.ranker(live.settings)
    ranker.report = live.report
    ranker.judge(rest)
    query = ranker.query
    if query is None:
        return dict.fromkeys(fold, 0.0)
    weighting = live.settings.weighting if isinstance(query, str) else None
    numbers = live.documents.numbers(fold)
    scores = scores_of(live.generation, query, numbers, weighting)
    return dict(zip(fold, scores.tolist(), strict=True))


def _doubt(score: float, own: Floats, others: Floats, relevant: bool) -> float:
    """p / (p + q): of records judged the other way, p would fit its label as well or better; of
    those judged as it is, q fit theirs as badly or worse.
    """
    p = np.mean(others >= score if relevant else others <= score)
    q = np.mean(own <= score if relevant else own >= score)  # it is one of them
    return float(p / (p + q))


def _all(live: Live, doubts: Mapping[str, float]) -> Iterable[JudgedRecord]:
    votes, decided = live.votes(), in_force(live.decisions, live.stage)
    for document in live.once([*votes, *(id for id in decided if id not in votes)]):
        made = _record(live, document, votes.get(document, {}), decided.get(document))
        yield made._replace(doubt=doubts.get(document))


def _record(
    live: Live, document: str, said: Mapping[str, Mark], decision: Decision | None
) -> JudgedRecord:
    decided = decision.label if decision else None
    relevant, how = final(said, decided, live.team.agree, live.settings.combine)
    label: Label = "unsure" if relevant is None else "relevant" if relevant else "not"
    votes = tuple(_vote(live, document, who, mark) for who, mark in said.items())
    at = max((*(vote.at for vote in votes), decision.at if decision else 0.0))
    return JudgedRecord(document, "", label, how, votes, decision, None, at)


def _vote(live: Live, document: str, who: str, mark: Mark) -> Vote:
    beside = live.remarks.of(who).get(document, NOTHING)
    return Vote(who, mark.label, mark.at, mark.reasons, beside.note, beside.tags)


def _titled(live: Live, one: JudgedRecord) -> JudgedRecord:
    (number,) = live.documents.numbers([one.document])
    if number < 0:
        return one
    return one._replace(title=live.generation.snapshot.read(number, title_of), present=True)


def _is_wanted(one: JudgedRecord, asked: Wanted) -> bool:
    if asked.doubtful and not one.doubtful:
        return False
    if asked.how is not None and one.how != asked.how:
        return False
    if asked.by is None and asked.label is not None and asked.reason is None:
        if one.label != asked.label:
            return False
        label = None  # it is what holds that is asked for
    else:
        label = asked.label
    tests: list[Callable[[Vote], bool]] = []
    if asked.by is not None:
        tests.append(lambda vote: vote.reviewer == asked.by)
    if label is not None:
        tests.append(lambda vote: vote.label == label)
    if asked.reason is not None:
        tests.append(lambda vote: asked.reason in vote.reasons)
    if asked.tag is not None:
        tests.append(lambda vote: asked.tag in vote.tags)
    if asked.since is not None:
        tests.append(lambda vote: vote.at >= (asked.since or 0))
    if asked.until is not None:
        tests.append(lambda vote: vote.at < (asked.until or 0))
    return not tests or any(all(test(vote) for test in tests) for vote in one.votes)


def _changes(entries: Iterable[Entry], document: str) -> Iterable[Step]:
    for entry in entries:
        for one in entry.changes:
            if one.document == document:
                yield Step(
                    *(entry.at, entry.reviewer, entry.action, one.after, one.stage, one.reasons)
                )


def _remarked(one: Remark) -> Step:
    return Step(one.at, one.reviewer, "note", None, None, (), one.note, one.tags)
