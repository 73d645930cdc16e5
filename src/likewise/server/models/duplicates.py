"""Groups of records of the same paper."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from likewise.server.models.base import Answer


class DuplicateRecord(Answer):
    id: str = Field(examples=["pubmed-7"])
    title: str = Field(examples=["Vitamin D for asthma"])
    similarity: float = Field(description="To the nearest other one, up to 1.", examples=[0.98])
    reason: str = Field(examples=["same title and authors"])
    fields: dict[str, Any] = Field(examples=[{"year": 2019}])


class DuplicateGroup(Answer):
    members: list[DuplicateRecord] = Field(description="The most complete record first.")


class DuplicateList(Answer):
    generation: int = Field(examples=[1])
    documents: int = Field(description="Documents in the index.", examples=[2000])
    duplicates: int = Field(description="Besides the first of each group.", examples=[12])
    count: int = Field(description="Groups in all.", examples=[10])
    groups: list[DuplicateGroup] = Field(description="Those from `offset` on, `limit` at most.")
