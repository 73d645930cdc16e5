"""The answer to a request that became a job: its result, if that is there soon, or the job."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from fastapi.responses import Response

from likewise.server.causes import BY_URI
from likewise.server.models.jobs import JobInfo
from likewise.server.problems import ProblemError

if TYPE_CHECKING:
    from likewise.server.jobs import Job, Jobs
    from likewise.server.stop import Stop

LOOK = 0.25  # seconds between looks whether a client that waits for a job has left
ACCEPTED: dict[int | str, dict[str, Any]] = {
    202: {"model": JobInfo, "description": "The work goes on as a job."}
}


async def result_or_job(
    jobs: Jobs, job: Job, seconds: float, stop: Stop, *, cancel: bool = True, status: int = 200
) -> Response:
    """Wait so long for a job. If its client leaves meanwhile, nobody knows of it: `cancel` it."""
    await _finished(job, seconds, stop, cancel=cancel)
    if job.result is not None:
        jobs.drop(job)
        return Response(job.result, status, media_type="application/json")
    problem = job.info().problem
    if problem is not None:
        raise ProblemError(BY_URI[problem.type], problem.detail)
    headers = {"Location": f"/v1/jobs/{job.id}"}
    return Response(job.encoded(), 202, headers, media_type="application/json")


async def _finished(job: Job, seconds: float, stop: Stop, *, cancel: bool) -> None:
    end = asyncio.get_running_loop().time() + seconds
    finished = asyncio.wrap_future(job.finished)
    while not finished.done():
        left = end - asyncio.get_running_loop().time()
        if stop.client_left and cancel:
            job.cancel()
        if left <= 0 or stop.client_left:
            return
        await asyncio.wait([finished], timeout=min(LOOK, left))
