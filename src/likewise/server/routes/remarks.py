"""Notes and tags beside documents of a review, whether these are judged or not."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import Field

from likewise.reviews import Session
from likewise.server.access import Role
from likewise.server.models.base import Answer, Given, Id
from likewise.server.models.sessions import Reviewer, Word
from likewise.server.problems import ProblemError
from likewise.server.routes.common import (
    ALWAYS,
    INDEX,
    at_least,
)
from likewise.server.routes.turns import TheTurn

router = APIRouter(
    prefix="/indexes/{index}/sessions/{name}/remarks", tags=["sessions"], responses=ALWAYS | INDEX
)


class NewRemark(Given):
    """A note or tags in place of one's own; an empty note, and no tags, take away what is there."""

    id: Id = Field(examples=["1806.07419"])
    note: str | None = Field(default=None, max_length=100_000, examples=["see table 2"])
    tags: list[Word] | None = Field(default=None, max_length=100, examples=[["ask ben"]])
    reviewer: Reviewer | None = None


class Remark(Answer):
    id: str
    reviewer: str
    note: str
    tags: list[str]


@router.post("", dependencies=[at_least(Role.review)])
async def write_remark(turn: TheTurn, new: NewRemark) -> Remark:
    """Write a note or tags beside a document; the answer has both as they are then."""
    if new.note is None and new.tags is None:
        raise ProblemError(422, "there is nothing to write: give note or tags")

    def work(session: Session) -> Remark:
        session.annotate(new.id, note=new.note, tags=new.tags)
        now = session.said([new.id])[new.id]
        return Remark(id=new.id, reviewer=session.reviewer, note=now.note, tags=list(now.tags))

    return await turn.do(work, new.reviewer)
