"""/v1/indexes/{index}/searches: searches kept by name, and what came since somebody looked."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query
from fastapi.responses import Response

from likewise.errors import UsageError
from likewise.reviews.saved import SavedSearches as Kept
from likewise.reviews.searches import SavedSearch as KeptSearch
from likewise.search.bound import LearnedQuery
from likewise.search.query import Query as LearnedFile
from likewise.search.terms import adjust
from likewise.server import answers
from likewise.server.access import Caller, Role
from likewise.server.causes import Cause
from likewise.server.indexes import ServedIndex
from likewise.server.models.base import Name
from likewise.server.models.news import NewHits, SavedSearch, SavedSearches, SaveSearch
from likewise.server.problems import ProblemError
from likewise.server.routes.common import (
    ALWAYS,
    INDEX,
    Parts,
    TheCaller,
    TheIndex,
    TheParts,
    TheStop,
    at_least,
)
from likewise.server.search import check_sizes, filter_of
from likewise.watching.feed import feed

router = APIRouter(prefix="/indexes/{index}/searches", tags=["queries"], responses=ALWAYS | INDEX)
REVIEW = [at_least(Role.review)]
TheName = Annotated[Name, Path(examples=["soft robots"])]
Reviewer = Annotated[Name | None, Query(description="Who looks; a token's name goes before.")]
Limit = Annotated[int, Query(ge=1, description="The most hits.")]
MOST_COUNTED = 100  # new documents that are counted for the list


@router.get("")
def list_searches(
    served: TheIndex, parts: TheParts, caller: TheCaller, reviewer: Reviewer = None
) -> SavedSearches:
    """The searches of an index, each with how much of what came since you looked it finds."""
    kept = _kept(served, parts)
    who = caller.name or reviewer
    return SavedSearches(searches=[_saved(kept, one, caller, who) for one in kept.list()])


@router.post("", status_code=201, dependencies=REVIEW)
def save_search(
    served: TheIndex, parts: TheParts, caller: TheCaller, new: SaveSearch
) -> SavedSearch:
    """Keep a search under a name, in place of one of yours that has it."""
    filter_of(new.filter or None, parts.limits)
    check_sizes({"words": (len(new.words), parts.limits.words)})
    kept = _kept(served, parts)
    for one in kept.list():
        if one.name == new.name:
            _refuse_others(caller, one)
    query = _query(served, parts, new)
    given = {"words": "" if query else new.words, "filter": new.filter, "page": new.page}
    made = kept.save(new.name, query=query, owner=caller.name or None, **given)
    return _saved(kept, made, caller, caller.name or None)


@router.get("/{name}/new")
def list_new_hits(
    served: TheIndex,
    parts: TheParts,
    caller: TheCaller,
    name: TheName,
    stop: TheStop,
    reviewer: Reviewer = None,
    limit: Limit = 10,
) -> NewHits:
    """What came since you looked last, the best first."""
    check_sizes({"limit": (limit, parts.limits.results)})
    kept = _known(served, parts, name)
    found = kept.new(name, reviewer=caller.name or reviewer, k=limit)
    detail = answers.Detail(0, 300, stop.check)
    return NewHits(
        since=None if found.since is None else answers.stamp(found.since),
        documents=found.new,
        hits=answers.hits(served.current, found.hits, None, None, detail),
    )


@router.post("/{name}/seen", status_code=204, dependencies=REVIEW)
def call_search_seen(
    served: TheIndex, parts: TheParts, caller: TheCaller, name: TheName, reviewer: Reviewer = None
) -> None:
    """You have seen what there is now: only what comes later is new."""
    _known(served, parts, name).seen(name, reviewer=caller.name or reviewer)


@router.get(
    "/{name}/feed",
    response_class=Response,
    responses={200: {"content": {"application/atom+xml": {}}}},
)
def get_search_feed(served: TheIndex, parts: TheParts, name: TheName) -> Response:
    """An Atom feed of what came and matches, the newest first; it begins with its first request."""
    kept = _known(served, parts, name)
    return Response(feed(served.current, kept, name), media_type="application/atom+xml")


@router.delete("/{name}", status_code=204, dependencies=REVIEW)
def delete_search(served: TheIndex, parts: TheParts, caller: TheCaller, name: TheName) -> None:
    """Delete a search; for who saved it."""
    kept = _known(served, parts, name)
    _refuse_others(caller, kept.get(name))
    kept.delete(name)


def _kept(served: ServedIndex, parts: Parts) -> Kept:
    return parts.reviews.searches(served)


def _known(served: ServedIndex, parts: Parts, name: str) -> Kept:
    kept = _kept(served, parts)
    try:
        kept.get(name)
    except UsageError as error:
        raise ProblemError(
            Cause.unknown_search, f"no search {name!r} is saved for {served.name}"
        ) from error
    return kept


def _query(served: ServedIndex, parts: Parts, new: SaveSearch) -> LearnedFile | None:
    if new.query is None:
        return None
    query = adjust(parts.searches.query(served, new.query), new.terms.off, new.terms.pinned)
    return query.portable if isinstance(query, LearnedQuery) else query


def _saved(kept: Kept, one: KeptSearch, caller: Caller, who: str | None) -> SavedSearch:
    found = kept.new(one.name, reviewer=who, k=MOST_COUNTED)
    return SavedSearch(
        name=one.name,
        owner=one.owner,
        yours=caller.owns(one.owner),
        created=answers.stamp(one.created),
        words=str(one.search.get("words", "")),
        learned="query" in one.search,
        filter=str(one.search.get("filter", "")),
        page=str(one.search.get("page", "")),
        since=None if found.since is None else answers.stamp(found.since),
        new=0 if found.since is None else len(found.hits),
    )


def _refuse_others(caller: Caller, one: KeptSearch) -> None:
    if not caller.owns(one.owner):
        whose = f"{one.owner}'s" if one.owner else "nobody's that is known"
        raise ProblemError(
            Cause.not_yours,
            f"search {one.name!r} is {whose}: its owner may do this, or a token of owner",
        )
