"""Rows as they come out of a database, which keeps whatever somebody has put there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from likewise.errors import StoreError, sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

R = TypeVar("R")


def typed(connection: Connection, kind: type[R], row: Sequence[Any]) -> R:
    """A row of the database; SQLite keeps whatever is put there, so types are checked here."""
    try:
        return msgspec.convert(tuple(row), kind)
    except msgspec.ValidationError as error:
        name = kind.__name__.removesuffix("Row").lower()
        raise damaged(connection, f"a row of it is no {name} ({sentence(error)})") from error


def decoded(connection: Connection, text: Any) -> Any:
    """A column that holds JSON; null stays None."""
    try:
        return None if text is None else msgspec.json.decode(text)
    except (msgspec.MsgspecError, TypeError, RecursionError) as error:
        raise damaged(connection, f"a row of it holds no JSON ({sentence(error)})") from error


def encoded(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def damaged(connection: Connection, what: str) -> StoreError:
    url = connection.engine.url
    sqlite = url.get_backend_name() == "sqlite"
    place = url.database if sqlite else url.render_as_string(hide_password=True)
    return StoreError(f"{place} is damaged, {what}: put back a copy of it")
