"""Sessions, events and pages as rows: every statement that is sent to the database."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from uuid import uuid4

import msgspec
from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError

from likewise.errors import StoreError, UsageError, sentence
from likewise.reviews.database import events, pages, sessions
from likewise.reviews.ledger import Event

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy import Connection

    from likewise.reviews.database import Database
    from likewise.reviews.ledger import Action, Label

R = TypeVar("R")


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


class Position(NamedTuple):
    """The last event and the last page that a reader knows of."""

    event: int = 0
    page: int = 0


class News(NamedTuple):
    """A session as it is now, and what was entered and shown after a position."""

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
        return typed(connection, SessionRow, found) if found else None


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
        if _row(connection, session, lock=True) is None:
            raise UsageError("the session was deleted meanwhile: begin another one")
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
        rows = [typed(connection, SessionRow, row) for row in connection.execute(select(sessions))]
        counted = {row[0]: tuple(row[1:]) for row in connection.execute(counts)}
        found = [
            typed(connection, Summary, (row, *counted.get(row.number, (0, 0, None))))
            for row in rows
        ]
    return sorted(found, key=lambda one: -max(one.last or 0.0, one.row.created))


def news(database: Database, session: int, after: Position) -> News | None:
    """What there is of a session after a position; None if it was deleted."""
    with database.reading() as connection:
        return _news(connection, session, after)


def append(
    database: Database,
    session: int,
    after: Position,
    decide: Callable[[News | None], Sequence[Event]],
) -> list[Event]:
    """Enter events in one transaction and return them with their numbers.

    `decide` is given the news after the position and says what to enter; if it raises, nothing is
    entered. All this is under the session's lock, so that events have one order and none is lost.
    """
    with database.writing() as connection:
        found = _news(connection, session, after, lock=True)
        new = decide(found)
        if not new or found is None:
            return []
        last = found.events[-1].number if found.events else after.event
        rows = [{**event._asdict(), "session": session} for event in new]
        connection.execute(events.insert(), [_without_number(row) for row in rows])
        return _events(connection, session, last)


def judgements(reviewer: str, drafts: Sequence[Draft]) -> list[Event]:
    """Drafts as events to append; several are one action, undone together."""
    batch = uuid4().hex if len(drafts) > 1 else None
    now = time.time()
    return [
        Event(0, reviewer, "judge", d.document, d.label, batch, now if d.at is None else d.at)
        for d in drafts
    ]


def action(reviewer: str, name: Action) -> Event:
    """An undo or a redo as an event to append."""
    return Event(0, reviewer, name, None, None, None, time.time())


def add_page(database: Database, session: int, page: PageRow, after: int) -> list[PageRow]:
    """Keep a page before anybody sees it; returns all pages after number `after`, this one last."""
    row = _without_number({**page._asdict(), "session": session, "at": time.time()})
    with database.writing() as connection:
        if _row(connection, session, lock=True) is None:
            return []
        connection.execute(pages.insert().values(**row))
        return _pages(connection, session, after)


def _news(
    connection: Connection, session: int, after: Position, *, lock: bool = False
) -> News | None:
    row = _row(connection, session, lock=lock)
    if row is None:
        return None
    new = _events(connection, session, after.event)
    return News(row, new, _pages(connection, session, after.page))


def _row(connection: Connection, session: int, *, lock: bool = False) -> SessionRow | None:
    """A session by its number, which never changes and is never used again.

    A lock holds until the transaction ends; SQLite has locked everything already.
    """
    wanted = select(sessions).where(sessions.c.number == session)
    found = connection.execute(wanted.with_for_update() if lock else wanted).one_or_none()
    return typed(connection, SessionRow, found) if found else None


def _pages(connection: Connection, session: int, last: int) -> list[PageRow]:
    columns = [pages.c[name] for name in PageRow._fields]
    wanted = select(*columns).where(pages.c.session == session, pages.c.number > last)
    return [
        typed(connection, PageRow, row)
        for row in connection.execute(wanted.order_by(pages.c.number))
    ]


def _events(connection: Connection, session: int, last: int) -> list[Event]:
    columns = [events.c[name] for name in Event._fields]
    wanted = select(*columns).where(events.c.session == session, events.c.number > last)
    rows = connection.execute(wanted.order_by(events.c.number))
    found = [typed(connection, Event, row) for row in rows]
    for event in found:
        if event.action == "judge" and not event.document:
            raise damaged(connection, f"event {event.number} judges no document")
    return found


def typed(connection: Connection, kind: type[R], row: Sequence[Any]) -> R:
    """A row of the database; SQLite keeps whatever is put there, so types are checked here."""
    try:
        return msgspec.convert(tuple(row), kind)
    except msgspec.ValidationError as error:
        name = kind.__name__.removesuffix("Row").lower()
        raise damaged(connection, f"a row of it is no {name} ({sentence(error)})") from error


def damaged(connection: Connection, what: str) -> StoreError:
    url = connection.engine.url
    sqlite = url.get_backend_name() == "sqlite"
    place = url.database if sqlite else url.render_as_string(hide_password=True)
    return StoreError(f"{place} is damaged, {what}: put back a copy of it")


def _without_number(row: dict[str, Any]) -> dict[str, Any]:
    """The database numbers rows itself."""
    return {name: value for name, value in row.items() if name != "number"}
