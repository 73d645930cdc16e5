"""Sessions, events and pages as rows: every question that is put to the database."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError

from likewise.errors import UsageError
from likewise.judgements.ledger import Event
from likewise.judgements.schema import events, pages, sessions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from likewise.judgements.database import Database
    from likewise.judgements.ledger import Action, Label, Ledger


class SessionRow(NamedTuple):
    """A session as it is kept; `start` and `settings` are JSON that is not looked into here."""

    number: int
    name: str
    identity: str
    path: str
    start: str
    settings: str
    created: float


class PageRow(NamedTuple):
    number: int
    reviewer: str
    method: str
    reason: str
    hits: str
    after: int
    pool: int
    at: float


class News(NamedTuple):
    """A session as it is now, and what was entered and shown lately."""

    row: SessionRow
    events: list[Event]
    pages: list[PageRow]


class Summary(NamedTuple):
    """A session among others."""

    row: SessionRow
    reviewers: int
    events: int
    last: float | None


class Draft(NamedTuple):
    """A judgement to be entered; `at` is when it was made, if not now."""

    document: str
    label: Label | None
    at: float | None = None


def find(database: Database, name: str) -> SessionRow | None:
    with database.reading() as connection:
        found = connection.execute(select(sessions).where(sessions.c.name == name)).one_or_none()
    return SessionRow(*found) if found else None


def get(database: Database, session: int) -> SessionRow | None:
    with database.reading() as connection:
        return _row(connection, session)


def create(
    database: Database, name: str, identity: str, path: str, start: str, settings: str
) -> SessionRow:
    """Make a session, or find the one that somebody else has made of this name meanwhile."""
    values = {"name": name, "identity": identity, "path": path, "start": start}
    with database.writing() as connection:
        known = select(sessions.c.number).where(sessions.c.name == name)
        if connection.execute(known).one_or_none() is None:
            values |= {"settings": settings}
            try:
                with connection.begin_nested():
                    connection.execute(sessions.insert().values(**values, created=time.time()))
            except IntegrityError:
                pass  # PostgreSQL lets two look at once: the other one was first
    found = find(database, name)
    if found is None:
        raise UsageError(f"session {name!r} was deleted while it was opened: try again")
    return found


def change(database: Database, session: int, **values: Any) -> None:
    """Set columns of a session."""
    with database.writing() as connection:
        _lock(connection, session)
        connection.execute(sessions.update().where(sessions.c.number == session).values(**values))


def rename(database: Database, name: str, new: str) -> None:
    """In one transaction: the name may go to another session between two."""
    taken = f"there is a session {new!r} in {database.place} already"
    with database.writing() as connection:
        if connection.execute(select(sessions).where(sessions.c.name == new)).one_or_none():
            raise UsageError(taken)
        named = sessions.update().where(sessions.c.name == name)
        try:
            with connection.begin_nested():
                renamed = connection.execute(named.values(name=new))
        except IntegrityError as error:  # PostgreSQL lets two look at once
            raise UsageError(taken) from error
        if not renamed.rowcount:
            raise UsageError(f"no session {name!r} in {database.place}")


def remove(database: Database, name: str) -> None:
    """Delete a session, its judgements and their history."""
    with database.writing() as connection:
        gone = connection.execute(sessions.delete().where(sessions.c.name == name))
        if not gone.rowcount:
            raise UsageError(f"no session {name!r} in {database.place}")


def listed(database: Database) -> list[Summary]:
    """All sessions, the one last used first."""
    counts = (
        select(
            events.c.session,
            func.count(events.c.reviewer.distinct()),
            func.count(),
            func.max(events.c.at),
        )
        .group_by(events.c.session)
    )  # fmt: skip
    with database.reading() as connection:
        rows = [SessionRow(*row) for row in connection.execute(select(sessions))]
        counted = {row[0]: tuple(row[1:]) for row in connection.execute(counts)}
    found = [Summary(row, *counted.get(row.number, (0, 0, None))) for row in rows]
    return sorted(found, key=lambda one: -max(one.last or 0.0, one.row.created))


def follow(database: Database, session: int, ledger: Ledger) -> None:
    """Feed the ledger with what has been entered since it last looked."""
    with database.reading() as connection:
        found = _since(connection, session, ledger.last)
    ledger.feed(found)


def judge(
    database: Database, session: int, ledger: Ledger, reviewer: str, drafts: Sequence[Draft]
) -> None:
    """Enter judgements, all of them or none; several are one action, undone together."""
    batch = uuid4().hex if len(drafts) > 1 else None
    now = time.time()
    _append(
        database,
        session,
        ledger,
        [
            Event(0, reviewer, "judge", d.document, d.label, batch, now if d.at is None else d.at)
            for d in drafts
        ],
    )


def step(database: Database, session: int, ledger: Ledger, reviewer: str, action: Action) -> None:
    """Undo or redo; raises if there is nothing to."""
    _append(database, session, ledger, [Event(0, reviewer, action, None, None, None, time.time())])


def _append(database: Database, session: int, ledger: Ledger, new: Sequence[Event]) -> None:
    """Under the session's lock, so that events have one order and nobody's are lost."""
    with database.writing() as connection:
        _lock(connection, session)
        ledger.feed(_since(connection, session, ledger.last))
        for event in new[:1]:
            ledger.refuse(event.reviewer, event.action)
        if new:
            rows = [{**event._asdict(), "session": session} for event in new]
            connection.execute(events.insert(), [_without_number(row) for row in rows])
    follow(database, session, ledger)


def add_page(database: Database, session: int, page: PageRow) -> PageRow:
    """Keep a page before anybody sees it."""
    row = _without_number({**page._asdict(), "session": session, "at": time.time()})
    with database.writing() as connection:
        _lock(connection, session)
        made = connection.execute(
            pages.insert().values(**row).returning(pages.c.number, pages.c.at)
        )
        number, at = made.one()
    return page._replace(number=number, at=at)


def news(database: Database, session: int, event: int, page: int) -> News | None:
    """What there is of a session after an event and a page, in one look; None if it was deleted."""
    with database.reading() as connection:
        row = _row(connection, session)
        if row is None:
            return None
        return News(row, _since(connection, session, event), _pages(connection, session, page))


def _row(connection: Connection, session: int) -> SessionRow | None:
    """A session by its number, which never changes and is never used again."""
    wanted = select(sessions).where(sessions.c.number == session)
    found = connection.execute(wanted).one_or_none()
    return SessionRow(*found) if found else None


def _pages(connection: Connection, session: int, last: int) -> list[PageRow]:
    columns = [pages.c[name] for name in PageRow._fields]
    wanted = select(*columns).where(pages.c.session == session, pages.c.number > last)
    return [PageRow(*row) for row in connection.execute(wanted.order_by(pages.c.number))]


def _since(connection: Connection, session: int, last: int) -> list[Event]:
    columns = [events.c[name] for name in Event._fields]
    wanted = select(*columns).where(events.c.session == session, events.c.number > last)
    return [Event(*row) for row in connection.execute(wanted.order_by(events.c.number))]


def _lock(connection: Connection, session: int) -> None:
    """Until the transaction ends; SQLite has locked everything already."""
    wanted = select(sessions.c.number).where(sessions.c.number == session).with_for_update()
    if connection.execute(wanted).one_or_none() is None:
        raise UsageError("the session was deleted meanwhile: begin another one")


def _without_number(row: dict[str, Any]) -> dict[str, Any]:
    """The database numbers rows itself."""
    return {name: value for name, value in row.items() if name != "number"}
