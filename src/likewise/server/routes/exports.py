"""/v1/exports, the formats of files; /v1/indexes/{index}/export, documents and hits as a file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from likewise.server import exports
from likewise.server.exports import FILE, OF_REVIEWS, TheFormat
from likewise.server.indexes import ServedIndex
from likewise.server.models.base import Id
from likewise.server.models.exports import ExportFormat, ExportFormats
from likewise.server.problems import ProblemError
from likewise.server.routes.common import ALWAYS, INDEX, Parts, TheIndex, TheParts, TheStop
from likewise.server.search import check_sizes, filter_of
from likewise.server.stop import Stop
from likewise.writers import FORMATS, Record

router = APIRouter(tags=["documents"], responses=ALWAYS)
Ids = Annotated[list[Id] | None, Query(description="Documents to export.")]
Words = Annotated[str | None, Query(min_length=1, description="Export the best hits for words.")]
AQuery = Annotated[
    str | None, Query(min_length=1, description="Export the best hits of a query, by id or name.")
]


@router.get("/exports")
async def get_export_formats() -> ExportFormats:
    """The formats of files for download."""
    return ExportFormats(
        formats=[
            ExportFormat(
                name=name,
                title=one.title,
                about=one.about,
                suffix=one.suffix,
                media_type=one.media_type,
                records=name in FORMATS,
            )
            for name, one in OF_REVIEWS.items()
        ]
    )


@router.get("/indexes/{index}/export", response_class=Response, responses=INDEX | FILE)
def export_documents(
    served: TheIndex,
    parts: TheParts,
    stop: TheStop,
    format: TheFormat = "csv",
    id: Ids = None,
    q: Words = None,
    query: AQuery = None,
    filter: Annotated[str | None, Query(examples=["created>=2015"])] = None,
    limit: Annotated[int, Query(ge=1, description="The most hits.")] = 100,
) -> Response:
    """Documents as a file: those of some ids, hits with rank and score, or all; `filter` holds
    for hits and for all.
    """
    check_sizes(
        {
            "limit": (limit, parts.limits.results),
            "q": (len(q or ""), parts.limits.words),
            "the number of ids": (len(id or ()), parts.limits.documents),
        }
    )
    given = [name for name, value in (("id", id), ("q", q), ("query", query)) if value]
    if len(given) > 1:
        raise ProblemError(422, f"{' and '.join(given)} exclude each other: give one of them")
    if id and filter:
        raise ProblemError(422, "id and filter exclude each other: give one of them")
    if id:
        records = served.current.records(id)
    else:
        records = _found(served, parts, stop, q, query, filter, limit)
    return exports.documents(served.name, format, records, stop)


def _found(
    served: ServedIndex,
    parts: Parts,
    stop: Stop,
    q: str | None,
    query: str | None,
    filter: str | None,
    limit: int,
) -> Iterator[Record]:
    kept = stop.filter(filter_of(filter, parts.limits))
    index = served.current
    if q is not None:
        return index.search(q, limit, filter=kept).records()
    if query is not None:
        return index.run(parts.searches.query(served, query), limit, filter=kept).records()
    return index.records(filter=kept)
