"""The reviews of an index: how a session is made, continued, listed, renamed and deleted."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import msgspec

from likewise import arguments
from likewise.errors import UnknownSessionError, UsageError
from likewise.feedback import Ranker
from likewise.feedback.documents import Documents
from likewise.reviews import arrivals, audit, records, start
from likewise.reviews.database import Database, url_of
from likewise.reviews.known import look_up
from likewise.reviews.ledger import Ledger
from likewise.reviews.live import Live, MovedError
from likewise.reviews.names import check_name, is_name, reviewer_or_login
from likewise.reviews.records import Position
from likewise.reviews.session import Session
from likewise.reviews.settings import Settings, check_names

if TYPE_CHECKING:
    import builtins
    import os
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from sqlalchemy.engine import URL

    from likewise.document import Document
    from likewise.reviews.audit import Act
    from likewise.reviews.known import Known
    from likewise.reviews.records import May, SessionRow
    from likewise.reviews.saved import SavedSearches
    from likewise.reviews.start import StoredStart
    from likewise.search.examples import Examples
    from likewise.search.generation import Generation
    from likewise.solvers.stopping import Report

    Place = str | os.PathLike[str] | None

T = TypeVar("T")
SUFFIX = ".sessions.sqlite"
MOST_BYTES = 512 << 20  # of the sessions of one index in memory, together


class ListedSession(NamedTuple):
    """A session among others; times are in seconds since 1970, UTC."""

    name: str
    reviewers: int
    events: int
    """Judgements ever made, also those changed, withdrawn or undone, and the undoing."""
    created: float
    last: float | None
    here: bool
    """Whether it is of this index; a database may hold those of others."""
    owner: str = ""
    """Who made it; "" where nobody knows."""
    archived: bool = False


Sessions = list[ListedSession]


class Reviews:
    """`index.reviews`: one engine for each database, and one Live for each session in use.

    Sessions are kept in a file beside the index unless a call names another `database`.
    """

    def __init__(self, path: Path, newest: Callable[[], Generation]) -> None:
        self._path = path.resolve()
        self._url = url_of(self.place)
        self._newest = newest
        self._databases: dict[URL, Database] = {}
        self._lives: OrderedDict[tuple[str, int], Live] = OrderedDict()  # the last used last
        self.most_bytes = MOST_BYTES
        self._lock = Lock()

    def __repr__(self) -> str:
        return f"Reviews({str(self._path)!r})"

    def open(
        self,
        name: str = "review",
        *,
        query: str | None = None,
        examples: Examples = (),
        unlike: Examples = (),
        reviewer: str | None = None,
        database: Place = None,
        adopt: bool = False,
        **settings: Any,
    ) -> Session:
        """Begin a session of judging, or continue the one of this name.

        `query`, `examples` and `unlike` are what it begins with; leave them out to continue it.
        The reviewer is who has logged in, unless said. Judgements are kept in a file beside the
        index, or in `database`: another file, or the URL of a PostgreSQL database. `settings` are
        those of likewise.reviews.Settings: method, selection, page_size, combine, … `adopt`
        takes over the session of another index that holds the same documents.
        """
        check_names(settings)
        arguments.text("name", name)
        arguments.optional_text("query", query)
        arguments.optional_text("reviewer", reviewer)
        fields = self._newest().analyzer.settings.fields
        begun = start.stored(query, examples, unlike, fields)
        check_name(name)
        who = reviewer_or_login(reviewer)
        if not who.strip():
            raise UsageError("the reviewer's name is empty: give one")
        opened = self._database(database)
        row = records.find(opened, name) or self._create(opened, name, begun, settings, who)
        if not self._takes_over(opened, row, who, adopt=adopt):
            raise UsageError(
                f"session {row.name!r} in {opened.place} is of another index, {row.path}: "
                "choose another name, or say adopt if this is the same collection"
            )
        live = self._live(opened, row)
        with live.turn():
            live.follow()
            if begun and begun != live.start:
                raise UsageError(
                    f"session {row.name!r} began with something else: to continue it leave out "
                    "query, examples and unlike, or begin another one under another name"
                )
            _change(live, settings, who)
        self._forget()
        return Session(live, who)

    def begin(self, name: str, **options: Any) -> Session:
        """Begin a session with all that is known and planned; `options` are those of `open`, and

        `known` and `known_not`: papers by id, DOI, PMID or title, as files, or as documents. Those
        among the records are judged, others are examples. `labels`: those that stand in the
        records, in any field or in the one named. `protocol` and `team`: their parts by name.
        """
        from likewise.reviews.beginning import begin

        return begin(self, name, **options)

    def look_up(self, given: Iterable[str | Path | Document]) -> Known:
        """Which records papers are: names (ids, DOIs, PMIDs, titles), files, documents."""
        return look_up(self._newest(), given)

    def find(
        self,
        name: str,
        *,
        reviewer: str | None = None,
        database: Place = None,
        may: May | None = None,
        **settings: Any,
    ) -> Session | None:
        """Continue the session of this name, as `open` does; None if this index has none.

        `may` raises if its settings must not be changed; it is given the session's row.
        """
        check_names(settings)
        who = reviewer_or_login(reviewer)
        try:
            live = self._with(name, database, lambda live: _change(live, settings, who, may))
        except UnknownSessionError:
            return None
        return Session(live, who)

    def turn(
        self,
        name: str,
        work: Callable[[Session], T],
        *,
        reviewer: str | None = None,
        database: Place = None,
        report: Report | None = None,
    ) -> T:
        """Call `work` with the session that has this name now, as one turn.

        Other threads wait, and the database is read once. Raises UnknownSessionError if this index
        has no such session. `work` is called again if the name was given to another session
        before it had read or written anything. `report` is told of progress in learning from
        examples, and may raise to end it.
        """
        who = reviewer_or_login(reviewer)

        def reporting(live: Live) -> T:
            live.report = report
            try:
                return work(Session(live, who))
            finally:
                live.report = None

        return self._with(name, database, reporting)

    def release(self) -> None:
        """Let go of older generations; sessions that are in use do so when they go on."""
        with self._lock:
            lives = [*self._lives.values()]
        for live in lives:
            live.release()

    def list(self, database: Place = None) -> Sessions:
        """All sessions, the one last used first."""
        if database is None and not self.place.exists():
            return []
        identity = self._identity
        return [
            ListedSession(
                *(row.name, reviewers, events, row.created, last, row.identity == identity),
                owner=row.owner,
                archived=bool(row.archived),
            )
            for row, reviewers, events, last in records.listed(self._database(database))
        ]

    def rename(
        self,
        name: str,
        new: str,
        database: Place = None,
        *,
        by: str | None = None,
        may: May | None = None,
    ) -> None:
        """`by` is who does it, `may` raises if they must not; so for the methods below."""
        arguments.text("name", name)
        check_name(arguments.text("new", new))
        records.rename(self._existing(name, database), name, new, reviewer_or_login(by), may)

    def delete(
        self, name: str, database: Place = None, *, by: str | None = None, may: May | None = None
    ) -> None:
        """Delete a session with all its judgements and their history."""
        found = self._existing(arguments.text("name", name), database)
        records.remove(found, name, reviewer_or_login(by), may)
        if live := self._last_of(found, name):
            self._drop(live)

    def hand_over(
        self,
        name: str,
        owner: str,
        database: Place = None,
        *,
        by: str | None = None,
        may: May | None = None,
    ) -> None:
        """Give a session to another owner."""
        arguments.text("owner", owner)
        self._set(name, database, by, "owner", may, owner=owner)

    def archive(
        self,
        name: str,
        archived: bool = True,
        database: Place = None,
        *,
        by: str | None = None,
        may: May | None = None,
    ) -> None:
        """Mark a session as done with, or not; it can be read and judged as before."""
        self._set(name, database, by, "archive", may, archived=int(archived))

    def searches(self, database: Place = None) -> SavedSearches:
        """Searches kept by name, and what came since somebody looked."""
        from likewise.reviews.saved import SavedSearches

        return SavedSearches(
            self._path,
            self._newest,
            lambda: self._database(database),
            lambda: database is not None or self.place.exists(),
        )

    def audit(self, name: str | None = None, database: Place = None) -> builtins.list[Act]:
        """What was done to sessions, also to those renamed and deleted since; the first first."""
        if database is None and not self.place.exists():
            return []
        acts = audit.read(self._database(database))
        known = {act.session for act in acts if name in (None, act.name, act.detail.get("to"))}
        return [act for act in acts if act.session in known]

    @property
    def place(self) -> Path:
        """The file beside the index that holds its sessions unless another is named."""
        return self._path.with_name(self._path.name + SUFFIX)

    @property
    def _identity(self) -> str:
        return self._newest().snapshot.manifest.identity

    def _set(
        self,
        name: str,
        database: Place,
        by: str | None,
        action: str,
        may: May | None,
        **values: str | int,
    ) -> None:
        who = reviewer_or_login(by)
        self._with(name, database, lambda live: _set(live, who, action, may, **values))

    def _existing(self, name: str, database: Place) -> Database:
        """Where the session is; asking for one that is not there makes no file."""
        if database is None and not self.place.exists():
            raise UsageError(f"no session {name!r}: there is no {self.place} yet")
        return self._database(database)

    def _database(self, place: Place) -> Database:
        url = self._url if place is None else url_of(place)
        with self._lock:
            if url not in self._databases:
                self._databases[url] = Database(url.render_as_string(hide_password=False))
            return self._databases[url]

    def _with(self, name: str, place: Place, work: Callable[[Live], T]) -> T:
        """Call `work` within a turn of the session that has this name now.

        The one that had it last is tried first: that it still has is found out when `work` reads.
        """
        unknown = UnknownSessionError(f"no session {name!r} for {self._path}")
        if not is_name(name) or (place is None and not self.place.exists()):
            raise unknown  # some databases cannot be asked for a name that is none
        database = self._database(place)
        live = self._last_of(database, name)
        while True:
            if live is None:
                row = records.find(database, name)
                if row is None or not self._takes_over(
                    database, row, reviewer_or_login(None), adopt=False
                ):
                    raise unknown
                live = self._live(database, row)
            try:
                with live.turn(expected=(name, self._identity)):
                    return work(live)
            except MovedError:
                self._drop(live)
                live = None
            finally:
                self._forget()

    def _last_of(self, database: Database, name: str) -> Live | None:
        with self._lock:
            known = [(key, live) for key, live in self._lives.items() if live.database is database]
            key, found = next((pair for pair in known if pair[1].name == name), (None, None))
            if key is not None:
                self._lives.move_to_end(key)
            return found

    def _live(self, database: Database, row: SessionRow) -> Live:
        key = (database.place, row.number)
        with self._lock:
            if key not in self._lives:
                self._lives[key] = Live(database, row, self._newest)
            self._lives.move_to_end(key)
            return self._lives[key]

    def _drop(self, live: Live) -> None:
        """Keep this one no longer: it was deleted, or has another name by which it is found."""
        with self._lock:
            self._lives.pop((live.database.place, live.number), None)

    def _forget(self) -> None:
        """Keep no more sessions in memory than `most_bytes`, but for the one used last.

        One that is in use goes on without being listed here, as if in another process.
        """
        with self._lock:
            sizes = {key: live.size for key, live in self._lives.items()}
            total = sum(sizes.values())
            for key in list(sizes)[:-1]:
                if total <= self.most_bytes:
                    return
                del self._lives[key]
                total -= sizes[key]

    def _create(
        self, database: Database, name: str, begun: StoredStart, given: dict[str, Any], owner: str
    ) -> SessionRow:
        settings = Settings(group_duplicates=True).changed(**given)
        self._try(begun, settings)
        text = msgspec.json.encode(settings).decode()
        row = records.create(
            database, name, self._identity, str(self._path), start.encode(begun), text, owner
        )
        arrivals.arrive(database, row.number, arrivals.extent_of(self._newest().snapshot))
        return row

    def _try(self, begun: StoredStart, settings: Settings) -> None:
        """Refuse what makes no sense before it is kept; an unknown id is not passed over yet."""
        generation = self._newest()
        documents = Documents(generation.snapshot)
        for id, number in zip(begun.ids, documents.numbers(begun.ids), strict=True):
            if number < 0:
                raise UsageError(
                    f"no document {id!r} in {generation.place}: "
                    "give a file as a Path and raw text as Text(...)"
                )
        Ranker(
            generation,
            start.restored(begun, documents),
            method=settings.method,
            selection=settings.selection,
            weighting=settings.weighting,
            seed=settings.seed,
            documents=documents,
        )

    def _takes_over(self, database: Database, row: SessionRow, by: str, *, adopt: bool) -> bool:
        """A session is of one collection, which may have been indexed anew or moved since."""
        identity = self._identity
        if row.identity != identity:
            if not adopt and not self._is_rebuilt(database, row):
                return False
            path = str(self._path)
            records.change(database, row.number, by, "adopt", identity=identity, path=path)
        return True

    def _is_rebuilt(self, database: Database, row: SessionRow) -> bool:
        """Whether the index is where it was and still has most of what was judged."""
        if row.path != str(self._path):
            return False
        ledger = Ledger()
        news = records.news(database, row.number, Position())
        ledger.feed(news.events if news else ())
        judged = list(ledger.by_document())
        there = Documents(self._newest().snapshot).present(judged)
        return 2 * len(there) > len(judged) or not judged


def _change(live: Live, settings: dict[str, Any], by: str, may: May | None = None) -> Live:
    """Settings that other processes have changed are read before."""
    live.follow()
    if settings:
        live.change(live.settings.changed(**settings), by, may)
    return live


def _set(live: Live, by: str, action: str, may: May | None, **values: str | int) -> None:
    live.follow()
    live.put(by, action, may, **values)
