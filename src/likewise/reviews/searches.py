"""Searches that are kept by name, and who has last seen what they find."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import select

from likewise.reviews.arrivals import Extent
from likewise.reviews.rows import decoded, encoded, typed
from likewise.reviews.tables import looks, searches

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement

    from likewise.reviews.database import Database


class SavedSearch(NamedTuple):
    """`search` is as it was asked; `home` is the name of its index."""

    name: str
    search: dict[str, Any]
    owner: str
    created: float


def save(database: Database, home: str, name: str, search: dict[str, Any], owner: str) -> None:
    """Keep a search, in place of one of this name."""
    values = {"search": encoded(search), "owner": owner, "created": time.time()}
    own = (searches.c.home == home) & (searches.c.name == name)
    with database.writing() as connection:
        if not connection.execute(searches.update().where(own).values(**values)).rowcount:
            connection.execute(searches.insert().values(home=home, name=name, **values))


def saved(database: Database, home: str) -> list[SavedSearch]:
    columns = [searches.c[name] for name in SavedSearch._fields]
    wanted = select(*columns).where(searches.c.home == home).order_by(searches.c.created)
    with database.reading() as connection:
        return [
            typed(connection, SavedSearch, (row[0], decoded(connection, row[1]), *row[2:]))
            for row in connection.execute(wanted)
        ]


def forget(database: Database, home: str, name: str) -> bool:
    """Whether there was one; who has seen it goes along."""
    with database.writing() as connection:
        connection.execute(looks.delete().where(looks.c.home == home, looks.c.name == name))
        own = (searches.c.home == home) & (searches.c.name == name)
        return connection.execute(searches.delete().where(own)).rowcount > 0


def look(database: Database, home: str, search: str, reviewer: str, extent: Extent) -> None:
    """A reviewer has seen what a saved search finds."""
    values = extent._replace(at=time.time())._asdict()
    own = _own(home, search, reviewer)
    with database.writing() as connection:
        if not connection.execute(looks.update().where(*own).values(**values)).rowcount:
            key = {"home": home, "name": search, "reviewer": reviewer}
            connection.execute(looks.insert().values(**key, **values))


def last_look(database: Database, home: str, search: str, reviewer: str) -> Extent | None:
    columns = [looks.c[name] for name in Extent._fields]
    wanted = select(*columns).where(*_own(home, search, reviewer))
    with database.reading() as connection:
        found = connection.execute(wanted).one_or_none()
        return typed(connection, Extent, found) if found else None


def _own(home: str, search: str, reviewer: str) -> tuple[ColumnElement[bool], ...]:
    return (looks.c.home == home, looks.c.name == search, looks.c.reviewer == reviewer)
