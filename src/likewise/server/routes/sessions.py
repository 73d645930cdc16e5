"""/v1/indexes/{index}/sessions: reviews. What was judged is on disk when it is answered."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from fastapi.responses import Response

from likewise.errors import UsageError
from likewise.reviews import Session
from likewise.reviews.ledger import Entry as LedgerEntry
from likewise.server import asking, reviews
from likewise.server.exports import MEDIA_TYPES, export
from likewise.server.models.base import Name
from likewise.server.models.sessions import (
    ChangedSession,
    Conflicts,
    Entered,
    Entry,
    History,
    Judgements,
    ListedSession,
    NewJudgements,
    NewSession,
    NextPage,
    Page,
    SessionInfo,
    SessionList,
    Stats,
    Step,
)
from likewise.server.problems import ProblemError, documented
from likewise.server.routes.common import (
    ALWAYS,
    INDEX,
    HeldIndex,
    TheCaller,
    TheParts,
    at_least,
    in_turn,
)
from likewise.server.shown import Showing
from likewise.server.tally import conflicts_of, stats_of
from likewise.server.tokens import Role

router = APIRouter(prefix="/indexes/{index}/sessions", tags=["sessions"], responses=ALWAYS | INDEX)
REVIEW: Any = {"dependencies": [at_least(Role.review)]}
TheName = Annotated[Name, Path(examples=["soft robots"])]
Reviewer = Annotated[Name | None, Query(description="Who asks; a token's name goes before.")]
Explain = Annotated[int, Query(ge=0, le=100)]
Snippet = Annotated[int, Query(ge=0, le=100_000)]
TEXT = {"schema": {"type": "string"}}
FILE: dict[int | str, dict[str, Any]] = {
    200: {
        "content": dict.fromkeys(MEDIA_TYPES.values(), TEXT)
        | {MEDIA_TYPES["query"]: {"schema": {"type": "object"}}}
    }
}


@router.get("")
async def list_sessions(held: HeldIndex, parts: TheParts) -> SessionList:
    """The sessions of an index, the one last used first."""
    listed = await in_turn(parts, lambda: parts.reviews.listed(held))
    return SessionList(
        sessions=[
            ListedSession(
                name=one.name,
                reviewers=one.reviewers,
                events=one.events,
                created=reviews.stamp(one.created),
                last=None if one.last is None else reviews.stamp(one.last),
            )
            for one in listed
        ]
    )


@router.post("", status_code=201, responses=documented(409), **REVIEW)
async def create_session(
    held: HeldIndex, parts: TheParts, caller: TheCaller, new: NewSession
) -> SessionInfo:
    """Begin a session."""
    limits = parts.limits
    asking.refuse_beyond(
        words=(len(new.words or ""), limits.words),
        positive=(len(new.positive), limits.examples),
        negative=(len(new.negative), limits.examples),
    )
    return await in_turn(parts, lambda: reviews.info(held, parts.reviews.create(held, new, caller)))


@router.get("/{name}")
async def get_session(
    held: HeldIndex, parts: TheParts, caller: TheCaller, name: TheName
) -> SessionInfo:
    """How a session goes about it, and how far it is."""
    return await in_turn(parts, lambda: reviews.info(held, parts.reviews.open(held, name, caller)))


@router.patch("/{name}", responses=documented(409), **REVIEW)
async def change_session(
    held: HeldIndex, parts: TheParts, caller: TheCaller, name: TheName, changed: ChangedSession
) -> SessionInfo:
    """Rename a session, or change how it goes about it."""

    def work() -> SessionInfo:
        choices = changed.model_dump(exclude={"name"}, exclude_none=True)
        parts.reviews.change(held, name, choices, changed.name)
        return reviews.info(held, parts.reviews.open(held, changed.name or name, caller))

    return await in_turn(parts, work)


@router.delete("/{name}", status_code=204, **REVIEW)
async def delete_session(held: HeldIndex, parts: TheParts, name: TheName) -> None:
    """Delete a session with all its judgements."""
    await in_turn(parts, lambda: parts.reviews.delete(held, name))


@router.get("/{name}/page", **REVIEW)
async def get_page(
    held: HeldIndex,
    parts: TheParts,
    caller: TheCaller,
    name: TheName,
    reviewer: Reviewer = None,
    explain: Explain = 0,
    snippet: Snippet = 300,
) -> Page:
    """The page last shown, while something on it waits to be judged, or else the next one."""

    def work(session: Session) -> Page:
        began = time.perf_counter()
        return reviews.page_of(session, session.page, Showing(explain, snippet), began)

    return await in_turn(parts, lambda: parts.reviews.turn(held, name, caller, reviewer, work))


@router.post("/{name}/page", **REVIEW)
async def show_next_page(
    held: HeldIndex, parts: TheParts, caller: TheCaller, name: TheName, wanted: NextPage
) -> Page:
    """The next page, whatever of the last one was judged."""

    def work(session: Session) -> Page:
        return reviews.next_page(session, wanted)

    who = wanted.reviewer
    return await in_turn(parts, lambda: parts.reviews.turn(held, name, caller, who, work))


@router.get("/{name}/judgements")
async def get_judgements(
    held: HeldIndex, parts: TheParts, caller: TheCaller, name: TheName, reviewer: Reviewer = None
) -> Judgements:
    """A reviewer's judgements in force."""

    def work() -> Judgements:
        session = parts.reviews.open(held, name, caller, reviewer)
        return Judgements(reviewer=session.reviewer, judgements=session.judgements())

    return await in_turn(parts, work)


