"""/v1/indexes/{index}/sessions/{name}/team, conflicts, decisions, assignments: work together."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from likewise.reviews import Session
from likewise.server import teams
from likewise.server.models.team import (
    Assigned,
    ChangedTeam,
    Conflicts,
    NewAssignment,
    NewDecision,
    TeamInfo,
)
from likewise.server.reviews import own
from likewise.server.routes.common import (
    ALWAYS,
    INDEX,
    TheCaller,
    TheParts,
)
from likewise.server.routes.sessions import REVIEW
from likewise.server.routes.turns import Reviewer, TheTurn
from likewise.server.search import check_sizes

router = APIRouter(
    prefix="/indexes/{index}/sessions/{name}", tags=["sessions"], responses=ALWAYS | INDEX
)
Limit = Annotated[int, Query(ge=1, le=1_000)]
Offset = Annotated[int, Query(ge=0)]


@router.get("/team")
async def get_team(turn: TheTurn, reviewer: Reviewer = None) -> TeamInfo:
    """Who judges and who decides, how far each has come, and how well they agree."""
    return await turn.do(teams.team_info, reviewer)


@router.patch("/team", **REVIEW)
async def change_team(turn: TheTurn, caller: TheCaller, changed: ChangedTeam) -> TeamInfo:
    """Say who judges, whether they are blinded, and who decides; for the session's owner."""

    def work(session: Session) -> TeamInfo:
        session.team.change(may=own(caller), **changed.model_dump(exclude_none=True))
        return teams.team_info(session)

    return await turn.do(work)


@router.post("/assignments", **REVIEW)
async def assign_documents(
    turn: TheTurn, parts: TheParts, caller: TheCaller, new: NewAssignment
) -> Assigned:
    """Give records to reviewers, who are shown only theirs from then on; for the owner."""
    check_sizes({"the number of ids": (len(new.ids or ()), parts.limits.documents)})

    def work(session: Session) -> Assigned:
        given = session.team.assign(
            new.per_record, reviewers=new.reviewers, documents=new.ids, may=own(caller)
        )
        return Assigned(assigned=given)

    return await turn.do(work)


@router.delete("/assignments", **REVIEW)
async def unassign_documents(turn: TheTurn, caller: TheCaller) -> Assigned:
    """Take back all that was assigned; for the owner."""

    def work(session: Session) -> Assigned:
        session.team.unassign(may=own(caller))
        return Assigned(assigned={})

    return await turn.do(work)


@router.get("/conflicts")
async def get_conflicts(
    turn: TheTurn,
    parts: TheParts,
    limit: Limit = 100,
    offset: Offset = 0,
    reviewer: Reviewer = None,
) -> Conflicts:
    """Documents that some call relevant and others not, and how far reviewers agree."""
    check_sizes({"offset": (offset, parts.limits.results)})
    return await turn.do(lambda session: teams.conflicts(session, limit, offset), reviewer)


@router.post("/decisions", status_code=204, **REVIEW)
async def decide_conflict(turn: TheTurn, new: NewDecision) -> None:
    """Say what holds where reviewers differ; for the adjudicator or the session's owner."""

    def work(session: Session) -> None:
        session.team.decide(new.id, new.label, reasons=new.reasons, note=new.note)

    await turn.do(work, new.reviewer)
