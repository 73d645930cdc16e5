"""What a review is about, and a reviewer's own keys and words to highlight."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from likewise.reviews import Highlight, Session
from likewise.reviews.keys import ACTIONS
from likewise.reviews.own import COLOURS
from likewise.reviews.protocol import Protocol as Plan
from likewise.server.access import Role
from likewise.server.models.preferences import Highlight as GivenHighlight
from likewise.server.models.preferences import (
    Key,
    NewPreferences,
    Preferences,
    Protocol,
)
from likewise.server.models.sessions import NewProtocol
from likewise.server.routes.common import (
    ALWAYS,
    INDEX,
    TheCaller,
    TheIndex,
    TheParts,
    at_least,
    in_turn,
)
from likewise.server.routes.turns import Reviewer, TheName, TheTurn

router = APIRouter(
    prefix="/indexes/{index}/sessions/{name}", tags=["sessions"], responses=ALWAYS | INDEX
)
REVIEW: Any = {"dependencies": [at_least(Role.review)]}


@router.get("/protocol")
async def get_protocol(turn: TheTurn) -> Protocol:
    """The question, the criteria, and reasons and tags to choose from."""
    return await turn.do(_protocol)


@router.put("/protocol", **REVIEW)
async def put_protocol(
    served: TheIndex, parts: TheParts, caller: TheCaller, name: TheName, new: NewProtocol
) -> Protocol:
    """Change what the review is about; for its owner."""

    def work() -> Protocol:
        session = parts.reviews.owned(served, name, caller)
        return as_protocol(session.plan(**new.model_dump(exclude_none=True)))

    return await in_turn(parts, work)


@router.get("/preferences", **REVIEW)
async def get_preferences(turn: TheTurn, reviewer: Reviewer = None) -> Preferences:
    """The reviewer's keys, and the words that are highlighted for them."""
    return await turn.do(_preferences, reviewer)


@router.put("/preferences", **REVIEW)
async def put_preferences(turn: TheTurn, new: NewPreferences) -> Preferences:
    """Change keys, in all reviews, or the words to highlight in this one."""

    def work(session: Session) -> Preferences:
        if new.keys is not None:
            session.preferences.set_keys(new.keys)
        if new.highlights is not None:
            words = [Highlight(one.word, one.colour) for one in new.highlights]
            session.preferences.highlight(words)
        return _preferences(session)

    return await turn.do(work, new.reviewer)


def _protocol(session: Session) -> Protocol:
    return as_protocol(session.protocol)


def as_protocol(plan: Plan) -> Protocol:
    return Protocol(
        question=plan.question,
        criteria=plan.criteria,
        reasons=list(plan.reasons),
        tags=list(plan.tags),
        require_reason=plan.require_reason,
    )


def _preferences(session: Session) -> Preferences:
    keys = session.preferences.keys
    return Preferences(
        reviewer=session.reviewer,
        keys=[
            Key(action=name, key=keys[name], usual=usual, says=says)
            for name, (usual, says) in ACTIONS.items()
        ],
        highlights=[
            GivenHighlight(word=one.word, colour=one.colour)
            for one in session.preferences.highlights
        ],
        colours=list(COLOURS),
    )
