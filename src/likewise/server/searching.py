"""From a search request to its answer, on one generation of an index."""

from __future__ import annotations

import time
import warnings
from typing import TYPE_CHECKING, NamedTuple

from likewise.errors import NotConverged
from likewise.search.bound import LearnedQuery
from likewise.search.query import Query
from likewise.search.terms import adjust
from likewise.server import asking
from likewise.server.models.search import (
    QueryInfo,
    SearchAnswer,
    SearchByExamples,
    SearchByQuery,
    SearchByWords,
)
from likewise.server.problems import ProblemError
from likewise.server.shown import Showing, shown, weights

if TYPE_CHECKING:
    from likewise.index import Index
    from likewise.search.hits import AnyQuery, Hits
    from likewise.search.query import Learned
    from likewise.server.held import Held
    from likewise.server.remembered import Remembered
    from likewise.server.saved import SavedQueries
    from likewise.server.settings import Limits
    from likewise.solvers.stopping import Report

Request = SearchByWords | SearchByExamples | SearchByQuery


class Kept(NamedTuple):
    """A learned query, and the name of the index it belongs to."""

    home: str
    query: Query | LearnedQuery


class Searches:
    """Everything that answers searches shares."""

    def __init__(self, limits: Limits, learned: Remembered[Kept], saved: SavedQueries) -> None:
        self.limits, self.learned, self.saved = limits, learned, saved

    def answer(self, held: Held, request: Request, report: Report | None = None) -> SearchAnswer:
        """Search, within the time there is."""
        began = time.perf_counter()
        index = held.current
        filter = asking.filter_of(request.filter)
        told: QueryInfo | None = None
        query: AnyQuery
        weighting: str | None = None
        k, skip = request.limit, request.offset
        if isinstance(request, SearchByWords):
            query, weighting = request.words, request.weighting
            hits = index.search(query, k, weighting=weighting, filter=filter, skip=skip)
        else:
            id, learned = self._query(held, index, request, report)
            query = adjust(learned, request.terms.off, request.terms.pinned)
            hits = index.run(query, k, filter=filter, skip=skip)
            told = _told(id, query, hits, request)
        return SearchAnswer(
            index=held.name,
            generation=index.generation,
            documents=len(index),
            matching=index.count(filter),
            hits=shown(index, hits, query, weighting, Showing(request.explain, request.snippet)),
            next_offset=skip + k if len(hits) == k else None,
            query=told,
            seconds=time.perf_counter() - began,
        )

    def query(self, held: Held, name: str) -> Query | LearnedQuery:
        """The query of this id, or saved under this name."""
        kept = self.learned.get(name)
        if kept is not None and kept.home == held.name:
            return kept.query
        saved = self.saved.get(held, name)
        if saved is None:
            raise ProblemError(
                404, f"no query {name!r} for {held.name}: it may have been forgotten"
            )
        return saved.query

    def _query(
        self,
        held: Held,
        index: Index,
        request: SearchByExamples | SearchByQuery,
        report: Report | None,
    ) -> tuple[str, Query | LearnedQuery]:
        if isinstance(request, SearchByQuery):
            return request.query, self.query(held, request.query)
        # The answer tells what the warning would; filters cannot be set for one thread alone.
        warnings.filterwarnings("ignore", category=NotConverged)
        learned = index.learn(
            asking.examples(request.positive),
            asking.examples(request.negative),
            method=request.method,
            weighting=request.weighting,
            progress=in_time(self.limits.seconds, report),
            **request.options.model_dump(exclude_none=True),
        )
        return self.learned.put(Kept(held.name, learned)), learned


def in_time(seconds: float, report: Report | None) -> Report:
    """A report of progress that ends what takes too long."""
    end = time.monotonic() + seconds

    def checked(passes: int, objective: float, gap: float) -> None:
        if time.monotonic() > end:
            raise ProblemError(
                422,
                f"learning took longer than {seconds:g} seconds: choose a larger tol, "
                "sample_unlabeled or another method",
            )
        if report:
            report(passes, objective, gap)

    return checked


def _told(
    id: str, query: Query | LearnedQuery, hits: Hits, request: SearchByExamples | SearchByQuery
) -> QueryInfo:
    learned = query.learned
    up, down = query.heaviest(request.heaviest)
    return QueryInfo(
        id=id,
        method=learned.method,
        reason=learned.reason,
        examples=learned.examples,
        unlike=learned.unlike,
        unlabeled=learned.unlabeled,
        gap=learned.gap,
        tol=learned.tol,
        converged=learned.converged,
        passes=learned.passes,
        seconds=learned.seconds,
        weighting=query.weighting,
        known=hits.known,
        up=weights(up),
        down=weights(down),
        off=request.terms.off,
        pinned=request.terms.pinned,
        warnings=[
            *([] if learned.converged else [_stopped_early(learned)]),
            *hits.notes,
        ],
    )


def _stopped_early(learned: Learned) -> str:
    return f"learning stopped early, at a gap of {learned.gap:.2g}, above {learned.tol:g}"
