"""/v1/indexes/{index}/search: by words, by examples, by a query learned before."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse

from likewise.server.models.jobs import JobInfo
from likewise.server.models.search import SearchAnswer, SearchByWords, SearchRequest, Weighting
from likewise.server.problems import ProblemError, documented
from likewise.server.routes.common import ALWAYS, INDEX, TheIndex, TheParts
from likewise.server.search import check_size, is_offline

router = APIRouter(prefix="/indexes/{index}/search", tags=["search"], responses=ALWAYS | INDEX)
ACCEPTED: dict[int | str, dict[str, Any]] = {
    202: {"model": JobInfo, "description": "The search goes on as a job."}
}


@router.get("")
def search_by_words(
    served: TheIndex,
    parts: TheParts,
    q: Annotated[str, Query(min_length=1, description="Words.", examples=["robot arm"])],
    limit: Annotated[int, Query(ge=1)] = 10,
    offset: Annotated[int, Query(ge=0)] = 0,
    filter: Annotated[str | None, Query(examples=["created>=2015"])] = None,
    weighting: Annotated[Weighting | None, Query()] = None,
    explain: Annotated[int, Query(ge=0, le=100)] = 0,
    snippet: Annotated[int, Query(ge=0, le=100_000)] = 300,
) -> SearchAnswer:
    """The documents that match some words best: the same as the other way, as an address."""
    request = SearchByWords(
        words=q,
        limit=limit,
        offset=offset,
        filter=filter,
        weighting=weighting,
        explain=explain,
        snippet=snippet,
    )
    check_size(request, parts.limits)
    return parts.searches.answer(served, request)


@router.post("", response_model=SearchAnswer, responses=ACCEPTED | documented(503))
async def search(served: TheIndex, parts: TheParts, request: SearchRequest) -> Any:
    """The documents that match best.

    Methods that learn from the whole index run as jobs: the answer is 202 and the job, unless it
    is done within `wait` seconds.
    """
    check_size(request, parts.limits)
    if not is_offline(request):
        return await run_in_threadpool(parts.searches.answer, served, request)
    job = parts.jobs.submit(
        served.name,
        lambda report: parts.searches.answer(served, request, report),
        parts.indexes.folders,
    )
    await asyncio.wait([asyncio.wrap_future(job.finished)], timeout=getattr(request, "wait", 0))
    info = job.info()
    if info.result is not None:
        return info.result
    if info.problem is not None:
        raise ProblemError(info.problem.status, info.problem.detail)
    headers = {"Location": f"/v1/jobs/{job.id}"}
    return JSONResponse(info.model_dump(mode="json"), 202, headers)
