"""What a publication needs of a review."""

from __future__ import annotations

from pydantic import Field

from likewise.server.models.base import Answer


class FullText(Answer):
    """The second stage: reports of what was relevant by title and abstract."""

    sought: int = Field(examples=[66])
    not_retrieved: int = Field(examples=[3])
    assessed: int = Field(examples=[61])
    excluded: dict[str, int] = Field(
        description="By reason, the most frequent first.", examples=[{"wrong population": 12}]
    )
    undecided: int = 0
    waiting: int = Field(description="Not judged yet.", examples=[2])


class Flow(Answer):
    """The counts of PRISMA 2020: records, each of one paper."""

    sources: dict[str, int] = Field(
        description="As given or, without, by the files that were read.",
        examples=[{"PubMed": 812}],
    )
    identified: int = Field(examples=[4491])
    duplicates: int = Field(description="Removed before screening.", examples=[12])
    removed: int = Field(description="For other reasons, before screening.", examples=[0])
    unreadable: int = Field(
        description="Places in the files that could not be read, records or not.", examples=[0]
    )
    screened: int = Field(examples=[4479])
    excluded: int = Field(description="By reviewers.", examples=[311])
    not_reached: int = Field(
        description="Judged by nobody: left out by the ranking when screening ended.",
        examples=[4100],
    )
    undecided: int = 0
    relevant: int = Field(description="By title and abstract.", examples=[66])
    reasons: dict[str, int] = Field(description="Of exclusion by title and abstract.")
    full_text: FullText | None = None
    included: int = Field(examples=[41])


class Report(Answer):
    flow: Flow
    methods: str = Field(description="A text for the methods section.")
