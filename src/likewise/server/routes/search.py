"""/v1/indexes/{index}/search: by words, by examples, by a query learned before."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response

from likewise.server.answers import encoded, json_response
from likewise.server.models.search import SearchAnswer, SearchByWords, SearchRequest, Weighting
from likewise.server.problems import documented
from likewise.server.routes.common import ALWAYS, INDEX, TheIndex, TheOwner, TheParts, TheStop
from likewise.server.routes.waiting import ACCEPTED, result_or_job
from likewise.server.search import check_size, is_offline
from likewise.server.stop import Stop

router = APIRouter(prefix="/indexes/{index}/search", tags=["search"], responses=ALWAYS | INDEX)


@router.get("", response_model=SearchAnswer)
def search_by_words(
    served: TheIndex,
    parts: TheParts,
    stop: TheStop,
    q: Annotated[str, Query(min_length=1, description="Words.", examples=["robot arm"])],
    limit: Annotated[int, Query(ge=1)] = 10,
    offset: Annotated[int, Query(ge=0)] = 0,
    filter: Annotated[str | None, Query(examples=["created>=2015"])] = None,
    weighting: Annotated[Weighting | None, Query()] = None,
    explain: Annotated[int, Query(ge=0, le=100)] = 0,
    snippet: Annotated[int, Query(ge=0, le=100_000)] = 300,
    group_duplicates: bool = False,
) -> Response:
    """The documents that match some words best: the same as the other way, as an address."""
    request = SearchByWords(
        words=q,
        limit=limit,
        offset=offset,
        filter=filter,
        weighting=weighting,
        explain=explain,
        snippet=snippet,
        group_duplicates=group_duplicates,
    )
    check_size(request, parts.limits)
    return json_response(parts.searches.answer(served, request, stop))


@router.post("", response_model=SearchAnswer, responses=ACCEPTED | documented(503))
async def search(
    served: TheIndex, parts: TheParts, request: SearchRequest, owner: TheOwner, stop: TheStop
) -> Response:
    """The documents that match best.

    Methods that learn from the whole index run as jobs: the answer is 202 and the job, unless it
    is done within `wait` seconds.
    """
    limits, searches = parts.limits, parts.searches
    check_size(request, limits)
    if not is_offline(request):
        return await run_in_threadpool(
            lambda: json_response(searches.answer(served, request, stop))
        )
    job = parts.jobs.submit(
        served.name,
        # Its time begins when it runs; and who got 202 has left, but asks again.
        lambda report: encoded(searches.answer(served, request, Stop(limits.seconds, report))),
        parts.indexes.folders,
        owner,
    )
    return await result_or_job(parts.jobs, job, getattr(request, "wait", 0), stop)
