"""Searches: requests checked against the limits, and answered from one generation of an index."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from likewise.document import Document, Text
from likewise.errors import NotConverged
from likewise.filters import as_filter
from likewise.search.bound import LearnedQuery
from likewise.search.methods import METHODS
from likewise.search.query import Query
from likewise.search.terms import adjust
from likewise.server import answers
from likewise.server.models.search import (
    GivenId,
    QueryInfo,
    SearchAnswer,
    SearchByExamples,
    SearchByQuery,
    SearchByWords,
)
from likewise.server.problems import ProblemError, silence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likewise.filters import Filter
    from likewise.index import Index
    from likewise.search.examples import Example as LibraryExample
    from likewise.search.hits import AnyQuery
    from likewise.server.indexes import ServedIndex
    from likewise.server.jobs import Expiring
    from likewise.server.models.search import Asked, Example
    from likewise.server.queries import SavedQueries
    from likewise.server.settings import Limits
    from likewise.solvers.stopping import Report

Request = SearchByWords | SearchByExamples | SearchByQuery


class RecentQuery(NamedTuple):
    """A learned query, and the name of the index it belongs to."""

    home: str
    query: Query | LearnedQuery


class Searches:
    """Answers searches; `learned` holds recent queries by id, `saved` others by name."""

    def __init__(self, limits: Limits, learned: Expiring[RecentQuery], saved: SavedQueries) -> None:
        self.limits, self.learned, self.saved = limits, learned, saved

    def answer(
        self, served: ServedIndex, request: Request, report: Report | None = None
    ) -> SearchAnswer:
        """Search, within the time that the limits allow."""
        began = time.perf_counter()
        index = served.current
        filter = filter_of(request.filter)
        info: QueryInfo | None = None
        query: AnyQuery
        weighting: str | None = None
        k, skip = request.limit, request.offset
        if isinstance(request, SearchByWords):
            query, weighting = request.words, request.weighting
            found = index.search(query, k, weighting=weighting, filter=filter, skip=skip)
        else:
            id, learned = self._query(served, index, request, report)
            query = adjust(learned, request.terms.off, request.terms.pinned)
            found = index.run(query, k, filter=filter, skip=skip)
            info = answers.query_info(id, query, found, request)
        detail = answers.Detail(request.explain, request.snippet)
        return SearchAnswer(
            index=served.name,
            generation=index.generation,
            documents=len(index),
            matching=index.count(filter),
            hits=answers.hits(index, found, query, weighting, detail),
            next_offset=skip + k if len(found) == k else None,
            query=info,
            seconds=time.perf_counter() - began,
        )

    def query(self, served: ServedIndex, name: str) -> Query | LearnedQuery:
        """The query of this id, or saved under this name."""
        recent = self.learned.get(name)
        if recent is not None and recent.home == served.name:
            return recent.query
        saved = self.saved.get(served, name)
        if saved is None:
            raise ProblemError(
                404,
                f"no query {name!r} for {served.name}: learned queries are kept for "
                f"{self.limits.keep:g} seconds, saved ones until they are deleted",
            )
        return saved.query

    def _query(
        self,
        served: ServedIndex,
        index: Index,
        request: SearchByExamples | SearchByQuery,
        report: Report | None,
    ) -> tuple[str, Query | LearnedQuery]:
        if isinstance(request, SearchByQuery):
            return request.query, self.query(served, request.query)
        silence(NotConverged)  # the answer says so
        learned = index.learn(
            examples(request.positive),
            examples(request.negative),
            method=request.method,
            weighting=request.weighting,
            progress=in_time(self.limits.seconds, report),
            **request.options.model_dump(exclude_none=True),
        )
        return self.learned.put(RecentQuery(served.name, learned)), learned


def check_size(request: Asked, limits: Limits) -> None:
    """Raise where a request asks for too much."""
    sizes = {
        "limit": (request.limit, limits.results),
        "offset": (request.offset, limits.results),
        "filter": (len(request.filter or ""), limits.words),
    }
    if isinstance(request, SearchByWords):
        sizes["words"] = (len(request.words), limits.words)
    if isinstance(request, SearchByExamples):
        sizes["positive"] = (len(request.positive), limits.examples)
        sizes["negative"] = (len(request.negative), limits.examples)
    check_sizes(**sizes)


def check_sizes(**sizes: tuple[int, int]) -> None:
    """Raise for the first of the things named that is larger than it may be."""
    for name, (size, most) in sizes.items():
        if size > most:
            raise ProblemError(422, f"{name} may be {most} at most, not {size}")


def examples(given: Sequence[Example]) -> list[LibraryExample]:
    return [_example(one) for one in given]


def _example(given: Example) -> LibraryExample:
    if isinstance(given, str):
        return given
    if isinstance(given, GivenId):
        return given.id
    return Document(None, given.text, given.title) if given.title else Text(given.text)


def filter_of(text: str | None) -> Filter | None:
    return as_filter(text) if text and text.strip() else None


def is_offline(request: Asked) -> bool:
    """Whether learning reads the whole index, perhaps often: such a search becomes a job."""
    if not isinstance(request, SearchByExamples):
        return False
    if request.method == "auto":
        return request.options.budget != "online"
    return not METHODS[request.method].online


def in_time(seconds: float, report: Report | None) -> Report:
    """A report of progress that ends learning when its time is up."""
    end = time.monotonic() + seconds

    def checked(passes: int, objective: float, gap: float) -> None:
        if time.monotonic() > end:
            raise ProblemError(
                422,
                f"learning took longer than {seconds:g} seconds: choose a larger tol, "
                "sample_unlabeled, a budget or another method",
            )
        if report:
            report(passes, objective, gap)

    return checked
