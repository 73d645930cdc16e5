"""Indexes and their documents."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import ConfigDict, Field

from likewise.server.models.base import Answer, Given, Id, Items
from likewise.store.fields import Kind


class IndexInfo(Answer):
    """What an index holds."""

    name: str = Field(examples=["papers"])
    kind: str = Field(examples=["text"])
    documents: int = Field(examples=[2000])
    deleted: int = Field(examples=[0])
    terms: int = Field(examples=[14803])
    generation: int = Field(description="Grows by one with each change.", examples=[1])
    bytes_on_disk: int = Field(examples=[5400000])
    settings: dict[str, Any] = Field(examples=[{"language": "english"}])
    views: list[str] = Field(
        description="How documents can be seen beside their words.", examples=[["latent"]]
    )
    problem: str | None = Field(
        description="Why the newest generation cannot be opened: this is the one before it."
    )
    notes: list[str] = Field(
        description="What is not as it should be, such as documents that were stemmed otherwise.",
        examples=[[]],
    )


class IndexList(Answer):
    indexes: list[IndexInfo]


class FieldValue(Answer):
    value: str | bool | int | float = Field(examples=["cs.RO"])
    documents: int = Field(description="How many have it.", examples=[42])


class FieldInfo(Answer):
    """A field that documents can be filtered by."""

    name: str = Field(examples=["primary"])
    label: str = Field(description="As people know it.", examples=["primary"])
    documents: int = Field(description="How many have it.", examples=[2000])
    kind: Kind = Field(examples=["text"])
    distinct: int = Field(description="Different values.", examples=[120])
    values: list[FieldValue] = Field(description="The most frequent values.")
    least: str | int | float | None = Field(
        description="The least number or, where there is none, text.", examples=["cs.AI"]
    )
    most: str | int | float | None = Field(examples=["stat.ML"])


class FieldList(Answer):
    fields: list[FieldInfo]


class StoredDocument(Answer):
    id: str = Field(examples=["1806.07419"])
    title: str = Field(examples=["Grasping with a soft hand"])
    text: str = Field(examples=["We show a soft gripper that …"])
    fields: dict[str, Any] = Field(examples=[{"primary": "cs.RO", "created": "2018-06-19"}])


class ListedDocument(Answer):
    id: str = Field(examples=["1806.07419"])
    title: str = Field(examples=["Grasping with a soft hand"])
    snippet: str = Field(examples=["We show a soft gripper that …"])
    fields: dict[str, Any] = Field(examples=[{"primary": "cs.RO", "created": "2018-06-19"}])


class DocumentList(Answer):
    """A page of the documents, in the order in which they came."""

    generation: int = Field(examples=[1])
    total: int = Field(description="Documents in the index.", examples=[2000])
    matching: int = Field(description="Documents that the filter leaves.", examples=[310])
    documents: list[ListedDocument]
    next_after: str | None = Field(
        description="`after` for the next page; null at the end.", examples=["1806.07419"]
    )


class NewDocument(Given):
    """A document to be added: text, perhaps an id and a title, and any other fields."""

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={
            "examples": [{"id": "mine-1", "title": "Robots", "text": "They walk.", "year": 2020}]
        },
    )

    text: str
    id: Id | None = Field(
        default=None, description="Without one, a hash of title and text is the id."
    )
    title: str = ""


class NewDocuments(Given):
    documents: Items[NewDocument] = Field(min_length=1)
    on_duplicate: Literal["error", "skip", "replace"] = "error"


class Added(Answer):
    documents: int = Field(description="Documents added.", examples=[1])
    replaced: int = Field(examples=[0])
    skipped: int = Field(description="Left out since they were there.", examples=[0])
    duplicates: dict[str, int] = Field(
        description="Whose id, doi or pmid another document has, by that key.",
        examples=[{"doi": 1}],
    )
    problems: list[str] = Field(description="Documents that were left out, and why.", examples=[[]])
    generation: int = Field(description="That is served now.", examples=[2])
    notes: list[str] = Field(
        description="What failed after the documents were added.", examples=[[]]
    )
    ids: list[str | None] | None = Field(
        default=None,
        description="Of each document of the request, in order: the id that it has in the index, "
        "or null for one that is not there. Null as a whole where files or lines were sent.",
        examples=[["mine-1"]],
    )


class Deleted(Answer):
    documents: int = Field(examples=[1])
    generation: int = Field(description="That is served now.", examples=[3])
    notes: list[str] = Field(
        description="What failed after the documents were deleted.", examples=[[]]
    )


class Merged(Answer):
    segments: int = Field(description="That the index has now.", examples=[1])
    generation: int = Field(description="That is served now.", examples=[4])
    notes: list[str] = Field(
        description="What failed after the segments were merged.", examples=[[]]
    )
