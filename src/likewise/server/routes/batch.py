"""/v1/indexes/{index}/search/batch: several searches in one request."""

from __future__ import annotations

import time

from fastapi import APIRouter
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response

from likewise.errors import LikewiseError
from likewise.server.answers import encoded, json_response
from likewise.server.causes import Cause
from likewise.server.indexes import ServedIndex
from likewise.server.models.search import BatchAnswer, BatchRequest, OneAnswer
from likewise.server.problems import ProblemError, documented, of_error
from likewise.server.routes.common import (
    ALWAYS,
    INDEX,
    Parts,
    TheIndex,
    TheOwner,
    TheParts,
    TheStop,
)
from likewise.server.routes.waiting import ACCEPTED, result_or_job
from likewise.server.search import check_size, check_sizes, is_offline
from likewise.server.stop import Stop

router = APIRouter(prefix="/indexes/{index}/search", tags=["search"], responses=ALWAYS | INDEX)
ENDS = (Cause.took_too_long, Cause.incomplete)  # not for one search alone


@router.post("/batch", response_model=BatchAnswer, responses=ACCEPTED | documented(503))
async def search_batch(
    served: TheIndex, parts: TheParts, request: BatchRequest, owner: TheOwner, stop: TheStop
) -> Response:
    """Several searches, each answered as if it were alone: one that fails has a `problem` in its
    place. If one of them is offline, all of them are one job.
    """
    _check(request, parts)
    if not any(map(is_offline, request.searches)):
        return await run_in_threadpool(lambda: json_response(_answer(served, request, parts, stop)))
    job = parts.jobs.submit(
        served.name,
        lambda report: encoded(_answer(served, request, parts, Stop(parts.limits.seconds, report))),
        parts.indexes.folders,
        owner,
    )
    return await result_or_job(parts.jobs, job, request.wait, stop)


def _check(request: BatchRequest, parts: Parts) -> None:
    """One answer shows no more for many searches than it may for one."""
    limits, searches = parts.limits, request.searches
    for one in searches:
        check_size(one, limits)
    check_sizes(
        {
            "limit of all searches": (sum(one.limit for one in searches), limits.results),
            "limit times snippet of all searches": (
                sum(one.limit * one.snippet for one in searches),
                limits.shown,
            ),
            "limit with explain of all searches": (
                sum(one.limit for one in searches if one.explain),
                limits.explained,
            ),
        }
    )


def _answer(served: ServedIndex, request: BatchRequest, parts: Parts, stop: Stop) -> BatchAnswer:
    began, index = time.perf_counter(), served.current
    answers = []
    for one in request.searches:
        try:
            found = parts.searches.answer(served, one, stop, index)
            answers.append(OneAnswer(answer=found))
        except (ProblemError, LikewiseError) as error:
            folders = parts.indexes.folders
            problem = of_error(error, folders) if isinstance(error, LikewiseError) else error
            if problem.cause in ENDS:
                raise
            answers.append(OneAnswer(problem=problem.details()))
    return BatchAnswer(
        generation=index.generation, answers=answers, seconds=time.perf_counter() - began
    )
