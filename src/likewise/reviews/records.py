"""Sessions, events, remarks and pages as rows: the statements that judging sends."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

from sqlalchemy import bindparam, func, literal_column, select
from sqlalchemy.exc import IntegrityError

from likewise.errors import UsageError
from likewise.reviews import audit
from likewise.reviews.ledger import FIRST, Event, Stage
from likewise.reviews.prepared import NewRow, Query
from likewise.reviews.remarks import Remark
from likewise.reviews.rows import damaged, decoded, encoded, typed
from likewise.reviews.tables import events, pages, remarks, sessions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from sqlalchemy import Connection, ScalarSelect, Select, Table

    from likewise.reviews.database import Database
    from likewise.reviews.ledger import Action, Label

    May = Callable[["SessionRow"], None]  # raises if somebody must not do it


class SessionRow(NamedTuple):
    """A session as it is kept; its JSON is not looked into here."""

    number: int
    name: str
    identity: str
    path: str
    start: str
    settings: str
    created: float
    owner: str = ""
    protocol: str = "{}"
    team: str = "{}"
    archived: int = 0


class PageRow(NamedTuple):
    number: int
    reviewer: str
    method: str
    reason: str
    hits: str
    after: int
    pool: int
    at: float
    stage: Stage = FIRST
    generation: int = 0
    version: str = ""


class Position(NamedTuple):
    """The last event, the last page and the last remark that a reader knows of."""

    event: int = 0
    page: int = 0
    remark: int = 0


class News(NamedTuple):
    """A session as it is now, and what was entered and shown after a position."""

    row: SessionRow
    events: list[Event]
    pages: list[PageRow]
    remarks: list[Remark]


class Entries(NamedTuple):
    """What is entered in one transaction; `file` is where it comes from, if from one, and `by`
    who has brought it, which need not be its reviewer.
    """

    events: Sequence[Event] = ()
    remarks: Sequence[Remark] = ()
    file: str | None = None
    by: str = ""


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
    stage: Stage = FIRST
    reasons: tuple[str, ...] = ()
    source: str = ""


def _after(table: Table, names: Iterable[str]) -> Select[Any]:
    """Rows of a session after one of them, in their order."""
    own = (table.c.session == bindparam("session")) & (table.c.number > bindparam("last"))
    return select(*(table.c[name] for name in names)).where(own).order_by(table.c.number)


def _last(table: Table) -> ScalarSelect[Any]:
    """The number of a session's last row, 0 where there is none."""
    own = table.c.session == bindparam("session")
    return (
        select(func.coalesce(func.max(table.c.number), literal_column("0")))
        .where(own)
        .scalar_subquery()
    )


def _given(names: Iterable[str]) -> list[str]:
    """The columns of a row that is new, which the database numbers itself."""
    return ["session", *(name for name in names if name != "number")]


# Sent with every judgement: to put them together each time takes longer than to run them.
_ONE = select(sessions).where(sessions.c.number == bindparam("session"))
SESSION, LOCKED = Query(_ONE), Query(_ONE.with_for_update())
EVENTS = Query(_after(events, Event._fields))
PAGES = Query(_after(pages, PageRow._fields))
REMARKS = Query(_after(remarks, Remark._fields))
LAST = Query(select(*map(_last, (events, pages, remarks))))
NEW_EVENTS = events.insert()
NEW_EVENT = NewRow(NEW_EVENTS, _given(Event._fields))
NEW_PAGE = NewRow(pages.insert(), _given(PageRow._fields))


def find(database: Database, name: str) -> SessionRow | None:
    with database.reading() as connection:
        found = connection.execute(select(sessions).where(sessions.c.name == name)).one_or_none()
        return typed(connection, SessionRow, found) if found else None


