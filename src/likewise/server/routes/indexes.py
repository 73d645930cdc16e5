"""/v1/indexes: what is served."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from likewise.server.held import Held
from likewise.server.models.indexes import FieldInfo, FieldList, FieldValue, IndexInfo, IndexList
from likewise.server.models.search import METHOD_NAMES
from likewise.server.routes.common import ALWAYS, INDEX, HeldIndex, TheParts
from likewise.store.fields import FieldSummary

router = APIRouter(tags=["indexes"], responses=ALWAYS)


@router.get("/indexes")
def list_indexes(parts: TheParts) -> IndexList:
    """The indexes that are served."""
    return IndexList(indexes=list(map(told, parts.shelf)))


@router.get("/indexes/{index}", responses=INDEX)
def get_index(held: HeldIndex) -> IndexInfo:
    """What an index holds."""
    return told(held)


@router.get("/indexes/{index}/fields", responses=INDEX)
def get_fields(held: HeldIndex, most: Annotated[int, Query(ge=0, le=1_000)] = 20) -> FieldList:
    """The fields that documents can be filtered by, those that most documents have first."""
    return FieldList(fields=list(map(_field, held.current.fields(most))))


def _field(field: FieldSummary) -> FieldInfo:
    return FieldInfo(
        name=field.name,
        documents=field.documents,
        distinct=field.distinct,
        values=[FieldValue(value=value, documents=count) for value, count in field.values],
        least=field.least,
        most=field.most,
    )


def told(held: Held) -> IndexInfo:
    info = held.current.info()
    return IndexInfo(
        name=held.name,
        kind=info.kind,
        documents=info.documents,
        deleted=info.deleted,
        terms=info.terms,
        generation=info.generation,
        bytes_on_disk=info.bytes_on_disk,
        settings=info.settings,
        methods=list(METHOD_NAMES),
        problem=held.problem,
    )
