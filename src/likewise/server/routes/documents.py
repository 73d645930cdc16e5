"""/v1/indexes/{index}/documents: get, add, delete. A change is visible when it is answered."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query
from fastapi.responses import Response

from likewise.errors import LeftOut, Unfinished
from likewise.server.access import Role
from likewise.server.answers import json_response, stored_document
from likewise.server.causes import Cause
from likewise.server.indexes import ServedIndex
from likewise.server.listing import ids_of, listed_documents
from likewise.server.models.base import Id
from likewise.server.models.indexes import (
    Added,
    Deleted,
    DocumentList,
    NewDocuments,
    StoredDocument,
)
from likewise.server.problems import ProblemError, documented, silence, without_paths
from likewise.server.routes.common import (
    ALWAYS,
    INDEX,
    TheIndex,
    TheParts,
    TheStop,
    at_least,
    in_turn,
)
from likewise.server.search import check_sizes, filter_of
from likewise.server.wording import in_http

router = APIRouter(
    prefix="/indexes/{index}/documents", tags=["documents"], responses=ALWAYS | INDEX
)
WRITE = [at_least(Role.write)]
Ids = Annotated[list[Id], Query(min_length=1)]


@router.get("", response_model=DocumentList)
def list_documents(
    served: TheIndex,
    parts: TheParts,
    stop: TheStop,
    limit: Annotated[int, Query(ge=1)] = 100,
    after: Annotated[
        Id | None, Query(description="The last id of the page before.", examples=["1806.07419"])
    ] = None,
    filter: Annotated[str | None, Query(examples=["created>=2015"])] = None,
    snippet: Annotated[int, Query(ge=0, le=100_000)] = 300,
) -> Response:
    """The documents of an index in the order in which they came, a page at a time. What is added
    meanwhile comes at the end.
    """
    limits = parts.limits
    shown = {
        "limit": (limit, limits.results),
        "limit times snippet": (limit * snippet, limits.shown),
    }
    check_sizes(shown)
    chosen = stop.filter(filter_of(filter, limits))
    return json_response(listed_documents(served.current, chosen, after, limit, snippet, stop))


@router.get("/{id:path}")
def get_document(
    served: TheIndex, id: Annotated[Id, Path(examples=["1806.07419"])]
) -> StoredDocument:
    """A document as it was given. A slash in its id may stand as it is."""
    index = served.current
    if id not in index:
        raise ProblemError(Cause.unknown_document, f"no document {id!r} in {served.name}")
    return stored_document(index.document(id))


@router.post("", status_code=201, dependencies=WRITE, responses=documented(409))
async def add_documents(served: TheIndex, new: NewDocuments, parts: TheParts) -> Added:
    """Add documents in one step. Those that cannot be added are left out: `problems` says why."""
    if len(new.documents) > parts.limits.documents:
        raise ProblemError(
            Cause.too_much, f"there are more than {parts.limits.documents} documents"
        )
    return await in_turn(parts, lambda: _add(served, new))


def _add(served: ServedIndex, new: NewDocuments) -> Added:
    given = [document.model_dump(exclude_none=True) for document in new.documents]
    silence(LeftOut, Unfinished)  # the answer says so
    with served.writing:
        added = served.newest.add(given, on_duplicate=new.on_duplicate, strict=False)
        index = served.refreshed()
    return Added(
        documents=added.documents,
        replaced=added.replaced,
        skipped=added.skipped,
        duplicates=dict(added.duplicates),
        problems=[in_http(str(one)) for one in added.problems],
        generation=index.generation,
        notes=notes_of(served, added.notes),
        ids=ids_of(index, given),
    )


@router.delete("", dependencies=WRITE, responses=documented(409))
async def delete_documents(
    served: TheIndex, parts: TheParts, id: Ids, ignore_missing: bool = False
) -> Deleted:
    """Delete documents by their ids."""
    if len(id) > parts.limits.documents:
        raise ProblemError(Cause.too_much, f"there are more than {parts.limits.documents} ids")
    return await in_turn(parts, lambda: _delete(served, id, ignore_missing=ignore_missing))


def _delete(served: ServedIndex, ids: list[str], *, ignore_missing: bool) -> Deleted:
    silence(Unfinished)
    with served.writing:
        count = served.newest.delete(ids, ignore_missing=ignore_missing)
        generation = served.refreshed().generation
    return Deleted(documents=count, generation=generation, notes=notes_of(served))


def notes_of(served: ServedIndex, notes: tuple[str, ...] = ()) -> list[str]:
    """What failed after a change was made: it holds all the same."""
    if served.problem is not None:
        return [f"the change is made, but is not served yet: {served.problem}"]
    return [without_paths(note, served.folders) for note in notes]
