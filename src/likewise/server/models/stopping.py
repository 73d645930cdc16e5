"""Progress of a session, and whether to stop, as JSON."""

from __future__ import annotations

from pydantic import Field

from likewise.server.models.base import Answer
from likewise.server.models.sessions import Judged


class Estimate(Answer):
    """Bounds on recall by a published rule."""

    rule: str
    source: str = Field(description="Where it was published.")
    stop: bool
    because: str
    recall: float | None
    low: float | None
    high: float | None
    confidence: float | None
    held: float | None = Field(
        description="How often such bounds held the truth on open reviews, of all moments."
    )


class Stopping(Answer):
    """Whether to stop, in one sentence."""

    stop: bool = Field(description="True only where a bound on recall has reached the target.")
    sentence: str = Field(examples=["Go on: the last relevant record was 12 records ago."])
    since: int | None = Field(description="Documents judged since the last relevant one.")
    low: float | None = Field(description="The share of the relevant ones found, at least.")
    confidence: float
    target: float
    rule: str | None = Field(description="The rule that gives this bound.")


class Stats(Answer):
    documents: int = Field(description="That can be judged.", examples=[2000])
    judged: Judged
    passed_over: int = Field(description="Shown and judged by nobody.", examples=[4])
    pages: int = Field(examples=[5])
    reviewers: list[str]
    gain: list[int] = Field(
        description="Relevant documents found after each document judged.", examples=[[0, 1, 1]]
    )
    stopping: Stopping
    estimates: list[Estimate] = Field(description="The bounds behind it.")
    blinded: bool = Field(description="Whether votes are hidden until all have judged.")
    blind: bool = Field(
        description="Whether others' votes are hidden from you: these are your numbers."
    )
    note: str = Field(
        description="Whose numbers these are, where the session is blinded.", examples=[""]
    )


class Prospect(Answer):
    """What a random sample would tell, if nothing in it were relevant."""

    size: int = Field(examples=[200])
    low: float | None = Field(description="The share of the relevant ones found, at least.")
    needed: int | None = Field(description="The size that would reach the target.")
    target: float
    confidence: float