@router.post("/{name}/judgements", responses=documented(409), **REVIEW)
async def judge(
    held: HeldIndex, parts: TheParts, caller: TheCaller, name: TheName, new: NewJudgements
) -> Entered:
    """Judge documents and, with `next`, go on: the answer then has the next page."""

    def work(session: Session) -> Entered:
        reviews.judge(session, new)
        page = reviews.next_page(session, new.next) if new.next else None
        return Entered(entered=len(new.judgements), page=page)

    who = new.reviewer
    return await in_turn(parts, lambda: parts.reviews.turn(held, name, caller, who, work))


@router.post("/{name}/undo", responses=documented(409), **REVIEW)
async def undo(
    held: HeldIndex, parts: TheParts, caller: TheCaller, name: TheName, step: Step
) -> Entry:
    """Take back the last thing that the reviewer did."""
    session = await in_turn(parts, lambda: parts.reviews.open(held, name, caller, step.reviewer))
    return await in_turn(parts, lambda: _step(session.undo))


@router.post("/{name}/redo", responses=documented(409), **REVIEW)
async def redo(
    held: HeldIndex, parts: TheParts, caller: TheCaller, name: TheName, step: Step
) -> Entry:
    """Do again what was undone last."""
    session = await in_turn(parts, lambda: parts.reviews.open(held, name, caller, step.reviewer))
    return await in_turn(parts, lambda: _step(session.redo))


@router.get("/{name}/history")
async def get_history(
    held: HeldIndex,
    parts: TheParts,
    caller: TheCaller,
    name: TheName,
    limit: Annotated[int, Query(ge=1)] = 100,
    offset: Annotated[int, Query(ge=0)] = 0,
) -> History:
    """Everything that was ever done, by all reviewers, the last first."""
    most = parts.limits.results
    asking.refuse_beyond(limit=(limit, most), offset=(offset, most))

    def work() -> History:
        entries = parts.reviews.open(held, name, caller).history()[::-1]
        shown = entries[offset : offset + limit]
        return History(entries=list(map(reviews.entry, shown)), total=len(entries))

    return await in_turn(parts, work)


@router.get("/{name}/stats")
async def get_stats(held: HeldIndex, parts: TheParts, caller: TheCaller, name: TheName) -> Stats:
    """How far it is: counts, the gain curve, and what published rules say about stopping."""
    return await in_turn(parts, lambda: stats_of(parts.reviews.open(held, name, caller)))


@router.get("/{name}/conflicts")
async def get_conflicts(
    held: HeldIndex, parts: TheParts, caller: TheCaller, name: TheName
) -> Conflicts:
    """Documents that some call relevant and others not, and how far reviewers agree."""
    return await in_turn(
        parts, lambda: conflicts_of(held.current, parts.reviews.open(held, name, caller))
    )


@router.get("/{name}/export", response_class=Response, responses=FILE | documented(409))
async def export_session(
    held: HeldIndex,
    parts: TheParts,
    caller: TheCaller,
    name: TheName,
    format: Literal["csv", "jsonl", "qrels", "ris", "query"] = "csv",
) -> Response:
    """Judgements, relevant documents (ris), or the query that was learned, as a file."""
    return await in_turn(
        parts, lambda: export(held, parts.reviews.open(held, name, caller), format)
    )


def _step(step: Callable[[], LedgerEntry]) -> Entry:
    try:
        return reviews.entry(step())
    except UsageError as error:  # there is nothing to take back, or to do again
        raise ProblemError(409, str(error)) from error
