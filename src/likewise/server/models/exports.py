"""The formats that documents and judgements can be had in."""

from __future__ import annotations

from pydantic import Field

from likewise.server.models.base import Answer


class ExportFormat(Answer):
    """A format of files."""

    name: str = Field(examples=["ris"])
    title: str = Field(examples=["RIS"])
    about: str = Field(examples=["References for Zotero, EndNote, Covidence, ASReview and others."])
    suffix: str = Field(examples=[".ris"])
    media_type: str = Field(examples=["application/x-research-info-systems"])
    records: bool = Field(description="Whether it holds documents: else it is for reviews only.")


class ExportFormats(Answer):
    formats: list[ExportFormat]
