"""What is a reviewer's own: words to highlight in a session, and keys to judge by in all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import select

from likewise.errors import StoreError, sentence
from likewise.reviews.records import locked
from likewise.reviews.rows import encoded
from likewise.reviews.tables import highlights, reviewers

if TYPE_CHECKING:
    from sqlalchemy import Connection, Table

    from likewise.reviews.database import Database


class Highlight(msgspec.Struct, frozen=True):
    """A word and the name of its colour."""

    word: str
    colour: str = ""


def put_highlights(
    database: Database, session: int, reviewer: str, words: tuple[Highlight, ...]
) -> None:
    key = {"session": session, "reviewer": reviewer}
    with database.writing() as connection:
        locked(connection, session)
        _put(connection, highlights, key, words=encoded(words))


def highlights_of(database: Database, session: int, reviewer: str) -> tuple[Highlight, ...]:
    own = (highlights.c.session == session) & (highlights.c.reviewer == reviewer)
    with database.reading() as connection:
        found = connection.scalar(select(highlights.c.words).where(own))
    kept: tuple[Highlight, ...] = _decoded(found or "[]", tuple[Highlight, ...], reviewer)
    return kept


def put_keys(database: Database, reviewer: str, keys: dict[str, str]) -> None:
    """`keys` are by what they do."""
    with database.writing() as connection:
        _put(connection, reviewers, {"name": reviewer}, keys=encoded(keys))


def keys_of(database: Database, reviewer: str) -> dict[str, str]:
    with database.reading() as connection:
        found = connection.scalar(select(reviewers.c["keys"]).where(reviewers.c.name == reviewer))
    kept: dict[str, str] = _decoded(found or "{}", dict[str, str], reviewer)
    return kept


def _put(connection: Connection, table: Table, key: dict[str, Any], **values: Any) -> None:
    own = [table.c[name] == value for name, value in key.items()]
    if not connection.execute(table.update().where(*own).values(**values)).rowcount:
        connection.execute(table.insert().values(**key, **values))


def _decoded(text: str, kind: Any, reviewer: str) -> Any:
    try:
        return msgspec.json.decode(text, type=kind)
    except msgspec.MsgspecError as error:
        raise StoreError(
            f"the preferences of reviewer {reviewer!r} are damaged ({sentence(error)}): "
            "set them anew, or put back a copy of the database"
        ) from error
