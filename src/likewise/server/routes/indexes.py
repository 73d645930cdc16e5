"""/v1/indexes: what is served, and merging its segments."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from likewise.errors import Unfinished
from likewise.server.access import Role
from likewise.server.answers import field_info, index_info
from likewise.server.indexes import ServedIndex
from likewise.server.models.indexes import FieldList, IndexInfo, IndexList, Merged
from likewise.server.problems import documented, silence
from likewise.server.routes.common import ALWAYS, INDEX, TheIndex, TheParts, at_least, in_turn
from likewise.server.routes.documents import notes_of

router = APIRouter(tags=["indexes"], responses=ALWAYS)
MOST_VALUES = 1_000  # of a field


@router.get("/indexes")
def list_indexes(parts: TheParts) -> IndexList:
    """The indexes that are served."""
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
    responses=INDEX | documented(409),
)
async def merge_segments(served: TheIndex, parts: TheParts, small: bool = False) -> Merged:
    """Bring the segments of an index into one and drop what was deleted; `small` merges only
    small ones, in groups. Searches go on meanwhile, other changes wait.
    """
    return await in_turn(parts, lambda: _merge(served, small=small))


def _merge(served: ServedIndex, *, small: bool) -> Merged:
    silence(Unfinished)  # the answer says so
    with served.writing:
        served.newest.merge(small=small)
        index = served.refreshed()
    segments = index.info().segments
    return Merged(segments=segments, generation=index.generation, notes=notes_of(served))
