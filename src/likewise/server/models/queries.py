"""Queries saved by name."""

from __future__ import annotations

from pydantic import Field

from likewise.server.models.base import Answer, Given, Name, Weight
from likewise.server.models.search import TermChoices


class SaveQuery(Given):
    name: Name = Field(examples=["soft robots"])
    query: str = Field(
        max_length=300, description="The id of a learned query.", examples=["q-4Xh2…"]
    )
    terms: TermChoices = TermChoices()
    replace: bool = Field(
        default=False, description="Whether a query of that name may be replaced."
    )


class SavedQuery(Answer):
    name: str = Field(examples=["soft robots"])
    created: str = Field(examples=["2026-01-31T12:00:00Z"])
    method: str = Field(examples=["steady"])
    examples: int = Field(examples=[2])
    terms: int = Field(examples=[8301])
    up: list[Weight]
    down: list[Weight]


class SavedQueries(Answer):
    queries: list[SavedQuery]