def create(
    database: Database,
    name: str,
    identity: str,
    path: str,
    start: str,
    settings: str,
    owner: str = "",
) -> SessionRow:
    """Make a session, or find the one that somebody else has made of this name meanwhile."""
    values = {"name": name, "identity": identity, "path": path, "start": start}
    values |= {"settings": settings, "owner": owner}
    with database.writing() as connection:
        known = select(sessions.c.number).where(sessions.c.name == name)
        if connection.execute(known).one_or_none() is None:
            try:
                with connection.begin_nested():
                    connection.execute(sessions.insert().values(**values, created=time.time()))
                    number = int(connection.scalars(known).one())
                    audit.write(connection, number, name, owner, "create", settings=settings)
            except IntegrityError:
                pass  # PostgreSQL lets two look at once: the other one was first
    found = find(database, name)
    if found is None:
        raise UsageError(f"session {name!r} was deleted while it was opened: try again")
    return found


def change(
    database: Database,
    session: int,
    by: str,
    action: str,
    may: May | None = None,
    **values: Any,
) -> None:
    """Set columns of a session."""
    with database.writing() as connection:
        row = locked(connection, session)
        if may is not None:
            may(row)
        connection.execute(sessions.update().where(sessions.c.number == session).values(**values))
        audit.write(connection, session, row.name, by, action, **values)


def rename(database: Database, name: str, new: str, by: str = "", may: May | None = None) -> None:
    """In one transaction: the name may go to another session between two."""
    taken = f"there is a session {new!r} in {database.place} already"
    with database.writing() as connection:
        row = _named(database, connection, name, may)
        if connection.execute(select(sessions).where(sessions.c.name == new)).one_or_none():
            raise UsageError(taken)
        named = sessions.update().where(sessions.c.number == row.number)
        try:
            with connection.begin_nested():
                connection.execute(named.values(name=new))
        except IntegrityError as error:  # PostgreSQL lets two look at once
            raise UsageError(taken) from error
        audit.write(connection, row.number, name, by, "rename", to=new)


def remove(database: Database, name: str, by: str = "", may: May | None = None) -> None:
    """Delete a session, its judgements and their history; that it was there is not forgotten."""
    with database.writing() as connection:
        row = _named(database, connection, name, may)
        count = select(func.count()).where(events.c.session == row.number)
        entered = connection.scalar(count)
        connection.execute(sessions.delete().where(sessions.c.number == row.number))
        audit.write(connection, row.number, name, by, "delete", events=entered, owner=row.owner)


def _named(database: Database, connection: Connection, name: str, may: May | None) -> SessionRow:
    """The session of this name, locked, if it may be changed."""
    wanted = select(sessions).where(sessions.c.name == name).with_for_update()
    found = connection.execute(wanted).one_or_none()
    if found is None:
        raise UsageError(f"no session {name!r} in {database.place}")
    row = typed(connection, SessionRow, found)
    if may is not None:
        may(row)
    return row


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
    decide: Callable[[News | None], Entries],
) -> Entries:
    """Enter events and remarks in one transaction and return them with their numbers.

    `decide` is given the news after the position and says what to enter; if it raises, nothing is
    entered. All this is under the session's lock, so that events have one order and none is lost.
    """
    with database.writing() as connection:
        found = _news(connection, session, after, lock=True)
        new = decide(found)
        if found is None or not (new.events or new.remarks):
            return Entries()
        last_remark = found.remarks[-1].number if found.remarks else after.remark
        entered = _entered(connection, session, new.events, found.events, after.event)
        if new.remarks:
            rows = [
                {**one._asdict(), "tags": None if one.tags is None else encoded(one.tags)}
                for one in new.remarks
            ]
            connection.execute(remarks.insert(), [_of(session, row) for row in rows])
        if new.file is not None:
            who = new.events[0].reviewer if new.events else new.remarks[0].reviewer
            detail: dict[str, Any] = {"file": new.file, "reviewer": who}
            detail |= {"judgements": len(new.events), "remarks": len(new.remarks)}
            audit.write(connection, session, found.row.name, new.by, "import", **detail)
        beside = _remarks(connection, session, last_remark) if new.remarks else []
        return Entries(entered, beside)


