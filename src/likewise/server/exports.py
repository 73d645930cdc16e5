"""Documents, hits and judgements as files: the formats of the library's table, and two more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

import msgspec
from fastapi import Query
from fastapi.responses import StreamingResponse
from pydantic import AfterValidator, Field

from likewise.reviews.exports import TREC, Which
from likewise.search.bound import LearnedQuery
from likewise.server.causes import Cause
from likewise.server.models.base import one_of
from likewise.server.problems import ProblemError
from likewise.writers import FORMATS, Format, Record, written

if TYPE_CHECKING:
    from likewise.reviews import Session
    from likewise.server.stop import Stop

# What a review has beside its records.
OF_REVIEWS = FORMATS | {
    "qrels": Format(
        "", (".qrels",), "text/plain", "qrels", "Judgements for TREC’s evaluation tools."
    ),
    "query": Format(
        "",
        (".query.json",),
        "application/json",
        "Learned query",
        "To rank other documents: likewise search --query FILE.",
    ),
}


def described(formats: Iterable[Format]) -> dict[int | str, dict[str, Any]]:
    """An answer that is a file in one of these formats; what is JSON may hold anything."""
    binary = {"type": "string", "format": "binary"}
    kinds = {one.media_type: {} if "json" in one.media_type else binary for one in formats}
    content = {kind: {"schema": schema} for kind, schema in kinds.items()}
    return {200: {"description": "A file.", "content": content}}


FILE = described(FORMATS.values())
REVIEW_FILE = described(OF_REVIEWS.values())
FormatName = Annotated[
    str, AfterValidator(one_of(FORMATS)), Field(json_schema_extra={"enum": [*FORMATS]})
]
ReviewFormat = Annotated[
    str, AfterValidator(one_of(OF_REVIEWS)), Field(json_schema_extra={"enum": [*OF_REVIEWS]})
]
TheFormat = Annotated[FormatName, Query(description="The format of the file.")]
TheReviewFormat = Annotated[ReviewFormat, Query(description="The format of the file.")]


def answer(name: str, format: Format, pieces: Iterable[bytes]) -> StreamingResponse:
    """A file for download; what cannot be written is found out before its first byte is sent."""
    iterator = iter(pieces)
    first = next(iterator, b"")
    file = quote(f"{name}{format.suffix}", safe="")
    return StreamingResponse(
        chain([first], iterator),
        media_type=format.media_type,
        headers={"Content-Disposition": f"attachment; filename*=UTF-8''{file}"},
    )


def documents(name: str, format: str, records: Iterable[Record], stop: Stop) -> StreamingResponse:
    """Documents as a file; reading them ends when the client leaves."""
    return answer(name, FORMATS[format], written(format, _while_wanted(records, stop)))


def _while_wanted(records: Iterable[Record], stop: Stop) -> Iterator[Record]:
    for record in records:
        if stop.client_left:
            return
        yield record


def review(session: Session, format: str, which: Which) -> StreamingResponse:
    """A session's judgements with their documents, or its learned query."""
    if format == "query":
        pieces = iter([_learned(session)])
    else:
        pieces = session.exported(TREC if format == "qrels" else format, None, which)
    return answer(session.name, OF_REVIEWS[format], pieces)


def _learned(session: Session) -> bytes:
    query = session.query
    if query is None:
        raise ProblemError(Cause.not_ready, "nothing was learned yet: judge some documents first")
    if isinstance(query, str):
        return msgspec.json.encode({"words": query})
    return msgspec.json.encode(query.portable if isinstance(query, LearnedQuery) else query)
