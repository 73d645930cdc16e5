"""Decisions where reviewers differ: by one person, apart from anybody's vote, the last counts."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import select

from likewise.reviews import audit
from likewise.reviews.ledger import Label, Stage  # noqa: TC001  # rows become these
from likewise.reviews.protocol import Team, decode, encode
from likewise.reviews.records import change, locked
from likewise.reviews.remarks import check_note, check_words
from likewise.reviews.rows import decoded, encoded, typed
from likewise.reviews.tables import adjudications

if TYPE_CHECKING:
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
    document: str,
    label: Label | None,
    stage: Stage,
    by: str,
    *,
    reasons: tuple[str, ...] = (),
    note: str = "",
    may: May | None = None,
) -> None:
    """Decide on a document; None takes a decision back."""
    row = {"document": document, "stage": stage, "label": label, "by": by}
    kept = {"reasons": encoded(check_words("reasons", reasons)), "note": check_note(note)}
    with database.writing() as connection:
        found = locked(connection, session)
        if may is not None:
            may(found)
        values = {**row, **kept, "session": session, "at": time.time()}
        connection.execute(adjudications.insert().values(**values))
        detail = {"document": document, "label": label, "stage": stage}
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


def in_force(found: list[Decision], stage: Stage) -> dict[str, Decision]:
    """What holds at a stage, by document."""
    last = {one.document: one for one in found if one.stage == stage}
    return {document: one for document, one in last.items() if one.label is not None}


def team_of(row: SessionRow) -> Team:
    return decode(row.team, Team, row.name)


def change_team(
    database: Database, session: int, team: Team, by: str, may: May | None = None
) -> None:
    """Say who judges, who sees whose votes, and who decides."""
    change(database, session, by, "team", may, team=encode(team.checked()))
