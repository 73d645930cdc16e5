"""/v1/indexes/{index}/sessions: reviews. What was judged is on disk when it is answered."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import Response

from likewise.errors import UsageError
from likewise.reviews import Session
from likewise.reviews.exports import Which
from likewise.reviews.ledger import Entry as LedgerEntry
from likewise.server import answers, exports, reviews, shown
from likewise.server.access import Role
from likewise.server.answers import Detail
from likewise.server.causes import Cause
from likewise.server.exports import REVIEW_FILE, TheReviewFormat
from likewise.server.models.base import Name
from likewise.server.models.sessions import (
    ChangedSession,
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
    Step,
)
from likewise.server.problems import ProblemError, documented, of_error
from likewise.server.routes.common import (
    ALWAYS,
    INDEX,
    TheCaller,
    TheIndex,
    TheParts,
    TheStop,
    at_least,
    in_turn,
)
from likewise.server.routes.turns import Reviewer, TheName, TheTurn
from likewise.server.search import check_sizes, example_sizes

router = APIRouter(prefix="/indexes/{index}/sessions", tags=["sessions"], responses=ALWAYS | INDEX)
REVIEW: Any = {"dependencies": [at_least(Role.review)]}
Whose = Annotated[Name | None, Query(description="Whose; your own by default.")]
Explain = Annotated[int, Query(ge=0, le=100)]
Snippet = Annotated[int, Query(ge=0, le=100_000)]


@router.get("")
async def list_sessions(served: TheIndex, parts: TheParts) -> SessionList:
    """The sessions of an index, the one last used first."""
    listed = await in_turn(parts, lambda: parts.reviews.listed(served))
    return SessionList(
        sessions=[
            ListedSession(
                name=one.name,
                owner=one.owner,
                archived=one.archived,
                reviewers=one.reviewers,
                events=one.events,
                created=answers.stamp(one.created),
                last=None if one.last is None else answers.stamp(one.last),
            )
            for one in listed
        ]
    )


@router.post("", status_code=201, responses=documented(409), **REVIEW)
async def create_session(
    served: TheIndex, parts: TheParts, caller: TheCaller, new: NewSession
) -> SessionInfo:
    """Begin a session."""
    limits = parts.limits
    check_sizes(
        {"words": (len(new.words or ""), limits.words)}
        | example_sizes(new.positive, new.negative, limits)
    )
    return await in_turn(
        parts,
        lambda: answers.session_info(served, parts.reviews.create(served, new, caller), caller),
    )


@router.get("/{name}")
async def get_session(
    served: TheIndex,
    parts: TheParts,
    caller: TheCaller,
    name: TheName,
    reviewer: Reviewer = None,
) -> SessionInfo:
    """A session's settings and its progress."""

    def work() -> SessionInfo:
        session = parts.reviews.open(served, name, caller, reviewer)
        return answers.session_info(served, session, caller)

    return await in_turn(parts, work)


@router.patch("/{name}", responses=documented(409), **REVIEW)
async def change_session(
    served: TheIndex, parts: TheParts, caller: TheCaller, name: TheName, changed: ChangedSession
) -> SessionInfo:
    """Rename a session, change its settings, or give it to another owner; for its owner."""

    def work() -> SessionInfo:
        parts.reviews.change(served, name, changed, caller)
        now = parts.reviews.open(served, changed.name or name, caller)
        return answers.session_info(served, now, caller)

    return await in_turn(parts, work)


@router.delete("/{name}", status_code=204, **REVIEW)
async def delete_session(
    served: TheIndex, parts: TheParts, caller: TheCaller, name: TheName
) -> None:
    """Delete a session with all its judgements; for its owner."""
    await in_turn(parts, lambda: parts.reviews.delete(served, name, caller))


