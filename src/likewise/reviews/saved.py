"""`index.reviews.searches()`: searches kept by name, and what came since somebody looked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from likewise.errors import StoreError, UsageError, sentence
from likewise.filters import as_filter
from likewise.reviews import searches
from likewise.reviews.arrivals import extent_of, first_new
from likewise.reviews.names import check_name, reviewer_or_login
from likewise.reviews.tables import home_of
from likewise.search import hits
from likewise.search.query import Query  # noqa: TC001  # rows become these

if TYPE_CHECKING:
    import builtins
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from likewise.reviews.arrivals import Extent
    from likewise.reviews.database import Database
    from likewise.reviews.searches import SavedSearch
    from likewise.search.generation import Generation
    from likewise.search.hits import Hits

LONGEST = 100_000  # characters of words and filters


class Asked(msgspec.Struct, frozen=True, omit_defaults=True):
    """A search as it was asked: by words or by a learned query, with a filter perhaps.

    `page` is where the page shows it; nothing else reads it.
    """

    words: str = ""
    query: Query | None = None
    filter: str = ""
    page: str = ""


class Found(NamedTuple):
    """What came since a look, and matches."""

    hits: Hits
    new: int
    """Documents that came, whether they match or not."""
    since: float | None
    """When somebody looked last, in seconds since 1970; None: never, and everything is new."""


class SavedSearches:
    """Searches of one index, in the database that holds its reviews.

    What is new is so for each reviewer: `seen` says that she has seen it.
    """

    def __init__(
        self,
        path: Path,
        newest: Callable[[], Generation],
        database: Callable[[], Database],
        there: Callable[[], bool],
    ) -> None:
        """`there` says whether there is a database: to look for searches must not make one."""
        self._home = home_of(path)
        self._newest, self._database, self._there = newest, database, there

    def save(
        self,
        name: str,
        words: str = "",
        *,
        query: Query | None = None,
        filter: str = "",
        page: str = "",
        owner: str | None = None,
    ) -> SavedSearch:
        """Keep a search, in place of one of this name; what is there now counts as seen."""
        check_name(name, "search")
        if bool(words.strip()) == (query is not None):
            raise UsageError("a search is by words or by a learned query: give one of them")
        if max(len(words), len(filter), len(page)) > LONGEST:
            raise UsageError(f"a search may have {LONGEST:,} characters")
        self._newest().kept(as_filter(filter or None))  # raises where it is none
        who = reviewer_or_login(owner)
        asked = msgspec.to_builtins(Asked(words.strip(), query, filter.strip(), page))
        searches.save(self._database(), self._home, name, asked, who)
        self.seen(name, reviewer=who)
        return self.get(name)

    def list(self) -> builtins.list[SavedSearch]:
        """All of them, the first saved first."""
        return searches.saved(self._database(), self._home) if self._there() else []

    def get(self, name: str) -> SavedSearch:
        for one in self.list():
            if one.name == name:
                return one
        raise UsageError(f"no search {name!r} is saved: there are {self._names()}")

    def run(
        self, name: str, k: int = 10, *, skip: int = 0, among: Sequence[str] | None = None
    ) -> Hits:
        """What it finds in the whole index, or among documents of these ids."""
        return self._run(self._newest(), self.get(name), k, skip, among)

    def new(self, name: str, *, reviewer: str | None = None, k: int = 10) -> Found:
        """The best of what came since the reviewer looked last."""
        generation, kept = self._newest(), self.get(name)
        snapshot = generation.snapshot
        last = self._last(name, reviewer)
        first = 0 if last is None else first_new(snapshot, last)
        came = snapshot.ids(range(first, len(snapshot)))
        found = self._run(generation, kept, k, 0, came)
        return Found(found, len(came), None if last is None else last.at)

    def seen(self, name: str, *, reviewer: str | None = None) -> None:
        """The reviewer has seen what there is now."""
        extent = extent_of(self._newest().snapshot)
        searches.look(self._database(), self._home, name, reviewer_or_login(reviewer), extent)

    def delete(self, name: str) -> None:
        if not searches.forget(self._database(), self._home, name):
            self.get(name)  # says which there are

    def _last(self, name: str, reviewer: str | None) -> Extent | None:
        who = reviewer_or_login(reviewer)
        return searches.last_look(self._database(), self._home, name, who)

    def _run(
        self,
        generation: Generation,
        kept: SavedSearch,
        k: int,
        skip: int,
        among: Sequence[str] | None,
    ) -> Hits:
        asked = _decoded(kept)
        how: dict[str, Any] = {"filter": as_filter(asked.filter or None), "skip": skip}
        if asked.query is not None:
            return hits.run(generation, asked.query, k, among=among, **how)
        return hits.search(generation, asked.words, k, among=among, **how)

    def _names(self) -> str:
        return ", ".join(repr(one.name) for one in self.list()) or "none"


def _decoded(kept: SavedSearch) -> Asked:
    try:
        asked = msgspec.convert(kept.search, Asked)
        problem = "" if asked.words else "it asks nothing"
        if asked.query is not None:
            problem = asked.query.problem()
    except msgspec.MsgspecError as error:
        problem = sentence(error)
    if problem:
        raise StoreError(f"the saved search {kept.name!r} is damaged ({problem}): delete it")
    return asked
