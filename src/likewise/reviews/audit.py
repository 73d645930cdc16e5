"""What was done to sessions, by whom and when: kept in the transaction that does it.

Judgements have a history of their own. Here is the rest: created, renamed, deleted, settings
changed, judgements brought from a file, conflicts decided.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from sqlalchemy import select

from likewise.reviews.rows import decoded, typed
from likewise.reviews.tables import audit

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from likewise.reviews.database import Database


class Act(NamedTuple):
    """`session` is the number that a session keeps, `name` the one it had then."""

    number: int
    session: int
    name: str
    by: str
    action: str
    detail: dict[str, Any]
    at: float


def write(
    connection: Connection, session: int, name: str, by: str, action: str, **detail: Any
) -> None:
    row = {"session": session, "name": name, "by": by, "action": action}
    text = msgspec.json.encode(detail).decode()
    connection.execute(audit.insert().values(**row, detail=text, at=time.time()))


def read(database: Database, session: int | None = None) -> list[Act]:
    """All acts, or those on one session, the first first."""
    columns = [audit.c[name] for name in Act._fields]
    wanted = select(*columns).order_by(audit.c.number)
    if session is not None:
        wanted = wanted.where(audit.c.session == session)
    with database.reading() as connection:
        return [
            typed(connection, Act, (*row[:5], decoded(connection, row[5]), row[6]))
            for row in connection.execute(wanted)
        ]
