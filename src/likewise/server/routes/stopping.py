"""/v1/indexes/{index}/sessions/{name}/stats: how far a review is, and whether to stop."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from likewise.reviews import Session
from likewise.reviews.stopping import RULES
from likewise.reviews.stopping.measured import HELD
from likewise.reviews.stopping.verdict import TARGET
from likewise.server import answers
from likewise.server.models.stopping import Estimate, Prospect, Stats, Stopping
from likewise.server.routes.common import (
    ALWAYS,
    INDEX,
)
from likewise.server.routes.turns import Reviewer, TheTurn

router = APIRouter(prefix="/indexes/{index}/sessions", tags=["sessions"], responses=ALWAYS | INDEX)
Target = Annotated[float, Query(gt=0, le=1, description="The recall to reach.")]


@router.get("/{name}/stats")
async def get_stats(turn: TheTurn, reviewer: Reviewer = None, target: Target = TARGET) -> Stats:
    """Progress: counts, the gain curve, whether to stop, and the bounds on recall behind that."""
    return await turn.do(lambda session: _stats(session, target), reviewer)


@router.get("/{name}/prospect")
async def get_prospect(
    turn: TheTurn,
    reviewer: Reviewer = None,
    size: Annotated[int, Query(ge=1, le=1_000)] = 200,
    target: Target = TARGET,
) -> Prospect:
    """What judging a random sample of this size would tell about stopping, at best."""

    def work(session: Session) -> Prospect:
        return Prospect(**session.prospect(size, target=target)._asdict())

    return await turn.do(work, reviewer)


def _stats(session: Session, target: float) -> Stats:
    found = session.stats(RULES, target=target)
    estimates = [
        Estimate(source=rule.source, held=HELD.get(said.rule), **said._asdict())
        for rule, said in zip(RULES, found.estimates, strict=True)
    ]
    return Stats(
        documents=found.documents,
        judged=answers.judged(found),
        passed_over=found.passed_over,
        pages=found.pages,
        reviewers=list(found.reviewers),
        gain=list(found.gain),
        stopping=Stopping(**found.stopping._asdict()),
        estimates=estimates,
        blinded=found.blinded,
        blind=found.blind,
        note=found.note,
    )
