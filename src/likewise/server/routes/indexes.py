"""/v1/indexes: what is served."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from likewise.server.answers import field_info, index_info
from likewise.server.models.indexes import FieldList, IndexInfo, IndexList
from likewise.server.routes.common import ALWAYS, INDEX, TheIndex, TheParts

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
