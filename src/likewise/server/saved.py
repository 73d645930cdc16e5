"""Queries that are kept by name, in the database that holds the sessions."""

from __future__ import annotations

import time
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from sqlalchemy import Column, Double, MetaData, Table, Text, select

from likewise.reviews.catalogue import SUFFIX
from likewise.reviews.database import Database
from likewise.search.query import Query
from likewise.server.problems import ProblemError

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement

    from likewise.server.held import Held

metadata = MetaData()
queries = Table(
    "likewise_queries",
    metadata,
    Column("home", Text, primary_key=True),  # the name of the index
    Column("name", Text, primary_key=True),
    Column("query", Text, nullable=False),  # as it would be in a file
    Column("created", Double, nullable=False),
)


class Saved(NamedTuple):
    name: str
    query: Query
    created: float


class SavedQueries:
    """Without a `place`, each index has its own database beside it, made when it is needed."""

    def __init__(self, place: str | None) -> None:
        self._place = place
        self._databases: dict[str, Database] = {}
        self._lock = Lock()

    def put(self, held: Held, name: str, query: Query, *, replace: bool) -> Saved:
        saved = Saved(name, query, time.time())
        row = {"query": msgspec.json.encode(query).decode(), "created": saved.created}
        with self._database(held).writing() as connection:
            known = _of(held, name)
            if connection.execute(select(queries.c.name).where(known)).one_or_none() is None:
                connection.execute(queries.insert().values(home=held.name, name=name, **row))
            elif replace:
                connection.execute(queries.update().where(known).values(**row))
            else:
                raise ProblemError(
                    409, f"there is a query {name!r} already: say replace to replace it"
                )
        return saved

    def get(self, held: Held, name: str) -> Saved | None:
        found = self._read(held, name)
        return found[0] if found else None

    def listed(self, held: Held) -> list[Saved]:
        return self._read(held, None)

    def delete(self, held: Held, name: str) -> bool:
        if not self._is_there(held):
            return False
        with self._database(held).writing() as connection:
            return connection.execute(queries.delete().where(_of(held, name))).rowcount > 0

    def close(self) -> None:
        for database in self._databases.values():
            database.close()

    def _read(self, held: Held, name: str | None) -> list[Saved]:
        if not self._is_there(held):
            return []
        wanted = select(queries.c.name, queries.c.query, queries.c.created)
        with self._database(held).reading() as connection:
            rows = connection.execute(wanted.where(_of(held, name)).order_by(queries.c.created))
            return [Saved(n, msgspec.json.decode(q, type=Query), at) for n, q, at in rows]

    def _file(self, held: Held) -> str:
        path = held.path.resolve()
        return self._place or str(path.with_name(path.name + SUFFIX))

    def _is_there(self, held: Held) -> bool:
        """Asking makes no file."""
        file = self._file(held)
        return "://" in file or Path(file).exists()

    def _database(self, held: Held) -> Database:
        file = self._file(held)
        with self._lock:
            if file not in self._databases:
                database = Database(file)
                with database.writing() as connection:
                    metadata.create_all(connection)
                self._databases[file] = database
            return self._databases[file]


def _of(held: Held, name: str | None) -> ColumnElement[bool]:
    own = queries.c.home == held.name
    return own if name is None else own & (queries.c.name == name)
