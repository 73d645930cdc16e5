"""From an older version of the tables to this one: in one transaction, after keeping a copy.

Whoever opens a database of an older version first brings it along. Killed at any moment, this
leaves the old tables or the new ones, whole. The copy stays: of a file of SQLite another file
beside it, `papers.idx.sessions.v1.sqlite`; in PostgreSQL the old tables by other names,
`likewise_v1_events` and so on.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing, suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import inspect, select, text
from sqlalchemy.schema import CreateColumn

from likewise.errors import StoreError
from likewise.reviews.tables import VERSION, events, meta, metadata, pages, queries, sessions
from likewise.store.disk import sync_directory

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Column, Connection, Table

FIRST_TABLES = (meta, sessions, events, pages, queries)  # those of version 1
ADDED: dict[Table, tuple[str, ...]] = {  # the columns that version 2 added to them
    sessions: ("owner", "protocol", "team", "archived"),
    events: ("stage", "reasons", "source"),
    pages: ("stage", "generation", "version"),
    queries: ("owner",),
}


def version_of(connection: Connection) -> str | None:
    found = connection.scalar(select(meta.c.value).where(meta.c.name == "version"))
    return None if found is None else str(found)


def migrate(connection: Connection) -> None:
    """Bring the tables to this version, within the writer's transaction that is given."""
    sqlite = connection.dialect.name == "sqlite"
    if not sqlite:
        _lock(connection)
    found = int(version_of(connection) or VERSION)  # another process may have been first
    if found >= VERSION:
        return
    (_copy_file if sqlite else _copy_tables)(connection, found)
    for version in range(found, VERSION):
        STEPS[version](connection)
    connection.execute(meta.update().where(meta.c.name == "version").values(value=str(VERSION)))


def _to_2(connection: Connection) -> None:
    there = set(inspect(connection).get_table_names())
    for table, names in ADDED.items():
        if table.name in there:  # saved queries had a table when the first was saved
            for name in names:
                connection.execute(text(_add_column(connection, table, table.c[name])))
    metadata.create_all(connection)


STEPS: dict[int, Callable[[Connection], None]] = {1: _to_2}


def _add_column(connection: Connection, table: Table, column: Column[Any]) -> str:
    definition = CreateColumn(column).compile(dialect=connection.dialect)
    return f"ALTER TABLE {table.name} ADD COLUMN {definition}"


def _there(connection: Connection) -> list[str]:
    known = set(inspect(connection).get_table_names())
    return [table.name for table in FIRST_TABLES if table.name in known]


def _lock(connection: Connection) -> None:
    """Nobody reads or writes until the transaction ends, those of the older version too."""
    names = ", ".join(_there(connection))
    connection.execute(text(f"LOCK TABLE {names} IN ACCESS EXCLUSIVE MODE"))


def _copy_tables(connection: Connection, version: int) -> None:
    known = set(inspect(connection).get_table_names())
    prefix = _free(f"likewise_v{version}", lambda one: not any(k.startswith(one) for k in known))
    for name in _there(connection):
        copy = name.replace("likewise", prefix, 1)
        connection.execute(text(f"CREATE TABLE {copy} AS TABLE {name}"))


def _copy_file(connection: Connection, version: int) -> None:
    """By SQLite's own means, through another connection: this one holds the lock for writing."""
    file = next(row[2] for row in connection.exec_driver_sql("PRAGMA database_list"))
    path = Path(file)
    temporary = path.with_name(f"{path.name}.v{version}.new")
    try:
        _remove(temporary)  # of somebody who was killed at this point
        with (
            closing(sqlite3.connect(file)) as source,
            closing(sqlite3.connect(temporary)) as target,
        ):
            target.execute("PRAGMA journal_mode = OFF")  # it is of no use until it is complete
            source.backup(target)
            target.execute("PRAGMA journal_mode = DELETE")  # one file, with nothing beside it
        shutil.copymode(path, temporary)
        with temporary.open("rb") as written:
            os.fsync(written.fileno())
        content = temporary.read_bytes()
        name = _free(f"{path.stem}.v{version}", lambda one: _is_free(_beside(path, one), content))
        temporary.replace(_beside(path, name))
        sync_directory(path.parent)
    except (OSError, sqlite3.Error) as error:
        with suppress(OSError):
            _remove(temporary)
        raise StoreError(
            f"{path} is of an older likewise, and a copy of it cannot be kept ({error}): "
            "make room and the folder writable, or work on a copy"
        ) from error


def _beside(path: Path, stem: str) -> Path:
    return path.with_name(f"{stem}{path.suffix}")


def _is_free(copy: Path, content: bytes) -> bool:
    """Whether there is no other copy by that name; the same one may be replaced."""
    return not copy.exists() or copy.read_bytes() == content


def _remove(path: Path) -> None:
    """A file of SQLite, and what SQLite may have left beside it."""
    for suffix in ("", "-journal", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _free(name: str, is_free: Callable[[str], bool]) -> str:
    """The name, or the first with a number that is free."""
    numbered = (name if number == 1 else f"{name}_{number}" for number in count(1))
    return next(one for one in numbered if is_free(one))
