"""Searches and changes that run as jobs."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from likewise.server.models.base import Answer
from likewise.server.models.duplicates import DuplicateList
from likewise.server.models.indexes import Added, Merged
from likewise.server.models.search import BatchAnswer, SearchAnswer
from likewise.server.models.uploads import MadeIndex, UploadPreview
from likewise.server.models.views import ViewList
from likewise.server.problems import ProblemDetails

State = Literal["queued", "running", "done", "failed", "cancelled"]


class JobInfo(Answer):
    id: str = Field(examples=["j-7Qd1…"])
    index: str = Field(examples=["papers"])
    state: State = Field(examples=["running"])
    created: str = Field(examples=["2026-01-31T12:00:00Z"])
    seconds: float = Field(description="Spent so far, waiting included.", examples=[1.5])
    passes: int = Field(description="Over the documents, so far.", examples=[7])
    objective: float | None = Field(default=None, examples=[3.2])
    gap: float | None = Field(
        default=None, description="To the optimum; it falls.", examples=[0.02]
    )
    doing: str | None = Field(
        default=None, description="What it is at, where that is no search.", examples=["reading"]
    )
    share: float | None = Field(
        default=None, description="Of that, from 0 to 1, where it is known.", examples=[0.4]
    )
    result: (
        SearchAnswer
        | BatchAnswer
        | DuplicateList
        | Merged
        | Added
        | MadeIndex
        | UploadPreview
        | ViewList
        | None
    ) = Field(default=None, description="When it is done.")
    problem: ProblemDetails | None = Field(default=None, description="If it failed.")


class JobList(Answer):
    jobs: list[JobInfo] = Field(description="Without their results; the newest first.")
