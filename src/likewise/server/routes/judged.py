"""/v1/indexes/{index}/sessions/{name}/judged: the records that were judged, and their histories."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Path, Query

from likewise.reviews import Session
from likewise.reviews import judged as lists
from likewise.server import teams
from likewise.server.answers import stamp
from likewise.server.models import judged as models
from likewise.server.models.sessions import Label, Word
from likewise.server.problems import ProblemError
from likewise.server.routes.common import (
    ALWAYS,
    INDEX,
    TheParts,
)
from likewise.server.routes.turns import Reviewer, TheTurn
from likewise.server.search import check_sizes

router = APIRouter(
    prefix="/indexes/{index}/sessions/{name}/judged", tags=["sessions"], responses=ALWAYS | INDEX
)
TheId = Annotated[str, Path(min_length=1, max_length=2_000, examples=["1806.07419"])]
TheLabel = Annotated[
    Label | None, Query(description="What holds of it; with `by`, what that reviewer says.")
]
By = Annotated[str | None, Query(description="Judged by this reviewer.", max_length=200)]
Reason = Annotated[Word | None, Query(description="With this reason for exclusion.")]
Tag = Annotated[Word | None, Query(description="With this tag.")]
Since = Annotated[
    str | None, Query(description="Judged at this date and time or later.", examples=["2026-01-31"])
]
Until = Annotated[str | None, Query(description="Judged before this date and time.")]
How = Annotated[
    models.How | None, Query(description="How what holds came about, as in the answer.")
]
Doubtful = Annotated[
    bool,
    Query(description="Judged one way and ranked the other; those first that are most doubtful."),
]


@router.get("")
async def list_judged(
    turn: TheTurn,
    parts: TheParts,
    label: TheLabel = None,
    by: By = None,
    reason: Reason = None,
    tag: Tag = None,
    how: How = None,
    since: Since = None,
    until: Until = None,
    doubtful: Doubtful = False,
    limit: Annotated[int, Query(ge=1)] = 50,
    offset: Annotated[int, Query(ge=0)] = 0,
    reviewer: Reviewer = None,
) -> models.JudgedList:
    """Records that were judged, the last first; what is asked for more narrows it down."""
    most = parts.limits.results
    check_sizes({"limit": (limit, most), "offset": (offset, most)})
    times = _time("since", since), _time("until", until)
    wanted = lists.Wanted(label, by, reason, tag, how, *times, doubtful)

    def work(session: Session) -> models.JudgedList:
        found = session.judged(n=limit, offset=offset, **wanted._asdict())
        mine = session.judgements()
        words = session.words_used()
        return models.JudgedList(
            records=[_record(one, mine) for one in found.records],
            total=found.total,
            reviewers=session.reviewers(),
            reasons=words.reasons,
            tags=words.tags,
        )

    return await turn.do(work, reviewer)


@router.get("/{id:path}")
async def get_judged_record(
    turn: TheTurn, id: TheId, reviewer: Reviewer = None
) -> models.RecordInfo:
    """A record within a review: its text, who says what of it, and all that happened to it."""

    def work(session: Session) -> models.RecordInfo:
        found = session.record(id)
        document = session.documents([id])[0] if found.present else None
        return models.RecordInfo(
            id=id,
            title=found.title,
            text=document.text if document else "",
            fields=document.fields if document else {},
            label=found.label if found.votes or found.decision else None,
            how=found.how,
            yours=session.judgements().get(id),
            votes=teams.votes(found.votes),
            decision=teams.decision(found.decision),
            history=[_step(one) for one in session.record_history(id)],
        )

    return await turn.do(work, reviewer)


def _record(one: lists.JudgedRecord, mine: dict[str, Label]) -> models.JudgedRecord:
    return models.JudgedRecord(
        id=one.document,
        title=one.title,
        label=one.label,
        how=one.how,
        yours=mine.get(one.document),
        votes=teams.votes(one.votes),
        decision=teams.decision(one.decision),
        doubt=one.doubt,
        at=stamp(one.at),
    )


def _step(one: lists.Step) -> models.RecordStep:
    return models.RecordStep(
        at=stamp(one.at),
        by=one.by,
        what=one.what,
        label=one.label,
        stage=one.stage,
        reasons=list(one.reasons),
        note=one.note,
        tags=None if one.tags is None else list(one.tags),
    )


def _time(name: str, given: str | None) -> float | None:
    if given is None:
        return None
    try:
        found = datetime.fromisoformat(given)
    except ValueError:
        raise ProblemError(422, f"{name} is {given[:40]!r}: give a date as 2026-01-31") from None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
