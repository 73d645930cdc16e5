"""What a user searches for: words, examples or a saved query, each run by one library call."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from likewise.cli.examples import STANDARD_INPUT, example, expanded, weights
from likewise.cli.failures import note, say
from likewise.cli.printing import learned as printed
from likewise.cli.printing.stdout import valid
from likewise.cli.printing.units import count, facts, share
from likewise.cli.progress import Bar
from likewise.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from likewise.cli.options.query import QueryOptions
    from likewise.index import Index
    from likewise.search.bound import LearnedQuery
    from likewise.search.hits import Hits
    from likewise.search.query import Learned, Query

NOT_OF_LEARNING = ("like", "query", "weighting")  # among the options of a query
GIVEN_APART = ("unlike", "weight", "method")  # of learning, but no keywords of Index.learn


@dataclass(frozen=True)
class Search:
    """Where to search, and what to show; `directory` is the index as the user named it."""

    index: Index
    directory: Path
    k: int
    filter: str | None = None
    details: bool = False
    among: Sequence[str] | None = None  # of a saved query only
    group_duplicates: bool = False

    @property
    def shown(self) -> dict[str, Any]:
        """What is asked of the index besides the query."""
        return {"filter": self.filter, "group_duplicates": self.group_duplicates}


class AnyQuery(Protocol):
    """`nothing` completes the sentence "no document in DIR …"."""

    nothing: ClassVar[str]

    def find(self, search: Search) -> Hits:
        """The best documents; notes about them go to stderr."""

    def fields(self) -> dict[str, Any]:
        """The query as fields of JSON results."""


@dataclass(frozen=True)
class WordsQuery:
    nothing: ClassVar[str] = "contains any of these words"

    words: str
    weighting: str | None

    def find(self, search: Search) -> Hits:
        from likewise.search.typed import weighting_name

        weighting = weighting_name(self.weighting)
        hits = search.index.search(self.words, search.k, weighting=weighting, **search.shown)
        self._count(search)
        return hits

    def _count(self, search: Search) -> None:
        """How many documents a minus and quotes leave."""
        from likewise.search.keywords import parse

        if parse(self.words).asks:
            left = search.index.count(search.filter, self.words)
            note(f"{left:,} of {count(len(search.index), 'document')} are left by - and quotes")

    def fields(self) -> dict[str, Any]:
        weighting = {"weighting": self.weighting} if self.weighting else {}
        return {"query": valid(self.words), **weighting}


@dataclass(frozen=True)
class SavedQuery:
    nothing: ClassVar[str] = "matches this query, apart from its examples"

    path: Path

    def find(self, search: Search) -> Hits:
        from likewise.search.query import Query

        query = Query.load(self.path)
        hits = search.index.run(query, search.k, among=search.among, **search.shown)
        known = f"{share(hits.known)} of the query's weight is on terms of {search.directory}"
        note(f"{self.path}: {known}")
        if search.details and hits.query is not None:
            _print_details(hits.query.learned)
        return _with_notes(hits)

    def fields(self) -> dict[str, Any]:
        return {"saved_query": valid(str(self.path))}


@dataclass(frozen=True)
class ExampleQuery:
    nothing: ClassVar[str] = "is left besides the examples"

    liked: list[str]
    disliked: list[str]
    weights: list[float] | None
    method: str
    weighting: str | None
    options: dict[str, Any]

    def find(self, search: Search) -> Hits:
        query = self._learn(search)
        note(printed.summary(query.learned))
        if search.details:
            _print_details(query.learned)
        return _with_notes(search.index.run(query, search.k, **search.shown))

    def _learn(self, search: Search) -> LearnedQuery:
        from likewise.search.typed import method_name, weighting_name

        index = search.index
        liked = [example(index, search.directory, value) for value in self.liked]
        disliked = [example(index, search.directory, value) for value in self.disliked]
        with Bar("learning") as bar, warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("ignore")
            warnings.simplefilter("always", UserWarning)
            query = index.learn(
                liked,
                disliked,
                method=method_name(self.method),
                weighting=weighting_name(self.weighting),
                progress=bar.learning if search.details else None,
                weights=self.weights,
                **self.options,
            )
        for warning in caught:
            say(str(warning.message))
        return query

    def fields(self) -> dict[str, Any]:
        weights = {"weights": self.weights} if self.weights else {}
        sides = {"like": self.liked, "unlike": self.disliked}
        return {name: list(map(valid, values)) for name, values in sides.items()} | weights


def query_of(words: Sequence[str] | None, options: QueryOptions) -> AnyQuery:
    """The query that was given; options that do not go with it are refused."""
    ways = {"WORDS": words, "--like": options.like, "--query": options.query}
    used = [way for way, value in ways.items() if value]
    if not used and not options.unlike:
        raise UsageError(
            "nothing to search for: give words, examples (--like) or a query (--query)"
        )
    if len(used) > 1:
        raise UsageError(f"{' and '.join(used)} exclude each other: give one of them")
    if options.like or not used:  # those disliked alone: what is least like them
        return _by_example(options.like or [], options)
    _refuse_given(options, _of_learning(options), "goes with --like")
    if options.query is None:
        return WordsQuery(" ".join(words or ()), options.weighting)
    _refuse_given(options, ("weighting",), "cannot be changed: a saved query has its own")
    return SavedQuery(options.query)


@contextmanager
def since_last_look(index: Index, query: Path | None) -> Iterator[list[str] | None]:
    """The ids that came since a query was last looked at; that it was is kept at the end."""
    if query is None:
        yield None
        return
    from likewise.watching.arrivals import Arrivals

    name = f"search {query.resolve()}"
    with Arrivals(index) as arrivals:
        look, last = arrivals.meet(), arrivals.last(name)
        if last is None:
            note(f"{query}: this is the first look, so that all documents are new")
        yield arrivals.since(last or 0)
        arrivals.looked(name, look)


def portable(hits: Hits) -> Query:
    """The query behind hits, as it can be saved and run on another index."""
    from likewise.search.query import Query

    if hits.query is None:
        raise UsageError("a query of words is not learned: give examples (--like), or an id")
    return hits.query if isinstance(hits.query, Query) else hits.query.portable


def _with_notes(hits: Hits) -> Hits:
    for line in hits.notes:
        note(line)
    return hits


def _print_details(learned: Learned) -> None:
    for line in facts(printed.details(learned)).splitlines():
        note(line)


def _by_example(like: list[str], options: QueryOptions) -> ExampleQuery:
    unlike = options.unlike or []
    if [*like, *unlike].count(STANDARD_INPUT) > 1:
        raise UsageError("standard input holds one example: give - only once")
    liked = expanded(like)
    keywords = [name for name in _of_learning(options) if name not in GIVEN_APART]
    given = {name: getattr(options, name) for name in keywords}
    return ExampleQuery(
        list(liked),
        list(expanded(unlike)),
        weights(liked, options.weight or []),
        options.method or "auto",
        options.weighting,
        {name: value for name, value in given.items() if value is not None},
    )


def _of_learning(options: QueryOptions) -> list[str]:
    """The options that mean something for examples only."""
    return [name for name in vars(options) if name not in NOT_OF_LEARNING]


def _refuse_given(options: QueryOptions, names: Sequence[str], why: str) -> None:
    for name in names:
        if getattr(options, name) not in (None, []):
            raise UsageError(f"--{name.replace('_', '-')} {why}")
