"""Statements that every judgement sends, as SQLite's own text.

SQLAlchemy takes several times as long to send such a statement as SQLite to run it. So where the
database is SQLite, its driver is given the text that SQLAlchemy has made once; other databases get
the statement.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from sqlalchemy.dialects import sqlite

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlalchemy import Connection, Insert, Select


def driver_of(connection: Connection) -> Any:
    """The connection of sqlite3 behind it."""
    return connection.connection.driver_connection


class Query:
    def __init__(self, statement: Select[Any]) -> None:
        self._statement = statement

    def rows(self, connection: Connection, **values: Any) -> Sequence[Sequence[Any]]:
        if connection.dialect.name != "sqlite":
            return connection.execute(self._statement, values).all()
        found: list[tuple[Any, ...]] = driver_of(connection).execute(self._text, values).fetchall()
        return found

    @cached_property
    def _text(self) -> str:
        return str(self._statement.compile(dialect=sqlite.dialect(paramstyle="named")))


class NewRow:
    """Inserts a row with these columns into a table that numbers its rows."""

    def __init__(self, statement: Insert, columns: Iterable[str]) -> None:
        self._statement, self._columns = statement, list(columns)

    def number(self, connection: Connection, row: Mapping[str, Any]) -> int:
        """Insert the row, and return the number that it got."""
        if connection.dialect.name != "sqlite":
            made = connection.execute(self._statement, row).inserted_primary_key
            return int(made[0]) if made else 0
        return int(driver_of(connection).execute(self._text, row).lastrowid)

    @cached_property
    def _text(self) -> str:
        known = sqlite.dialect(paramstyle="named")
        return str(self._statement.compile(dialect=known, column_keys=self._columns))
