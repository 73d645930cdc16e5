"""Who is to judge what, and who has it on screen.

An assignment gives a document to a reviewer for good. A lease keeps it for one who was shown it,
until a time: nobody else is given it meanwhile, and what somebody left open comes free by itself.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import select

from likewise.reviews.ledger import Stage  # noqa: TC001  # rows become these
from likewise.reviews.records import locked
from likewise.reviews.rows import typed
from likewise.reviews.tables import assignments, leases

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import ColumnElement

    from likewise.reviews.database import Database


class Assignment(NamedTuple):
    document: str
    stage: Stage
    reviewer: str
    by: str
    at: float


def assign(
    database: Database, session: int, reviewer: str, documents: Iterable[str], stage: Stage, by: str
) -> int:
    """Give documents to a reviewer; returns how many she did not have before."""
    with database.writing() as connection:
        locked(connection, session)
        own = _of(session, stage) & (assignments.c.reviewer == reviewer)
        known = set(connection.scalars(select(assignments.c.document).where(own)))
        new = [id for id in dict.fromkeys(documents) if id not in known]
        row = {"session": session, "stage": stage, "reviewer": reviewer, "by": by}
        rows = [{**row, "document": id, "at": time.time()} for id in new]
        if rows:
            connection.execute(assignments.insert(), rows)
        return len(rows)


def unassign(
    database: Database, session: int, reviewer: str, documents: Iterable[str], stage: Stage
) -> int:
    """Take documents from a reviewer; returns how many she had."""
    with database.writing() as connection:
        locked(connection, session)
        own = _of(session, stage) & (assignments.c.reviewer == reviewer)
        gone = (
            connection.execute(assignments.delete().where(own & (assignments.c.document == id)))
            for id in documents
        )
        return sum(done.rowcount for done in gone)


def assigned(database: Database, session: int, stage: Stage) -> list[Assignment]:
    """Who has which document, in the order in which they were given."""
    columns = [assignments.c[name] for name in Assignment._fields]
    wanted = select(*columns).where(_of(session, stage))
    order = wanted.order_by(assignments.c.at, assignments.c.document, assignments.c.reviewer)
    with database.reading() as connection:
        return [typed(connection, Assignment, row) for row in connection.execute(order)]


def take(
    database: Database,
    session: int,
    reviewer: str,
    documents: Iterable[str],
    stage: Stage,
    *,
    seconds: float,
    most: int,
) -> list[str]:
    """Lease the first `most` documents that nobody else holds; one's own leases are renewed."""
    with database.writing() as connection:
        locked(connection, session)
        here = (leases.c.session == session) & (leases.c.stage == stage)
        now = time.time()
        connection.execute(leases.delete().where(here & (leases.c.until <= now)))
        held = select(leases.c.document).where(here & (leases.c.reviewer != reviewer))
        others = set(connection.scalars(held))
        free = [id for id in dict.fromkeys(documents) if id not in others][:most]
        for id in free:
            connection.execute(leases.delete().where(here & (leases.c.document == id)))
        row = {"session": session, "stage": stage, "reviewer": reviewer, "until": now + seconds}
        if free:
            connection.execute(leases.insert(), [{**row, "document": id} for id in free])
        return free


def release(
    database: Database, session: int, reviewer: str, documents: Iterable[str], stage: Stage
) -> None:
    """Give back what was leased, once it is judged or passed over."""
    with database.writing() as connection:
        own = (leases.c.session == session) & (leases.c.stage == stage)
        own &= leases.c.reviewer == reviewer
        for id in documents:
            connection.execute(leases.delete().where(own & (leases.c.document == id)))


def held(database: Database, session: int, stage: Stage) -> dict[str, str]:
    """Who holds which document now."""
    here = (leases.c.session == session) & (leases.c.stage == stage)
    wanted = select(leases.c.document, leases.c.reviewer).where(
        here & (leases.c.until > time.time())
    )
    with database.reading() as connection:
        rows = connection.execute(wanted.order_by(leases.c.document))
        return {str(document): str(reviewer) for document, reviewer in rows}


def _of(session: int, stage: Stage) -> ColumnElement[bool]:
    return (assignments.c.session == session) & (assignments.c.stage == stage)
