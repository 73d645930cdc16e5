"""Searches: requests checked against the limits, and answered from one generation of an index."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from likewise.document import Document, Text
from likewise.errors import NotConverged, UsageError
from likewise.filters import as_filter
from likewise.search.methods import METHODS
from likewise.search.terms import adjust
from likewise.search.typed import method_name, weighting_name
from likewise.server import answers
from likewise.server.causes import Cause
from likewise.server.models.search import (
    GivenId,
    GivenText,
    QueryInfo,
    SearchAnswer,
    SearchByExamples,
    SearchByQuery,
    SearchByWords,
)
from likewise.server.problems import ProblemError, silence

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from likewise.filters import Filter
    from likewise.index import Index
    from likewise.search.bound import LearnedQuery
    from likewise.search.examples import Example as LibraryExample
    from likewise.search.hits import AnyQuery
    from likewise.search.query import Query
    from likewise.server.indexes import ServedIndex
    from likewise.server.models.search import Asked, Example
    from likewise.server.queries import SavedQueries
    from likewise.server.recent import RecentQueries
    from likewise.server.settings import Limits
    from likewise.server.stop import Stop

Request = SearchByWords | SearchByExamples | SearchByQuery


class Searches:
    """Answers searches; `learned` holds recent queries by id, `saved` others by name."""

    def __init__(self, limits: Limits, learned: RecentQueries, saved: SavedQueries) -> None:
        self.limits, self.learned, self.saved = limits, learned, saved

    def answer(
        self, served: ServedIndex, request: Request, stop: Stop, index: Index | None = None
    ) -> SearchAnswer:
        """Search, until `stop` says that the time is up or the client has left.

        `index` is the generation to search, the newest by default.
        """
        began = time.perf_counter()
        stop.check()  # it may have waited for a thread
        index = index or served.current
        filter = stop.filter(filter_of(request.filter, self.limits))
        info: QueryInfo | None = None
        query: AnyQuery
        weighting: str | None = None
        k, skip = request.limit, request.offset
        shown: dict[str, Any] = {"filter": filter, "skip": skip}
        if request.group_duplicates:
            stop.check()
            shown["group_duplicates"] = True
        if isinstance(request, SearchByWords):
            query, weighting = request.words, request.weighting
            found = index.search(query, k, weighting=weighting_name(weighting), **shown)
        else:
            id, learned = self._query(served, index, request, stop)
            query = adjust(learned, request.terms.off, request.terms.pinned)
            found = index.run(query, k, **shown)
            info = answers.query_info(id, query, found, request, index)
        detail = answers.Detail(request.explain, request.snippet, stop.check)
        return SearchAnswer(
            index=served.name,
            generation=index.generation,
            documents=len(index),
            matching=index.count(filter, query if isinstance(query, str) else ""),
            hits=answers.hits(index, found, query, weighting, detail),
            next_offset=skip + k if len(found) == k else None,
            query=info,
            seconds=time.perf_counter() - began,
        )

    def close(self) -> None:
        self.learned.close()
        self.saved.close()

    def query(self, served: ServedIndex, name: str) -> Query | LearnedQuery:
        """The query of this id, or saved under this name."""
        recent = self.learned.get(served, name)
        if recent is not None:
            return recent
        saved = self.saved.get(served, name)
        if saved is None:
            raise ProblemError(
                Cause.unknown_query,
                f"no query {name!r} for {served.name}: learned queries are kept for "
                f"{self.limits.keep:g} seconds at most, saved ones until they are deleted",
            )
        return saved.query

    def _query(
        self,
        served: ServedIndex,
        index: Index,
        request: SearchByExamples | SearchByQuery,
        stop: Stop,
    ) -> tuple[str, Query | LearnedQuery]:
        if isinstance(request, SearchByQuery):
            return request.query, self.query(served, request.query)
        silence(NotConverged)  # the answer says so
        learned = index.learn(
            examples(request.positive),
            examples(request.negative),
            method=method_name(request.method),
            weighting=weighting_name(request.weighting),
            progress=stop.report,
            **request.options.model_dump(exclude_none=True),
        )
        return self.learned.put(served, learned), learned


def check_size(request: Asked, limits: Limits) -> None:
    """Raise where a request asks for too much."""
    sizes = {
        "limit": (request.limit, limits.results),
        "offset": (request.offset, limits.results),
        "filter": (len(request.filter or ""), limits.words),
        "limit times snippet": (request.limit * request.snippet, limits.shown),
        "limit with explain": (request.limit if request.explain else 0, limits.explained),
    }
    if isinstance(request, SearchByWords):
        sizes["words"] = (len(request.words), limits.words)
    if isinstance(request, SearchByExamples):
        sizes |= example_sizes(request.positive, request.negative, limits)
    check_sizes(sizes)


def example_sizes(
    positive: Sequence[Example], negative: Sequence[Example], limits: Limits
) -> dict[str, tuple[int, int]]:
    """How many examples there are and how long the longest is, each with what is allowed."""
    texts = (len(one.text) for one in (*positive, *negative) if isinstance(one, GivenText))
    return {
        "positive": (len(positive), limits.examples),
        "negative": (len(negative), limits.examples),
        "the text of an example": (max(texts, default=0), limits.text),
    }


def check_sizes(sizes: Mapping[str, tuple[int, int]]) -> None:
    """Raise for the first of the things named that is larger than it may be."""
    for name, (size, most) in sizes.items():
        if size > most:
            raise ProblemError(Cause.too_much, f"{name} may be {most} at most, not {size}")


def examples(given: Sequence[Example]) -> list[LibraryExample]:
    return [_example(one) for one in given]


def _example(given: Example) -> LibraryExample:
    if isinstance(given, str):
        return given
    if isinstance(given, GivenId):
        return given.id
    return Document(None, given.text, given.title) if given.title else Text(given.text)


def filter_of(text: str | None, limits: Limits) -> Filter | None:
    """The filter, if there is one; a reader may not make it arbitrarily much work."""
    check_sizes({"filter": (len(text or ""), limits.words)})
    try:
        filter = as_filter(text) if text and text.strip() else None
    except UsageError as error:
        raise ProblemError(Cause.bad_filter, str(error)) from error
    if filter is not None:
        values = sum(len(one.values) for one in filter.conditions)
        check_sizes(
            {
                "the number of a filter's conditions": (len(filter.conditions), limits.conditions),
                "the number of a filter's values": (values, limits.choices),
            }
        )
    return filter


def is_offline(request: Asked) -> bool:
    """Whether learning reads the whole index, perhaps often: such a search becomes a job."""
    if not isinstance(request, SearchByExamples):
        return False
    if request.method == "auto":
        return request.options.budget != "online"
    return not METHODS[request.method].online