def _entered(
    connection: Connection, session: int, new: Sequence[Event], before: Sequence[Event], last: int
) -> list[Event]:
    """Append events, and return them with the numbers that they got."""
    if not new:
        return []
    full = ({**one._asdict(), "reasons": encoded(one.reasons)} for one in new)
    rows = [_of(session, row) for row in full]
    if len(rows) > 1:
        connection.execute(NEW_EVENTS, rows)
        return _events(connection, session, before[-1].number if before else last)
    return [new[0]._replace(number=NEW_EVENT.number(connection, rows[0]))]


def judgements(reviewer: str, drafts: Sequence[Draft]) -> list[Event]:
    """Drafts as events to append; several are one action, undone together."""
    batch = uuid4().hex if len(drafts) > 1 else None
    now = time.time()
    return [
        Event(
            0,
            reviewer,
            "judge",
            one.document,
            one.label,
            batch,
            now if one.at is None else one.at,
            one.stage,
            one.reasons,
            one.source,
        )
        for one in drafts
    ]


def action(reviewer: str, name: Action) -> Event:
    """An undo or a redo as an event to append."""
    return Event(0, reviewer, name, None, None, None, time.time())


def add_page(
    database: Database,
    session: int,
    page: PageRow,
    after: int,
    check: Callable[[Connection, list[PageRow]], None] = lambda *_: None,
) -> list[PageRow]:
    """Keep a page before anybody sees it; returns all pages after number `after`, this one last.

    `check` is given the others of them, under the session's lock, and may raise.
    """
    kept = page._replace(at=time.time())
    with database.writing() as connection:
        if _row(connection, session, lock=True) is None:
            return []
        others = _pages(connection, session, after)
        check(connection, others)
        number = NEW_PAGE.number(connection, _of(session, kept._asdict()))
        return [*others, kept._replace(number=number)]


def _news(
    connection: Connection, session: int, after: Position, *, lock: bool = False
) -> News | None:
    row = _row(connection, session, lock=lock)
    if row is None:
        return None
    ((event, page, remark),) = LAST.rows(connection, session=session)  # mostly known
    return News(
        row,
        _events(connection, session, after.event) if event > after.event else [],
        _pages(connection, session, after.page) if page > after.page else [],
        _remarks(connection, session, after.remark) if remark > after.remark else [],
    )


def _row(connection: Connection, session: int, *, lock: bool = False) -> SessionRow | None:
    """A session by its number, which never changes and is never used again.

    A lock holds until the transaction ends; SQLite has locked everything already.
    """
    found = (LOCKED if lock else SESSION).rows(connection, session=session)
    return typed(connection, SessionRow, found[0]) if found else None


def locked(connection: Connection, session: int) -> SessionRow:
    """A session's row, which nobody else changes until the transaction ends."""
    found = _row(connection, session, lock=True)
    if found is None:
        raise UsageError("the session was deleted meanwhile: begin another one")
    return found


def _pages(connection: Connection, session: int, last: int) -> list[PageRow]:
    rows = PAGES.rows(connection, session=session, last=last)
    return [typed(connection, PageRow, row) for row in rows]


def _events(connection: Connection, session: int, last: int) -> list[Event]:
    rows = EVENTS.rows(connection, session=session, last=last)
    place = Event._fields.index("reasons")
    found = [
        typed(connection, Event, (*row[:place], decoded(connection, row[place]), *row[place + 1 :]))
        for row in rows
    ]
    for event in found:
        if event.action == "judge" and not event.document:
            raise damaged(connection, f"event {event.number} judges no document")
    return found


def _remarks(connection: Connection, session: int, last: int) -> list[Remark]:
    rows = REMARKS.rows(connection, session=session, last=last)
    return [
        typed(connection, Remark, (*row[:4], decoded(connection, row[4]), row[5])) for row in rows
    ]


def _of(session: int, row: dict[str, Any]) -> dict[str, Any]:
    """A row of a session, which the database numbers itself."""
    return {name: value for name, value in row.items() if name != "number"} | {"session": session}
