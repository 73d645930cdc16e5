"""/v1/indexes: what is served, and merging its segments."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from likewise.errors import Unfinished
from likewise.server import apart
from likewise.server.access import Role
from likewise.server.answers import encoded, field_info, index_info, json_response
from likewise.server.indexes import ServedIndex
from likewise.server.models.indexes import FieldList, IndexInfo, IndexList, Merged
from likewise.server.problems import documented, silence
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
from likewise.server.routes.documents import notes_of
from likewise.server.routes.waiting import ACCEPTED, result_or_job

router = APIRouter(tags=["indexes"], responses=ALWAYS)
MOST_VALUES = 1_000  # of a field


@router.get("/indexes")
def list_indexes(parts: TheParts) -> IndexList:
    """The indexes that are served."""
    parts.indexes.look()
    return IndexList(indexes=list(map(index_info, parts.indexes)))


@router.get("/indexes/{index}", responses=INDEX)
def get_index(served: TheIndex) -> IndexInfo:
    """What an index holds."""
    return index_info(served)


@router.get("/indexes/{index}/fields", responses=INDEX)
def get_fields(
    served: TheIndex, most: Annotated[int, Query(ge=0, le=MOST_VALUES)] = 20
) -> FieldList:
    """The fields that documents can be filtered by, those that most documents have first."""
    # The index remembers a summary for each number of values: always ask for the same one.
    found = served.current.fields(MOST_VALUES)
    shown = (field._replace(values=field.values[:most]) for field in found)
    return FieldList(fields=list(map(field_info, shown)))


@router.post(
    "/indexes/{index}/merge",
    dependencies=[at_least(Role.write)],
    response_model=Merged,
    responses=INDEX | ACCEPTED | documented(409, 503),
)
async def merge_segments(
    served: TheIndex,
    parts: TheParts,
    owner: TheOwner,
    stop: TheStop,
    small: bool = False,
    wait: Annotated[float, Query(ge=0, le=60)] = 0,
) -> Response:
    """Bring the segments of an index into one and drop what was deleted, as a job: the answer is
    202 and the job, unless it is done within `wait` seconds. `small` merges only small ones, in
    groups, and is answered when that is done. Searches go on meanwhile, other changes wait.
    """
    if small:
        return await in_turn(parts, lambda: json_response(_merge(served, small=True)))
    job = parts.jobs.submit(
        served.name,
        lambda report: encoded(_merge(served, small=False)),
        parts.indexes.folders,
        owner,
    )
    return await result_or_job(parts.jobs, job, wait, stop, cancel=False)


def _merge(served: ServedIndex, *, small: bool) -> Merged:
    silence(Unfinished)  # the answer says so
    with served.writing:
        if small:
            served.newest.merge(small=True)
        else:
            apart.merge(served.newest)
        index = served.refreshed()
    segments = index.info().segments
    return Merged(segments=segments, generation=index.generation, notes=notes_of(served))
