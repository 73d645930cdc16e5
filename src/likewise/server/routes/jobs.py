"""/v1/jobs: the progress of searches that run as jobs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Path
from fastapi.responses import Response, StreamingResponse

from likewise.server.jobs import Job
from likewise.server.models.jobs import JobInfo
from likewise.server.problems import documented
from likewise.server.routes.common import ALWAYS, TheParts

router = APIRouter(prefix="/jobs/{id}", tags=["jobs"], responses=ALWAYS | documented(404))
JobId = Annotated[str, Path(max_length=100)]
EVENTS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Events `progress`, and one of `done`, `failed`, `cancelled`; data: the job",
        "content": {
            "text/event-stream": {
                "schema": {
                    "type": "object",
                    "properties": {"event": {"type": "string"}, "data": {"type": "string"}},
                }
            }
        },
    }
}


@router.get("", response_model=JobInfo)
def get_job(parts: TheParts, id: JobId) -> Response:
    """A job's progress, and its result when it is done."""
    return Response(parts.jobs[id].encoded(), media_type="application/json")


@router.delete("", response_model=JobInfo)
def cancel_job(parts: TheParts, id: JobId) -> Response:
    """Cancel a job; a finished one keeps its result."""
    job = parts.jobs[id]
    job.cancel()
    return Response(job.encoded(), media_type="application/json")


@router.get("/events", response_class=StreamingResponse, responses=EVENTS)
async def watch_job(parts: TheParts, id: JobId) -> StreamingResponse:
    """A job's progress as server-sent events, until it is finished."""
    return StreamingResponse(_events(parts.jobs[id]), media_type="text/event-stream")


async def _events(job: Job) -> AsyncIterator[bytes]:
    loop, changed = asyncio.get_running_loop(), asyncio.Event()

    def listener() -> None:
        loop.call_soon_threadsafe(changed.set)

    job.listen(listener)
    try:
        while True:
            changed.clear()
            state = job.state
            finished = state not in ("queued", "running")
            event = state if finished else "progress"
            yield b"event: %b\ndata: %b\n\n" % (event.encode(), job.encoded())
            if finished:
                return
            await changed.wait()
    finally:
        job.unlisten(listener)
