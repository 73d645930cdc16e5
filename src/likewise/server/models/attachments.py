"""PDFs beside the records of a review."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from likewise.server.models.base import Answer


class Attachment(Answer):
    """A PDF: attached to the session, or in a folder that was indexed, which has no number."""

    number: int | None = Field(examples=[12])
    id: str = Field(description="The record asked for.", examples=["1806.07419"])
    document: str = Field(
        description="The record it was given to, which may be a duplicate of that.",
        examples=["1806.07419"],
    )
    name: str = Field(examples=["smith 2020.pdf"])
    size: int = Field(description="Bytes.", examples=[734003])
    by: str = Field(description="Who has attached it.", examples=["ann"])
    at: datetime | None = Field(description="When.", examples=["2026-03-01T12:00:00Z"])
    yours: bool = Field(description="Whether you may remove it.")


class AttachmentList(Answer):
    attachments: list[Attachment]


class Missing(Answer):
    ids: list[str] = Field(
        description="Records found relevant by title and abstract that have no PDF.",
        examples=[["1806.07419"]],
    )
    sought: int = Field(description="Of how many.", examples=[66])
