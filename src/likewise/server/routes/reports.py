"""/v1/indexes/{index}/sessions/{name}/report: what a publication needs of a review."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path as File
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from fastapi.responses import Response

from likewise.reviews import Session
from likewise.reviews.report.flow import sources_of
from likewise.server import exports
from likewise.server.access import Role
from likewise.server.models.reports import Flow, FullText, Report
from likewise.server.routes.common import (
    ALWAYS,
    INDEX,
    at_least,
)
from likewise.server.routes.turns import Reviewer, TheName, TheTurn
from likewise.writers import Format

router = APIRouter(
    prefix="/indexes/{index}/sessions/{name}/report",
    tags=["sessions"],
    responses=ALWAYS | INDEX,
)
REVIEW: Any = {"dependencies": [at_least(Role.review)]}
CHUNK = 1 << 20  # bytes
SVG = Format("", (".svg",), "image/svg+xml", "Flow diagram", "PRISMA 2020.")
ARCHIVE = Format("", (".review.zip",), "application/zip", "Archive", "Reproduces the review.")
TRAILS = {
    "csv": Format("", (".trail.csv",), "text/csv", "Trail", "A table."),
    "jsonl": Format("", (".trail.jsonl",), "application/jsonl", "Trail", "One object a line."),
}
Sources = Annotated[
    list[str] | None,
    Query(description="How many records a database gave, as PubMed=812; may be repeated."),
]


@router.get("")
async def get_report(turn: TheTurn, source: Sources = None, reviewer: Reviewer = None) -> Report:
    """The counts of PRISMA 2020, and a text for the methods section."""
    counts = sources_of(source or ())

    def work(session: Session) -> Report:
        found = session.report.flow(counts)
        text = found.full_text and FullText(**found.full_text._asdict())
        flow = Flow(**found._asdict() | {"full_text": text})
        return Report(flow=flow, methods=session.report.methods())

    return await turn.do(work, reviewer)


@router.get("/diagram", response_class=Response, responses=exports.described([SVG]))
async def get_report_diagram(
    turn: TheTurn, source: Sources = None, reviewer: Reviewer = None
) -> Response:
    """The flow diagram of PRISMA 2020, as SVG."""
    counts = sources_of(source or ())

    def work(session: Session) -> Response:
        drawn = session.report.diagram(counts).encode()
        return exports.answer(session.name, SVG, iter([drawn]))

    return await turn.do(work, reviewer)


@router.get("/trail", response_class=Response, responses=exports.described(TRAILS.values()))
async def get_report_trail(
    turn: TheTurn,
    name: TheName,
    format: Annotated[Literal["csv", "jsonl"], Query()] = "csv",
    reviewer: Reviewer = None,
) -> Response:
    """Everything that was done in the review, by whom and when."""

    def work(session: Session) -> Response:
        return exports.answer(session.name, TRAILS[format], session.report.trail_file(format))

    return await turn.do(work, reviewer)


@router.get("/archive", response_class=Response, responses=exports.described([ARCHIVE]), **REVIEW)
async def get_report_archive(
    turn: TheTurn, source: Sources = None, reviewer: Reviewer = None
) -> Response:
    """The collection, the session and its report in one file, for likewise replay and restore."""
    counts = sources_of(source or ())

    def work(session: Session) -> Response:
        folder = tempfile.TemporaryDirectory(prefix="likewise-")
        try:
            path = File(folder.name) / "review.zip"
            session.report.archive(path, sources=counts)
            return exports.answer(session.name, ARCHIVE, _pieces(path, folder))
        except BaseException:
            folder.cleanup()
            raise

    return await turn.do(work, reviewer)


def _pieces(path: File, folder: tempfile.TemporaryDirectory[str]) -> Iterator[bytes]:
    """A file piece by piece, which is gone afterwards."""
    with folder, path.open("rb") as file:
        while piece := file.read(CHUNK):
            yield piece
