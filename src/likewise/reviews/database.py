"""The database behind reviews: connections for any number of threads and processes.

What `writing` has committed is on disk: SQLite is told to wait for that at every commit, and
PostgreSQL does so unless its administrator has decided otherwise. Tables of an older version are
brought along when a database is opened.
"""

from __future__ import annotations

import re
import sqlite3
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import finalize

from sqlalchemy import create_engine, event, inspect, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from likewise.errors import LikewiseError, LockedError, StoreError, UsageError, sentence
from likewise.reviews.committing import Commits
from likewise.reviews.migration import migrate, version_of
from likewise.reviews.prepared import driver_of
from likewise.reviews.tables import VERSION, meta, metadata

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator

    from sqlalchemy import Connection
    from sqlalchemy.engine import URL, Engine

PATIENCE = 30  # seconds to wait for another writer
LIKEWISE = 0x6C696B65  # PostgreSQL's lock while tables are made: any number that others do not use
DRIVERS = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg"}
FOREIGN = ("not a database", "malformed", "unsupported file format", "database corruption")
READ_ONLY = ("readonly", "read-only", "permission denied", "must be owner")

VERSION_TEXT = re.compile(r"[0-9]{1,9}")


class Database:
    """Opened by `Database(place)`: a file of SQLite, or the URL of SQLite or PostgreSQL."""

    def __init__(self, place: str | os.PathLike[str]) -> None:
        self._url = url_of(place)
        self.place = self._url.database or "" if self.is_sqlite else _shown(self._url)
        self._engine = self._connectable()
        self._commits = Commits(self._engine) if self.is_sqlite else None  # PostgreSQL has its own
        self._closed = finalize(self, _close, self._commits, self._engine)
        try:
            with self._sentences():
                self._prepare()
        except LikewiseError:
            self.close()
            raise

    @property
    def is_sqlite(self) -> bool:
        return self._url.get_backend_name() == "sqlite"

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that sees one state of the database."""
        with self._sentences(), self._engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that is on disk when it ends; on an error nothing of it is."""
        with self._sentences(), self._writing() as connection:
            yield connection

    @contextmanager
    def together(self) -> Iterator[None]:
        """What this thread writes meanwhile is kept at its end by one commit, where that saves
        time: PostgreSQL has commits of its own.
        """
        with self._sentences(), self._commits.together() if self._commits else nullcontext():
            yield

    def close(self) -> None:
        self._closed()

    def __repr__(self) -> str:
        return f"Database({self.place!r})"

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        if self._commits is not None:
            with self._commits.writing() as connection:
                yield connection
            return
        with self._engine.connect() as opened:
            connection = opened.execution_options(likewise_writes=True)
            with connection.begin():
                yield connection

    def _connectable(self) -> Engine:
        try:
            if self.is_sqlite:
                engine = create_engine(self._url, connect_args={"timeout": PATIENCE})
                event.listen(engine, "connect", _prepare_sqlite)
                event.listen(engine, "begin", _begin_sqlite)
                return engine
            return create_engine(self._url, pool_pre_ping=True)
        except ImportError as error:
            raise UsageError(
                f"{self.place} needs {error.name}: pip install 'likewise[postgres]'"
            ) from error

    def _prepare(self) -> None:
        """Make the tables where there are none; bring older ones along, refuse newer ones."""
        with self._engine.connect() as connection:
            made = inspect(connection).has_table(meta.name)
        if not made:
            self._change(_make_tables)
        with self.reading() as connection:
            found = version_of(connection)
        if found is None or not VERSION_TEXT.fullmatch(found) or not int(found):
            raise StoreError(f"{self.place} holds tables of another program: give another database")
        if int(found) > VERSION:
            raise StoreError(
                f"{self.place} was written by a newer likewise (version {found} of its tables, "
                f"this one knows {VERSION}): upgrade likewise"
            )
        if int(found) < VERSION:
            self._migrate()

    def _migrate(self) -> None:
        try:
            self._change(migrate)
        except (DBAPIError, sqlite3.Error) as error:
            if not any(sign in str(error) for sign in READ_ONLY):
                raise
            raise StoreError(
                f"{self.place} is of an older likewise and can only be read here: open it once "
                "where it can be written, which brings it up to date, or work on a copy"
            ) from error

    def _change(self, work: Callable[[Connection], None]) -> None:
        """Change the tables, which one process does at a time."""
        with self._engine.connect() as opened:
            connection = opened.execution_options(likewise_writes=True)
            with connection.begin():
                if not self.is_sqlite:
                    connection.execute(text("SELECT pg_advisory_xact_lock(:n)"), {"n": LIKEWISE})
                work(connection)

    @contextmanager
    def _sentences(self) -> Iterator[None]:
        """Turn what databases raise into one sentence."""
        try:
            yield
        except (SQLAlchemyError, sqlite3.Error, UnicodeEncodeError) as error:
            raise self._sentence(error) from error

    def _sentence(self, error: Exception) -> LikewiseError:
        original = error.orig if isinstance(error, DBAPIError) else error
        reason = sentence(original or error)
        if any(sign in reason for sign in FOREIGN):
            return StoreError(
                f"{self.place} is damaged or no database of judgements ({reason}): "
                "put back a copy of it, or move it away to begin anew"
            )
        if isinstance(error, PoolTimeoutError) or "locked" in reason:
            return LockedError(f"{self.place} was busy for {PATIENCE} seconds: try again")
        return StoreError(f"cannot use the database {self.place}: {reason}")


def _close(commits: Commits | None, engine: Engine) -> None:
    if commits is not None:
        commits.close()
    engine.dispose()


def _make_tables(connection: Connection) -> None:
    """Unless somebody else has, between our look and our lock."""
    if not inspect(connection).has_table(meta.name):
        metadata.create_all(connection)
        connection.execute(meta.insert(), {"name": "version", "value": str(VERSION)})


def _prepare_sqlite(connection: sqlite3.Connection, _: Any) -> None:
    connection.isolation_level = None  # transactions begin where _begin_sqlite says so
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = EXTRA")
    try:
        connection.execute("PRAGMA journal_mode = WAL")
    except sqlite3.OperationalError as error:
        # Another process uses the file this moment, or it can only be read. Either way of
        # journalling keeps what was committed, and the next connection will change it.
        if "locked" not in str(error) and "readonly" not in str(error):
            raise


def _begin_sqlite(connection: Connection) -> None:
    """A writer takes its lock first, so that what it reads is still true when it writes."""
    writes = connection.get_execution_options().get("likewise_writes")
    driver_of(connection).execute("BEGIN IMMEDIATE" if writes else "BEGIN")


def url_of(place: str | os.PathLike[str]) -> URL:
    """Where that is, however it was written; raises if it is no database that we know."""
    given = str(place)
    if not isinstance(place, str) or "://" not in given:
        return make_url("sqlite://").set(database=str(Path(given).absolute()))
    try:
        url = make_url(given)
    except ArgumentError as error:
        raise UsageError(f"{given!r} is no URL of a database: {error}") from error
    name = url.get_backend_name()
    if name not in DRIVERS:
        raise UsageError(f"a database of {name} is not known: give sqlite:///… or postgresql://…")
    if name == "sqlite" and url.database in (None, "", ":memory:"):
        raise UsageError("a database in memory keeps nothing: give the name of a file")
    if name == "sqlite" and url.database and not url.database.startswith("file:"):
        # Connections are made later, perhaps from another working directory.
        url = url.set(database=str(Path(url.database).absolute()))
    return url.set(drivername=DRIVERS[name]) if url.drivername == name else url


def _shown(url: URL) -> str:
    return url.render_as_string(hide_password=True)
