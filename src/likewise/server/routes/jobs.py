"""/v1/jobs: what runs as jobs, and how far it is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from itertools import islice
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from fastapi.responses import Response, StreamingResponse

from likewise.server.access import Role
from likewise.server.jobs import Job
from likewise.server.models.jobs import JobInfo, JobList, State
from likewise.server.problems import documented
from likewise.server.routes.common import ALWAYS, TheCaller, TheOwner, TheParts

router = APIRouter(prefix="/jobs", tags=["jobs"], responses=ALWAYS)
ONE = documented(404)
MOST = 1_000
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


@router.get("")
def list_jobs(
    parts: TheParts,
    caller: TheCaller,
    owner: TheOwner,
    index: Annotated[str | None, Query(max_length=300, examples=["papers"])] = None,
    state: State | None = None,
    limit: Annotated[int, Query(ge=1, le=MOST)] = 100,
) -> JobList:
    """Your own jobs that are known, or everybody's if you are an owner: `GET /v1/jobs/{id}` has the
    result of one. A token without a name has none of its own that it could be told.
    """
    if caller.may(Role.owner):
        found = parts.jobs.listed(None)
    else:
        found = parts.jobs.listed(owner) if caller.name else []
    wanted = (
        job
        for job in found
        if (index is None or job.index == index) and (state is None or job.state == state)
    )
    return JobList(jobs=[job.info() for job in islice(wanted, limit)])


@router.get("/{id}", response_model=JobInfo, responses=ONE)
def get_job(parts: TheParts, id: JobId) -> Response:
    """A job's progress, and its result when it is done."""
    return Response(parts.jobs[id].encoded(), media_type="application/json")


@router.delete("/{id}", response_model=JobInfo, responses=ONE)
def cancel_job(parts: TheParts, id: JobId) -> Response:
    """Cancel a job; a finished one keeps its result."""
    job = parts.jobs[id]
    job.cancel()
    return Response(job.encoded(), media_type="application/json")


@router.get("/{id}/events", response_class=StreamingResponse, responses=ONE | EVENTS)
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
