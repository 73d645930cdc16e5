"""How far an index was when somebody looked, so that what came later can be marked as new.

Documents are added at the end and keep their order when segments are merged: the last one's id says
which come after it, and their number, where that one was deleted, how many at most.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import select

from likewise.reviews import audit
from likewise.reviews.records import locked
from likewise.reviews.rows import typed
from likewise.reviews.tables import arrivals

if TYPE_CHECKING:
    from likewise.reviews.database import Database
    from likewise.store.snapshot import Snapshot


MET = "index"  # in the audit trail


class Extent(NamedTuple):
    """Of an index; `last` is the id of its last document."""

    generation: int
    documents: int
    last: str
    at: float = 0.0


def extent_of(snapshot: Snapshot) -> Extent:
    """How far an index is."""
    count = len(snapshot)
    last = snapshot.ids([count - 1])[0] if count else ""
    return Extent(snapshot.generation, count, last)


def first_new(snapshot: Snapshot, extent: Extent) -> int:
    """The number of the first document that came, or was replaced, after the index was so far.

    Where the last document of then was deleted, as many as there were then count as old: some new
    ones may be taken for old, none the other way round.
    """
    if extent.generation == snapshot.generation:
        return len(snapshot)
    (number,) = snapshot.numbers([extent.last]).tolist() if extent.last else (-1,)
    return int(number) + 1 if number >= 0 else min(extent.documents, len(snapshot))


def arrive(database: Database, session: int, extent: Extent) -> None:
    """A review goes on with an index of this extent."""
    with database.writing() as connection:
        locked(connection, session)
        values = extent._replace(at=time.time())._asdict()
        connection.execute(arrivals.insert().values(session=session, **values))


def meet(database: Database, session: int, name: str, by: str, extent: Extent) -> None:
    """Note that a page is made of an index of this extent, so that it can be made again."""
    with database.writing() as connection:
        detail = extent._asdict()
        del detail["at"]
        audit.write(connection, session, name, by, MET, **detail)


def met(database: Database, session: int) -> dict[int, Extent]:
    """The extents of the generations that a session's pages were made of, by their numbers."""
    found = {one.generation: one for one in extents(database, session)}
    for act in audit.read(database, session):
        if act.action == MET:
            one = Extent(**act.detail)
            found[one.generation] = one
    return found


def extents(database: Database, session: int) -> list[Extent]:
    """How the index of a review has grown, the first first."""
    columns = [arrivals.c[name] for name in Extent._fields]
    wanted = select(*columns).where(arrivals.c.session == session)
    with database.reading() as connection:
        rows = connection.execute(wanted.order_by(arrivals.c.number))
        return [typed(connection, Extent, row) for row in rows]
