"""/v1/indexes/{index}/queries: learned queries that are kept by name."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Response

from likewise.search.bound import LearnedQuery
from likewise.search.terms import adjust
from likewise.server.models.base import Name
from likewise.server.models.queries import SavedQueries, SavedQuery, SaveQuery
from likewise.server.problems import ProblemError, documented
from likewise.server.reviews import stamp
from likewise.server.routes.common import ALWAYS, INDEX, HeldIndex, TheParts, at_least
from likewise.server.saved import Saved
from likewise.server.shown import weights
from likewise.server.tokens import Role

router = APIRouter(prefix="/indexes/{index}/queries", tags=["queries"], responses=ALWAYS | INDEX)
REVIEW = [at_least(Role.review)]
SHOWN = 20
TheName = Annotated[Name, Path(examples=["soft robots"])]


@router.get("")
def list_queries(held: HeldIndex, parts: TheParts) -> SavedQueries:
    """The queries that are kept for an index; run one as `query` of a search."""
    return SavedQueries(queries=list(map(told, parts.searches.saved.listed(held))))


@router.post("", status_code=201, dependencies=REVIEW, responses=documented(409))
def save_query(held: HeldIndex, parts: TheParts, new: SaveQuery) -> SavedQuery:
    """Keep a learned query under a name."""
    query = adjust(parts.searches.query(held, new.query), new.terms.off, new.terms.pinned)
    kept = query.portable if isinstance(query, LearnedQuery) else query
    return told(parts.searches.saved.put(held, new.name, kept, replace=new.replace))


@router.get("/{name}")
def get_query(held: HeldIndex, parts: TheParts, name: TheName) -> Response:
    """A query as a file, which `likewise search --query` runs as well."""
    import msgspec

    found = parts.searches.saved.get(held, name)
    if found is None:
        raise missing(name, held.name)
    return Response(msgspec.json.encode(found.query), media_type="application/json")


@router.delete("/{name}", status_code=204, dependencies=REVIEW)
def delete_query(held: HeldIndex, parts: TheParts, name: TheName) -> None:
    """Forget a query."""
    if not parts.searches.saved.delete(held, name):
        raise missing(name, held.name)


def missing(name: str, index: str) -> ProblemError:
    return ProblemError(404, f"no query {name!r} is kept for {index}")


def told(saved: Saved) -> SavedQuery:
    up, down = saved.query.heaviest(SHOWN)
    return SavedQuery(
        name=saved.name,
        created=stamp(saved.created),
        method=saved.query.learned.method,
        examples=saved.query.learned.examples,
        terms=len(saved.query.terms),
        up=weights(up),
        down=weights(down),
    )
