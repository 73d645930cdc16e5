"""/v1/indexes/{index}/queries: learned queries saved by name."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Response

from likewise.search.bound import LearnedQuery
from likewise.search.elsewhere import export_query as export
from likewise.search.terms import adjust
from likewise.server.access import Role
from likewise.server.answers import exported_query, saved_query
from likewise.server.causes import Cause
from likewise.server.models.base import Name
from likewise.server.models.queries import (
    ExportedQuery,
    ExportQuery,
    SavedQueries,
    SavedQuery,
    SaveQuery,
)
from likewise.server.problems import ProblemError, documented
from likewise.server.routes.common import (
    ALWAYS,
    INDEX,
    TheCaller,
    TheIndex,
    TheParts,
    TheStop,
    at_least,
)

router = APIRouter(prefix="/indexes/{index}/queries", tags=["queries"], responses=ALWAYS | INDEX)
REVIEW = [at_least(Role.review)]
TheName = Annotated[Name, Path(examples=["soft robots"])]


@router.get("")
def list_queries(served: TheIndex, parts: TheParts) -> SavedQueries:
    """The saved queries of an index; run one as `query` of a search."""
    index = served.current
    listed = parts.searches.saved.listed(served)
    return SavedQueries(queries=[saved_query(one, index) for one in listed])


@router.post("", status_code=201, dependencies=REVIEW, responses=documented(409))
def save_query(served: TheIndex, parts: TheParts, caller: TheCaller, new: SaveQuery) -> SavedQuery:
    """Save a learned query under a name."""
    query = adjust(parts.searches.query(served, new.query), new.terms.off, new.terms.pinned)
    kept = query.portable if isinstance(query, LearnedQuery) else query
    saved = parts.searches.saved.put(served, new.name, kept, caller, replace=new.replace)
    return saved_query(saved, served.current)


@router.get("/{name}")
def get_query(served: TheIndex, parts: TheParts, name: TheName) -> Response:
    """A query as a file, which `likewise search --query` runs as well."""
    import msgspec

    found = parts.searches.saved.get(served, name)
    if found is None:
        raise missing(name, served.name)
    return Response(msgspec.json.encode(found.query), media_type="application/json")


@router.post("/{name}/export")
def export_query(
    served: TheIndex, parts: TheParts, stop: TheStop, name: TheName, asked: ExportQuery
) -> ExportedQuery:
    """A learned or saved query, by its id or name, for another engine or database."""
    query = adjust(parts.searches.query(served, name), asked.terms.off, asked.terms.pinned)
    stop.check()
    return exported_query(
        export(
            query,
            asked.to,
            served.current.searcher,
            terms=asked.most,
            fields=asked.fields,
            relevant=asked.relevant,
            others=asked.others,
            beta=asked.beta,
        )
    )


@router.delete("/{name}", status_code=204, dependencies=REVIEW)
def delete_query(served: TheIndex, parts: TheParts, caller: TheCaller, name: TheName) -> None:
    """Delete a saved query."""
    if not parts.searches.saved.delete(served, name, caller):
        raise missing(name, served.name)


def missing(name: str, index: str) -> ProblemError:
    return ProblemError(Cause.unknown_query, f"no query {name!r} is saved for {index}")