@router.get("/{name}/page", response_model=Page, **REVIEW)
async def get_page(
    turn: TheTurn,
    stop: TheStop,
    reviewer: Reviewer = None,
    explain: Explain = 0,
    snippet: Snippet = 300,
) -> Response:
    """The page last shown, while something on it waits to be judged, or else the next one."""

    def work(session: Session) -> Response:
        began = time.perf_counter()
        detail = Detail(explain, snippet, stop.check)
        return shown.response(shown.page(session, session.page, detail, began))

    return await turn.do(work, reviewer)


@router.post("/{name}/page", response_model=Page, **REVIEW)
async def show_next_page(turn: TheTurn, wanted: NextPage, stop: TheStop) -> Response:
    """The next page, even if documents of the last one are not judged."""

    def work(session: Session) -> Response:
        return shown.response(reviews.next_page(session, wanted, stop))

    return await turn.do(work, wanted.reviewer)


@router.get("/{name}/judgements")
async def get_judgements(
    served: TheIndex, parts: TheParts, caller: TheCaller, name: TheName, reviewer: Whose = None
) -> Judgements:
    """A reviewer's judgements in force: one's own, or those of `reviewer`."""
    if parts.tokens is not None and not (reviewer or caller.name):
        raise ProblemError(422, "your token has no name: say whose judgements, with reviewer")

    def work() -> Judgements:
        session = parts.reviews.open(served, name, caller)
        who = reviewer or session.reviewer
        return Judgements(reviewer=who, judgements=session.judgements(who))

    return await in_turn(parts, work)


@router.post("/{name}/judgements", response_model=Entered, responses=documented(409), **REVIEW)
async def judge_documents(turn: TheTurn, new: NewJudgements, stop: TheStop) -> Response:
    """Judge documents and, with `next`, go on: the answer then has the next page, or none if
    finding it took too long.
    """

    def work(session: Session) -> Response:
        reviews.judge(session, new)
        page = reviews.page_in_time(session, new.next, stop) if new.next else None
        return shown.response(shown.Entered(len(new.judgements), page))

    return await turn.do(work, new.reviewer)


@router.post("/{name}/undo", responses=documented(409), **REVIEW)
async def undo_judgements(turn: TheTurn, step: Step) -> Entry:
    """Undo the reviewer's last step."""
    return await turn.do(lambda session: _step(session.undo), step.reviewer)


@router.post("/{name}/redo", responses=documented(409), **REVIEW)
async def redo_judgements(turn: TheTurn, step: Step) -> Entry:
    """Redo what was undone last."""
    return await turn.do(lambda session: _step(session.redo), step.reviewer)


@router.get("/{name}/history")
async def get_history(
    turn: TheTurn,
    parts: TheParts,
    limit: Annotated[int, Query(ge=1)] = 100,
    offset: Annotated[int, Query(ge=0)] = 0,
    reviewer: Reviewer = None,
) -> History:
    """All steps of all reviewers, the last first."""
    most = parts.limits.results
    check_sizes({"limit": (limit, most), "offset": (offset, most)})

    def work(session: Session) -> History:
        entries = session.history()[::-1]
        shown = entries[offset : offset + limit]
        return History(entries=list(map(answers.entry, shown)), total=len(entries))

    return await turn.do(work, reviewer)


@router.get("/{name}/export", response_class=Response, responses=REVIEW_FILE | documented(409))
async def export_session(
    turn: TheTurn,
    format: TheReviewFormat = "csv",
    records: Annotated[
        Which, Query(description="Those judged, those judged relevant, or all of the index.")
    ] = "judged",
    reviewer: Reviewer = None,
) -> Response:
    """Documents with their judgements, or the query that was learned, as a file."""

    def work(session: Session) -> Response:
        return exports.review(session, format, records)

    return await turn.do(work, reviewer)


def _step(step: Callable[[], LedgerEntry]) -> Entry:
    try:
        return answers.entry(step())
    except UsageError as error:  # there is nothing to take back, or to do again
        raise of_error(error, {}, Cause.not_ready) from error
