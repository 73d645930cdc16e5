"""Who is to judge what, and who has it on screen.

An assignment gives a document to a reviewer for good. A lease keeps it for one who was shown it,
until a time: nobody else is given it meanwhile, and what somebody left open comes free by itself.
A lease is over, too, once its holder has judged the document.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import select, tuple_
from sqlalchemy.dialects import postgresql, sqlite

from likewise.reviews import audit
from likewise.reviews.adjudications import changed
from likewise.reviews.ledger import Stage  # noqa: TC001  # rows become these
from likewise.reviews.records import locked
from likewise.reviews.rows import typed
from likewise.reviews.tables import assignments, leases

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sqlalchemy import ColumnElement, Connection

    from likewise.reviews.database import Database
    from likewise.reviews.records import May


class TakenError(Exception):
    """Others were shown some of these documents first: look what they did, and choose again."""


class Assignment(NamedTuple):
    document: str
    stage: Stage
    reviewer: str
    by: str
    at: float


class Claim(NamedTuple):
    """Documents that somebody is to be shown, or to go on with, and nobody else has on screen.

    `done` are (document, reviewer) where the reviewer has judged it: a lease of theirs is over.
    """

    reviewer: str
    documents: tuple[str, ...]
    stage: Stage
    seconds: float
    done: tuple[tuple[str, str], ...] = ()


def assign(
    database: Database,
    session: int,
    given: Mapping[str, Iterable[str]],
    stage: Stage,
    by: str,
    may: May | None = None,
) -> int:
    """Give documents to reviewers, by their names; returns how many they did not have before."""
    with database.writing() as connection:
        row = locked(connection, session)
        if may is not None:
            may(row)
        here = select(assignments.c.reviewer, assignments.c.document).where(_of(session, stage))
        known = {tuple(one) for one in connection.execute(here)}
        same = {"session": session, "stage": stage, "by": by, "at": time.time()}
        rows = [
            {**same, "reviewer": reviewer, "document": id}
            for reviewer, ids in given.items()
            for id in dict.fromkeys(ids)
            if (reviewer, id) not in known
        ]
        if rows:
            connection.execute(assignments.insert(), rows)
            changed(connection, row)
            detail = {"documents": len(rows), "stage": stage, "reviewers": sorted(given)}
            audit.write(connection, session, row.name, by, "assign", **detail)
        return len(rows)


def unassign(
    database: Database, session: int, stage: Stage, by: str, may: May | None = None
) -> int:
    """Take all documents back; returns how many had been given."""
    with database.writing() as connection:
        row = locked(connection, session)
        if may is not None:
            may(row)
        gone = connection.execute(assignments.delete().where(_of(session, stage))).rowcount
        if gone:
            changed(connection, row)
            detail = {"documents": gone, "stage": stage}
            audit.write(connection, session, row.name, by, "unassign", **detail)
        return gone


def assigned(database: Database, session: int, stage: Stage) -> list[Assignment]:
    """Who has which document, in the order in which they were given."""
    columns = [assignments.c[name] for name in Assignment._fields]
    wanted = select(*columns).where(_of(session, stage))
    order = wanted.order_by(assignments.c.at, assignments.c.document, assignments.c.reviewer)
    with database.reading() as connection:
        return [typed(connection, Assignment, row) for row in connection.execute(order)]


def claim(connection: Connection, session: int, wanted: Claim) -> set[str]:
    """Lease documents, in one statement; returns those that nobody else holds."""
    now = time.time()
    same = {"session": session, "stage": wanted.stage, "reviewer": wanted.reviewer}
    rows = [{**same, "document": id, "until": now + wanted.seconds} for id in wanted.documents]
    if not rows:
        return set()
    free = (leases.c.until <= now) | (leases.c.reviewer == wanted.reviewer)
    if wanted.done:
        free |= tuple_(leases.c.document, leases.c.reviewer).in_(wanted.done)
    insert: Any = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    new = insert(leases).values(rows)
    taken = new.on_conflict_do_update(
        index_elements=["session", "document", "stage"],
        set_={"reviewer": new.excluded.reviewer, "until": new.excluded.until},
        where=free,
    )
    return set(connection.scalars(taken.returning(leases.c.document)))


def take(database: Database, session: int, wanted: Claim) -> list[str]:
    """`claim` in a transaction of its own: what is the reviewer's now, in the order given."""
    with database.writing() as connection:
        locked(connection, session)
        held = claim(connection, session, wanted)
    return [id for id in wanted.documents if id in held]


def renew(database: Database, session: int, reviewer: str, stage: Stage, seconds: float) -> None:
    """Keep what a reviewer holds for some time more."""
    with database.writing() as connection:
        now = time.time()
        own = _leases(session, stage) & (leases.c.reviewer == reviewer) & (leases.c.until > now)
        connection.execute(leases.update().where(own).values(until=now + seconds))


def held(database: Database, session: int, stage: Stage) -> dict[str, str]:
    """Who has a lease of which document now."""
    wanted = select(leases.c.document, leases.c.reviewer).where(
        _leases(session, stage) & (leases.c.until > time.time())
    )
    with database.reading() as connection:
        rows = connection.execute(wanted.order_by(leases.c.document))
        return {str(document): str(reviewer) for document, reviewer in rows}


def _of(session: int, stage: Stage) -> ColumnElement[bool]:
    return (assignments.c.session == session) & (assignments.c.stage == stage)


def _leases(session: int, stage: Stage) -> ColumnElement[bool]:
    return (leases.c.session == session) & (leases.c.stage == stage)
