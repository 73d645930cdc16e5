"""/v1/indexes/{index}/views: what views an index has, what they cost; make and remove them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from likewise.server import views
from likewise.server.access import Role
from likewise.server.models.views import NewView, ViewList, ViewName
from likewise.server.problems import documented
from likewise.server.routes.common import (
    ALWAYS,
    INDEX,
    TheIndex,
    TheOwner,
    TheParts,
    TheStop,
    at_least,
    in_turn,
)
from likewise.server.routes.waiting import ACCEPTED, result_or_job

router = APIRouter(prefix="/indexes/{index}/views", tags=["indexes"], responses=ALWAYS)
WRITE = [at_least(Role.write)]


@router.get("", responses=INDEX)
def list_views(served: TheIndex) -> ViewList:
    """The views of an index, with their size and the time of one pass over each."""
    return views.listed(served)


@router.post(
    "",
    dependencies=WRITE,
    response_model=ViewList,
    responses=INDEX | ACCEPTED | documented(409, 503),
)
async def make_view(
    served: TheIndex,
    parts: TheParts,
    new: NewView,
    owner: TheOwner,
    stop: TheStop,
    wait: Annotated[float, Query(ge=0, le=60)] = 0,
) -> Response:
    """Make a view, also anew, as a job: the answer is 202 and the job, unless it is done within
    `wait` seconds. Embeddings are made of the documents that have none of the model, also of those
    that come meanwhile; cancelled, the next such job goes on with what was made.
    """
    job = await in_turn(parts, lambda: views.begin(parts.jobs, served, new, owner))
    return await result_or_job(parts.jobs, job, wait, stop, cancel=False)


@router.delete("/{view}", dependencies=WRITE, responses=INDEX | documented(409))
async def drop_view(served: TheIndex, parts: TheParts, view: ViewName) -> ViewList:
    """Remove a view; documents that are added get none of it either."""
    return await in_turn(parts, lambda: views.drop(served, view))
