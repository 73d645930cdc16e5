"""Where an index' sessions are kept, and how one is made, continued, listed and deleted."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from likewise.errors import UsageError
from likewise.feedback import Ranker
from likewise.judgements import records
from likewise.judgements.database import Database, url_of
from likewise.judgements.ledger import Ledger
from likewise.sessions import starts
from likewise.sessions.session import Session
from likewise.sessions.settings import Settings
from likewise.sessions.shared import Shared

if TYPE_CHECKING:
    import os
    from collections.abc import Callable
    from pathlib import Path

    from sqlalchemy.engine import URL

    from likewise.judgements.records import SessionRow
    from likewise.search.generation import Generation
    from likewise.sessions.starts import KeptStart

    Place = str | os.PathLike[str] | None

SUFFIX = ".sessions.sqlite"


class Listed(NamedTuple):
    """A session among others; times are in seconds since 1970, UTC."""

    name: str
    reviewers: int
    events: int
    """Judgements ever made, also those changed, withdrawn or undone, and the undoing."""
    created: float
    last: float | None
    here: bool
    """Whether it is of this index; a database may hold those of others."""


class Desk:
    """Held by an Index: one engine a database, and one Shared a session, for all its handles."""

    def __init__(self, path: Path, searcher: Callable[[], Generation]) -> None:
        self._path = path.resolve()
        self._searcher = searcher
        self._databases: dict[URL, Database] = {}
        self._shared: dict[tuple[str, int], Shared] = {}
        self._lock = Lock()

    def open(
        self,
        name: str,
        start: KeptStart,
        settings: dict[str, Any],
        reviewer: str,
        database: Place,
        *,
        adopt: bool = False,
    ) -> Session:
        """Make a session or continue it; `start` and `settings` are what was said this time."""
        _check_name(name)
        opened = self._database(database)
        row = records.find(opened, name) or self._create(opened, name, start, settings)
        if not self._takes_over(opened, row, adopt=adopt):
            raise UsageError(
                f"session {row.name!r} in {opened.place} is of another index, {row.path}: "
                "choose another name, or say adopt if this is the same collection"
            )
        return self._continued(opened, row, start, settings, reviewer)

    def find(
        self, name: str, settings: dict[str, Any], reviewer: str, database: Place
    ) -> Session | None:
        """Continue a session of this index if there is one of this name now; makes none."""
        if not _is_name(name) or (database is None and not self.place.exists()):
            return None  # some databases cannot be asked for a name that is none
        opened = self._database(database)
        row = records.find(opened, name)
        if row is None or not self._takes_over(opened, row, adopt=False):
            return None
        return self._continued(opened, row, starts.KeptStart(), settings, reviewer)

    def listed(self, database: Place) -> list[Listed]:
        """All sessions, the one last used first."""
        if database is None and not self.place.exists():
            return []
        identity = self._identity
        return [
            Listed(row.name, reviewers, events, row.created, last, row.identity == identity)
            for row, reviewers, events, last in records.listed(self._database(database))
        ]

    def rename(self, name: str, new: str, database: Place) -> None:
        _check_name(new)
        records.rename(self._existing(name, database), name, new)

    def delete(self, name: str, database: Place) -> None:
        records.remove(self._existing(name, database), name)

    @property
    def place(self) -> Path:
        """The file beside the index that holds its sessions unless another is named."""
        return self._path.with_name(self._path.name + SUFFIX)

    @property
    def _identity(self) -> str:
        return self._searcher().snapshot.manifest.identity

    def _existing(self, name: str, database: Place) -> Database:
        """Where the session is; asking for one that is not there makes no file."""
        if database is None and not self.place.exists():
            raise UsageError(f"no session {name!r}: there is no {self.place} yet")
        return self._database(database)

    def _database(self, place: Place) -> Database:
        url = url_of(self.place if place is None else place)
        with self._lock:
            if url not in self._databases:
                self._databases[url] = Database(url.render_as_string(hide_password=False))
            return self._databases[url]

    def _create(
        self, database: Database, name: str, start: KeptStart, given: dict[str, Any]
    ) -> SessionRow:
        settings = Settings().changed(**given)
        searcher = self._searcher()
        self._try(searcher, start, settings)
        text = msgspec.json.encode(settings).decode()
        return records.create(
            database, name, self._identity, str(self._path), starts.encode(start), text
        )

    @staticmethod
    def _try(searcher: Generation, start: KeptStart, settings: Settings) -> None:
        """Refuse what makes no sense before it is kept; an unknown id is not passed over yet."""
        for id, number in zip(start.ids, searcher.snapshot.numbers(start.ids), strict=True):
            if number < 0:
                raise UsageError(
                    f"no document {id!r} in {searcher.snapshot.directory}: "
                    "give a file as a Path and raw text as Text(...)"
                )
        Ranker(
            searcher,
            starts.begin(start, searcher.snapshot),
            method=settings.method,
            selection=settings.selection,
            weighting=settings.weighting,
            seed=settings.seed,
        )

    def _continued(
        self,
        database: Database,
        row: SessionRow,
        start: KeptStart,
        settings: dict[str, Any],
        reviewer: str,
    ) -> Session:
        shared = self._known(database, row)
        with shared.lock:
            shared.take(row)
            if start and start != shared.start:
                raise UsageError(
                    f"session {row.name!r} began with something else: to continue it say nothing "
                    "of what to look for, or begin another one under another name"
                )
            if settings:
                shared.renew()  # the row was read before it was our turn
                shared.change(shared.settings.changed(**settings))
        return Session(shared, reviewer)

    def _known(self, database: Database, row: SessionRow) -> Shared:
        key = (database.place, row.number)
        with self._lock:
            if key not in self._shared:
                self._shared[key] = Shared(database, row, self._searcher)
            return self._shared[key]

    def _takes_over(self, database: Database, row: SessionRow, *, adopt: bool) -> bool:
        """A session is of one collection, which may have been indexed anew or moved since."""
        identity = self._identity
        if row.identity != identity:
            if not adopt and not self._is_rebuilt(database, row):
                return False
            records.change(database, row.number, identity=identity, path=str(self._path))
        return True

    def _is_rebuilt(self, database: Database, row: SessionRow) -> bool:
        """Whether the index is where it was and still has most of what was judged."""
        if row.path != str(self._path):
            return False
        ledger = Ledger()
        records.follow(database, row.number, ledger)
        judged = list(ledger.by_document())
        there = int((self._searcher().snapshot.numbers(judged) >= 0).sum())
        return 2 * there > len(judged) or not judged


def _is_name(name: str) -> bool:
    return bool(name.strip()) and name.isprintable()


def _check_name(name: str) -> None:
    if not _is_name(name):
        raise UsageError(f"{name!r} is no name for a session: use letters, digits, spaces")
