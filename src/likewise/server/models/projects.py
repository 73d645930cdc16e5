"""Projects: indexes with their reviews, as a list to choose from."""

from __future__ import annotations

from pydantic import ConfigDict, Field

from likewise.server.models.base import Answer, Given, Name


class Project(Answer):
    """An index and what was done with it."""

    name: str = Field(description="Of the index, in addresses.", examples=["soft-robots"])
    title: str = Field(description="As people wrote it.", examples=["soft robots"])
    documents: int = Field(examples=[2000])
    reviews: int = Field(description="That are not archived.", examples=[2])
    archived: int = Field(description="Reviews that are.", examples=[0])
    changed: str | None = Field(description="When documents last changed.")
    last: str | None = Field(description="When a review was last used.")
    made_here: bool = Field(description="Whether it is in the projects folder, and can be deleted.")
    is_archived: bool = Field(description="Whether lists leave it out unless asked for it.")


class ChangedProject(Given):
    """What is left out stays as it is."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"title": "Soft robots"}]})

    title: Name | None = Field(
        default=None, description="As people call it; its address stays.", examples=["Soft robots"]
    )
    archived: bool | None = Field(
        default=None, description="Whether lists leave it out; it can be used all the same."
    )


class ProjectList(Answer):
    projects: list[Project]
    creates: bool = Field(description="Whether new ones can be made here.")
    archived: int = Field(description="Projects that are archived, listed or not.", examples=[0])


class Receives(Answer):
    """What can be sent to become an index."""

    creates: bool = Field(description="Whether anything can be.")
    suffixes: list[str] = Field(examples=[[".ris", ".csv", ".pdf"]])
    compressed: list[str] = Field(description="That may follow those.", examples=[[".gz"]])
    languages: list[str] = Field(examples=[["english", "german", "none"]])
    bytes: int = Field(description="Of all files together.", examples=[4294967296])
    files: int = Field(description="At a time.", examples=[10000])
    piece: int = Field(description="Bytes of one request at most.", examples=[16777216])
