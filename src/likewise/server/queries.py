"""Queries saved by name, in the database that holds the sessions."""

from __future__ import annotations

import time
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from sqlalchemy import select

from likewise.errors import StoreError, sentence
from likewise.reviews.catalogue import SUFFIX
from likewise.reviews.database import Database
from likewise.reviews.tables import queries
from likewise.search.query import Query
from likewise.server.causes import Cause
from likewise.server.problems import ProblemError

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement

    from likewise.server.access import Caller
    from likewise.server.indexes import ServedIndex


class Saved(NamedTuple):
    name: str
    query: Query
    created: float
    owner: str = ""


class SavedQueries:
    """Without a `place`, each index has a database beside it, created when first needed."""

    def __init__(self, place: str | None) -> None:
        self._place = place
        self._databases: dict[str, Database] = {}
        self._lock = Lock()

    def put(
        self, served: ServedIndex, name: str, query: Query, caller: Caller, *, replace: bool
    ) -> Saved:
        """A query belongs to who saved it, who alone may replace it."""
        saved = Saved(name, query, time.time(), caller.name)
        row = {"query": msgspec.json.encode(query).decode(), "created": saved.created}
        with self._database(served).writing() as connection:
            known = _of(served, name)
            found = connection.execute(select(queries.c.owner).where(known)).one_or_none()
            if found is None:
                key = {"home": served.name, "name": name, "owner": caller.name}
                connection.execute(queries.insert().values(**key, **row))
            elif replace:
                _refuse_others(caller, name, str(found.owner))
                connection.execute(queries.update().where(known).values(**row))
            else:
                raise ProblemError(
                    Cause.name_taken,
                    f"there is a query {name!r} already: say replace to replace it",
                )
        return saved

    def get(self, served: ServedIndex, name: str) -> Saved | None:
        found = self._read(served, name)
        return found[0] if found else None

    def listed(self, served: ServedIndex) -> list[Saved]:
        return self._read(served, None)

    def delete(self, served: ServedIndex, name: str, caller: Caller) -> bool:
        if not self._is_there(served):
            return False
        with self._database(served).writing() as connection:
            owner = connection.scalar(select(queries.c.owner).where(_of(served, name)))
            if owner is not None:
                _refuse_others(caller, name, str(owner))
            return connection.execute(queries.delete().where(_of(served, name))).rowcount > 0

    def delete_all(self, served: ServedIndex) -> None:
        """Of an index that goes; a file beside it goes as well, and must not be held open."""
        if self._place is None:
            with self._lock:
                known = self._databases.pop(self._file(served), None)
            if known is not None:
                known.close()
        elif self._is_there(served):
            with self._database(served).writing() as connection:
                connection.execute(queries.delete().where(_of(served, None)))

    def close(self) -> None:
        for database in self._databases.values():
            database.close()

    def _read(self, served: ServedIndex, name: str | None) -> list[Saved]:
        if not self._is_there(served):
            return []
        wanted = select(queries.c.name, queries.c.query, queries.c.created, queries.c.owner)
        with self._database(served).reading() as connection:
            rows = connection.execute(wanted.where(_of(served, name)).order_by(queries.c.created))
            return [_saved(*row) for row in rows]

    def _file(self, served: ServedIndex) -> str:
        path = served.path.resolve()
        return self._place or str(path.with_name(path.name + SUFFIX))

    def _is_there(self, served: ServedIndex) -> bool:
        """Whether there is a database: looking for one must not create it."""
        file = self._file(served)
        return "://" in file or Path(file).exists()

    def _database(self, served: ServedIndex) -> Database:
        file = self._file(served)
        with self._lock:
            if file not in self._databases:
                self._databases[file] = Database(file)
            return self._databases[file]


def _saved(name: str, text: str, at: float, owner: str) -> Saved:
    """A row of the table; a database keeps whatever somebody puts there."""
    try:
        saved = Saved(name, msgspec.json.decode(text, type=Query), float(at), str(owner))
        problem = saved.query.problem()
    except (msgspec.MsgspecError, TypeError, ValueError) as error:
        problem = sentence(error)
    if problem:
        raise StoreError(f"the saved query {name!r} is damaged ({problem}): delete it")
    return saved


def _refuse_others(caller: Caller, name: str, owner: str) -> None:
    if not caller.owns(owner):
        whose = f"{owner}'s" if owner else "nobody's that is known"
        raise ProblemError(
            Cause.not_yours,
            f"query {name!r} is {whose}: its owner may do this, or a token of owner",
        )


def _of(served: ServedIndex, name: str | None) -> ColumnElement[bool]:
    own = queries.c.home == served.name
    return own if name is None else own & (queries.c.name == name)
