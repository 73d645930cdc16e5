"""What the tools answer: few words, and a sign wherever there is more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp.types import CallToolResult, TextContent
from pydantic import BaseModel, Field

from likewise.document import as_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from likewise.document import Document
    from likewise.index import Index
    from likewise.reviews import Session
    from likewise.search.hits import Hits
    from likewise.store.fields import FieldSummary

MOST_HITS = 50
MOST_CHARACTERS = 20_000  # of text in one answer, whatever is asked for
LONGEST_TITLE = 300
LONGEST_VALUE = 300  # of a document's other fields
MOST_FIELDS = 30  # of a document, or of an index
MOST_VALUES = 5  # of a field, as examples to filter by
CUT = "…"


class FieldOfIndex(BaseModel):
    name: str
    kind: str = Field(description="number, date, text, boolean or mixed")
    documents: int = Field(description="How many documents have it.")
    values: list[str] = Field(description="Some of its most frequent values.")


class AnIndex(BaseModel):
    name: str
    title: str
    documents: int
    fields: list[FieldOfIndex] = Field(description="The fields that a filter can name.")


class Indexes(BaseModel):
    indexes: list[AnIndex]
    may_judge: bool


class Found(BaseModel):
    rank: int
    id: str
    score: float
    title: str
    text: str = Field(
        default="", description="The beginning of the text; it ends with … if there is more."
    )
    more: int = Field(default=0, description="How many characters of the text are left out.")


class Answer(BaseModel):
    index: str
    hits: list[Found]
    next_offset: int | None = Field(
        default=None, description="The offset of the next hits, if any."
    )
    query: str | None = Field(default=None, description="The learned query, for explain.")
    notes: list[str] = []


class Page(BaseModel):
    index: str
    id: str
    title: str
    text: str
    offset: int
    length: int = Field(description="Characters of the whole text.")
    next_offset: int | None = Field(
        default=None, description="Where the text goes on; null at its end."
    )
    fields: dict[str, str] = {}


class Effect(BaseModel):
    word: str
    effect: float = Field(description="What the word adds to the score, or takes from it.")


class Why(BaseModel):
    index: str
    id: str
    score: float
    words: list[Effect] = Field(description="Largest effect first.")
    others: int = Field(default=0, description="How many words with smaller effects are left out.")


class Judged(BaseModel):
    index: str
    session: str
    reviewer: str
    relevant: int
    not_relevant: int
    unsure: int
    next: list[Found] = Field(default=[], description="What to judge next, best first.")


def result(answer: BaseModel) -> CallToolResult:
    """An answer as text for the model, short, and as values for programs."""
    text = answer.model_dump_json(exclude_defaults=True)
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        structured_content=answer.model_dump(mode="json"),
    )


def cut(text: str, most: int) -> str:
    """Whole words of the beginning of a text, with a sign that there is more."""
    if len(text) <= most:
        return text
    head = text[:most]
    whole = head.rsplit(None, 1)[0] if not text[most].isspace() and " " in head else head
    return f"{whole.rstrip()} {CUT}" if most else ""


def found(source: Index | Session, hits: Hits[Any], characters: int) -> list[Found]:
    """Hits with the beginnings of their texts, all together no longer than an answer may be."""
    each = min(characters, MOST_CHARACTERS // max(1, len(hits)))
    return [
        _found(hit, document, each)
        for hit, document in zip(hits, source.documents(hits.ids), strict=True)
    ]


def _found(hit: Any, document: Document, characters: int) -> Found:
    text = cut(document.text, characters)
    left = len(document.text) - len(text.removesuffix(f" {CUT}")) if text != document.text else 0
    return Found(
        rank=hit.rank,
        id=hit.id,
        score=round(hit.score, 4),
        title=cut(hit.title, LONGEST_TITLE),
        text=text,
        more=left,
    )


def page(name: str, document: Document, offset: int, length: int) -> Page:
    """Part of a text; the other fields come with its beginning."""
    text = document.text[offset : offset + length]
    end = offset + len(text)
    return Page(
        index=name,
        id=document.id,
        title=cut(document.title, LONGEST_TITLE),
        text=text,
        offset=offset,
        length=len(document.text),
        next_offset=end if end < len(document.text) else None,
        fields={} if offset else _fields(document),
    )


def _fields(document: Document) -> dict[str, str]:
    values = list(document.fields.items())
    shown = {name: cut(_flat(value), LONGEST_VALUE) for name, value in values[:MOST_FIELDS]}
    left = len(values) - len(shown)
    return shown | ({CUT: f"{left} more fields"} if left else {})


def _flat(value: Any) -> str:
    try:
        return as_text(value).replace("\n", "; ")
    except TypeError:
        return str(value)


def fields(summaries: Iterable[FieldSummary]) -> list[FieldOfIndex]:
    """Those that most documents have."""
    ordered = sorted(summaries, key=lambda one: -one.documents)[:MOST_FIELDS]
    return [
        FieldOfIndex(
            name=one.name,
            kind=one.kind,
            documents=one.documents,
            values=[cut(str(value), 60) for value, _ in one.values[:MOST_VALUES]],
        )
        for one in ordered
    ]
