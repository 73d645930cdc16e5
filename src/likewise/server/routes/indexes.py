"""/v1/indexes: what is served."""

from __future__ import annotations

from fastapi import APIRouter

from likewise.server.held import Held
from likewise.server.models.indexes import IndexInfo, IndexList
from likewise.server.models.search import METHOD_NAMES
from likewise.server.routes.common import ALWAYS, INDEX, HeldIndex, TheParts

router = APIRouter(tags=["indexes"], responses=ALWAYS)


@router.get("/indexes")
def list_indexes(parts: TheParts) -> IndexList:
    """The indexes that are served."""
    return IndexList(indexes=list(map(told, parts.shelf)))


@router.get("/indexes/{index}", responses=INDEX)
def get_index(held: HeldIndex) -> IndexInfo:
    """What an index holds."""
    return told(held)


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
    )
