"""/v1/indexes/{index}/bulk: many documents as lines of JSON, read as they come.

They go to a file, so that neither their number nor a slow client takes memory or keeps the index
locked; then a job adds them as one change.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

from anyio import Semaphore, WouldBlock, to_thread
from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from starlette.requests import ClientDisconnect

from likewise.errors import LeftOut, LikewiseError, Unfinished
from likewise.server.access import Role
from likewise.server.answers import encoded
from likewise.server.bodies import NDJSON
from likewise.server.causes import Cause
from likewise.server.indexes import ServedIndex
from likewise.server.models.indexes import Added
from likewise.server.models.uploads import OnDuplicate
from likewise.server.problems import ProblemError, documented, of_error, silence
from likewise.server.routes.common import (
    ALWAYS,
    INDEX,
    TheIndex,
    TheOwner,
    TheParts,
    at_least,
    stopping,
)
from likewise.server.routes.documents import notes_of
from likewise.server.routes.waiting import ACCEPTED, result_or_job
from likewise.server.uploads import FULL
from likewise.server.wording import without_columns

if TYPE_CHECKING:
    from likewise.server.jobs import Advance

router = APIRouter(prefix="/indexes/{index}", tags=["documents"], responses=ALWAYS | INDEX)
NAME = "documents.jsonl"
PIECE = 1 << 20  # bytes that are written at a time
SHOWN = 100  # problems
BINARY = {"schema": {"type": "string", "format": "binary"}, "example": '{"text": "They walk."}\n'}
LINES: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "A line for each document, as `documents` of the other way has them.",
        "content": {NDJSON: BINARY},
    }
}


@router.post(
    "/bulk",
    status_code=201,
    dependencies=[at_least(Role.write)],
    response_model=Added,
    responses=ACCEPTED | documented(409, 503, 507),
    openapi_extra=LINES,
)
async def add_documents_in_bulk(
    request: Request,
    served: TheIndex,
    parts: TheParts,
    owner: TheOwner,
    on_duplicate: OnDuplicate = "error",
    wait: Annotated[float, Query(ge=0, le=60)] = 0,
) -> Response:
    """Add documents that are sent as lines of JSON (Content-Type: application/x-ndjson), in one
    step and as a job: the answer is 202 and the job, unless it is done within `wait` seconds.
    """
    kept = TemporaryDirectory(prefix="likewise-")
    try:
        path = Path(kept.name) / NAME
        await receive_lines(request, parts.bulks, path)

        def work(advance: Advance) -> bytes:
            return encoded(_add(served, path, on_duplicate, advance))

        job = parts.jobs.build(served.name, work, parts.indexes.folders, owner)
    except BaseException:
        await to_thread.run_sync(kept.cleanup)
        raise
    job.finished.add_done_callback(lambda _: kept.cleanup())
    async with asynccontextmanager(stopping)(request, parts) as stop:
        return await result_or_job(parts.jobs, job, wait, stop, cancel=False, status=201)


async def receive_lines(request: Request, bulks: Semaphore, path: Path) -> None:
    """Write what comes to a file; as many at a time as there is room for."""
    try:
        bulks.acquire_nowait()
    except WouldBlock:
        raise ProblemError(
            Cause.busy, "too many others are sending documents: try again", {"Retry-After": "5"}
        ) from None
    try:
        with path.open("wb") as file:
            waiting = bytearray()
            async for piece in request.stream():
                waiting += piece
                if len(waiting) >= PIECE:
                    await to_thread.run_sync(file.write, bytes(waiting))
                    waiting.clear()
            await to_thread.run_sync(file.write, bytes(waiting))
    except ClientDisconnect:
        gone = "the request ended before it was complete: nothing was added"
        raise ProblemError(Cause.incomplete, gone) from None
    except OSError as error:
        if error.errno in FULL:
            raise ProblemError(Cause.disk_full, "the disk is full: nothing was added") from error
        raise
    finally:
        bulks.release()


def _add(served: ServedIndex, path: Path, on_duplicate: OnDuplicate, advance: Advance) -> Added:
    silence(LeftOut, Unfinished)  # the answer says so
    place = {f"{path}, ": "", str(path): "the request"}
    try:
        with served.writing:
            added = served.newest.add(
                path,
                format="jsonl",
                on_duplicate=on_duplicate,
                strict=False,
                progress=lambda done, total: advance("reading", done, total),
            )
            generation = served.refreshed().generation
    except LikewiseError as error:
        raise of_error(error, served.folders | place) from error
    return Added(
        documents=added.documents,
        replaced=added.replaced,
        skipped=added.skipped,
        duplicates=dict(added.duplicates),
        problems=[_named(str(one), place) for one in added.problems[:SHOWN]],
        generation=generation,
        notes=notes_of(served, added.notes),
    )


def _named(sentence: str, place: dict[str, str]) -> str:
    for path, name in place.items():
        sentence = sentence.replace(path, name)
    return without_columns(sentence)
