"""/v1/indexes/{index}/documents: get, add, delete. An add is visible when it is answered."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from likewise.document import Document
from likewise.server.held import Held
from likewise.server.models.base import Id
from likewise.server.models.indexes import Added, Deleted, NewDocuments, StoredDocument
from likewise.server.problems import ProblemError, documented
from likewise.server.routes.common import ALWAYS, INDEX, HeldIndex, TheParts, at_least, in_turn
from likewise.server.tokens import Role

router = APIRouter(
    prefix="/indexes/{index}/documents", tags=["documents"], responses=ALWAYS | INDEX
)
WRITE = [at_least(Role.write)]
Ids = Annotated[list[Id], Query(min_length=1)]


@router.get("/{id:path}")
def get_document(
    held: HeldIndex, id: Annotated[Id, Path(examples=["1806.07419"])]
) -> StoredDocument:
    """A document as it was given. A slash in its id may stand as it is."""
    index = held.current
    if id not in index:
        raise ProblemError(404, f"no document {id!r} in {held.name}")
    return told(index.document(id))


@router.post("", status_code=201, dependencies=WRITE, responses=documented(409))
async def add_documents(held: HeldIndex, new: NewDocuments, parts: TheParts) -> Added:
    """Add documents, all of them at once."""
    if len(new.documents) > parts.limits.documents:
        raise ProblemError(422, f"there are more than {parts.limits.documents} documents")
    return await in_turn(parts, lambda: _add(held, new))


def _add(held: Held, new: NewDocuments) -> Added:
    given = [document.model_dump(exclude_none=True) for document in new.documents]
    with held.writing:
        added = held.newest.add(given, on_duplicate=new.on_duplicate)
        generation = held.refreshed().generation
    return Added(
        documents=added.documents,
        replaced=added.replaced,
        skipped=added.skipped,
        problems=list(map(str, added.problems)),
        generation=generation,
    )


@router.delete("", dependencies=WRITE, responses=documented(409))
async def delete_documents(
    held: HeldIndex, parts: TheParts, id: Ids, ignore_missing: bool = False
) -> Deleted:
    """Delete documents by their ids."""
    if len(id) > parts.limits.documents:
        raise ProblemError(422, f"there are more than {parts.limits.documents} ids")
    return await in_turn(parts, lambda: _delete(held, id, ignore_missing=ignore_missing))


def _delete(held: Held, ids: list[str], *, ignore_missing: bool) -> Deleted:
    with held.writing:
        count = held.newest.delete(ids, ignore_missing=ignore_missing)
        generation = held.refreshed().generation
    return Deleted(documents=count, generation=generation)


def told(document: Document) -> StoredDocument:
    return StoredDocument(
        id=document.id, title=document.title, text=document.text, fields=document.fields
    )
