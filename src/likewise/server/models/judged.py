"""The records that were judged, and what happened to each."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from likewise.server.models.base import Answer
from likewise.server.models.sessions import Label, Stage
from likewise.server.models.team import Decision, Vote

How = Literal["decided", "agreed", "conflict", "open"]


class JudgedRecord(Answer):
    id: str
    title: str = Field(description="Empty where it has left the index.")
    label: Label = Field(description="What holds: what was decided, or what the votes add up to.")
    how: How = Field(
        description="decided; agreed by as many as must; a conflict; or open, while too few say so."
    )
    yours: Label | None = Field(description="What you say of it.")
    votes: list[Vote]
    decision: Decision | None
    doubt: float | None = Field(
        description="With `doubtful`: how much more its score is like those judged the other way; "
        "above 0.5 it deserves another look.",
        examples=[0.8],
    )
    at: str = Field(examples=["2026-01-31T12:00:00Z"])


class JudgedList(Answer):
    records: list[JudgedRecord]
    total: int = Field(description="Of all that were asked for.", examples=[120])
    reviewers: list[str] = Field(description="To choose from, as for reasons and tags.")
    reasons: list[str]
    tags: list[str]


class RecordStep(Answer):
    """Something that happened to a record: judge, undo, redo, note or decide."""

    at: str = Field(examples=["2026-01-31T12:00:00Z"])
    by: str = Field(examples=["ada"])
    what: Literal["judge", "undo", "redo", "note", "decide"]
    label: Label | None
    stage: Stage | None
    reasons: list[str]
    note: str | None
    tags: list[str] | None


class RecordInfo(Answer):
    """A record within a review."""

    id: str
    title: str
    text: str
    fields: dict[str, Any]
    label: Label | None = Field(description="What holds; null where nobody has judged it.")
    how: How
    yours: Label | None
    votes: list[Vote]
    decision: Decision | None
    history: list[RecordStep] = Field(description="The first first.")
