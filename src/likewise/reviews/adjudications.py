"""Decisions where reviewers differ: by one person, apart from anybody's vote, the last counts."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from sqlalchemy import select

from likewise.reviews import audit
from likewise.reviews.ledger import Label, Stage  # noqa: TC001  # rows become these
from likewise.reviews.protocol import Team, decode, encode
from likewise.reviews.records import locked
from likewise.reviews.remarks import check_note, check_words
from likewise.reviews.rows import decoded, encoded, typed
from likewise.reviews.tables import adjudications, sessions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import Connection

    from likewise.reviews.database import Database
    from likewise.reviews.records import May, SessionRow


class Decision(NamedTuple):
    number: int
    document: str
    stage: Stage
    label: Label | None
    reasons: tuple[str, ...]
    note: str
    by: str
    at: float


def adjudicate(
    database: Database,
    session: int,
    documents: str | Iterable[str],
    label: Label | None,
    stage: Stage,
    by: str,
    *,
    reasons: tuple[str, ...] = (),
    note: str = "",
    may: May | None = None,
) -> None:
    """Decide on a document, or on several that are one paper; None takes a decision back."""
    ids = [documents] if isinstance(documents, str) else list(documents)
    kept = {"reasons": encoded(check_words("reasons", reasons)), "note": check_note(note)}
    row = {"session": session, "stage": stage, "label": label, "by": by, "at": time.time(), **kept}
    with database.writing() as connection:
        found = locked(connection, session)
        if may is not None:
            may(found)
        connection.execute(adjudications.insert(), [{**row, "document": id} for id in ids])
        changed(connection, found)
        detail = {"document": ids[0], "label": label, "stage": stage}
        audit.write(connection, session, found.name, by, "adjudicate", **detail)


def decisions(database: Database, session: int) -> list[Decision]:
    """All decisions ever, the first first."""
    columns = [adjudications.c[name] for name in Decision._fields]
    wanted = select(*columns).where(adjudications.c.session == session)
    with database.reading() as connection:
        return [
            typed(connection, Decision, (*row[:4], decoded(connection, row[4]), *row[5:]))
            for row in connection.execute(wanted.order_by(adjudications.c.number))
        ]


def in_force(found: Iterable[Decision], stage: Stage) -> dict[str, Decision]:
    """What holds at a stage, by document."""
    last = {one.document: one for one in found if one.stage == stage}
    return {document: one for document, one in last.items() if one.label is not None}


def team_of(row: SessionRow) -> Team:
    return decode(row.team, Team, row.name)


def changed(connection: Connection, row: SessionRow) -> None:
    """Let all who work on a session know that there are new decisions or assignments."""
    now = team_of(row)
    _put(connection, row.number, msgspec.structs.replace(now, changes=now.changes + 1))


def change_team(
    database: Database, session: int, team: Team, by: str, may: May | None = None
) -> Team:
    """Say who judges, who sees whose votes, and who decides; returns what holds now."""
    new = team.checked()
    with database.writing() as connection:
        row = locked(connection, session)
        if may is not None:
            may(row)
        new = msgspec.structs.replace(new, changes=team_of(row).changes)
        _put(connection, session, new)
        audit.write(connection, session, row.name, by, "team", team=encode(new))
    return new


def _put(connection: Connection, session: int, team: Team) -> None:
    wanted = sessions.update().where(sessions.c.number == session)
    connection.execute(wanted.values(team=encode(team)))
