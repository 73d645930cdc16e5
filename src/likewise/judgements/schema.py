"""The tables. A change to them raises VERSION and teaches `database` to bring older ones along."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
)

VERSION = 1

metadata = MetaData()
NUMBER = BigInteger().with_variant(Integer, "sqlite")  # only INTEGER counts by itself there


def _session() -> Column[int]:
    return Column(
        "session",
        NUMBER,
        ForeignKey("likewise_sessions.number", ondelete="CASCADE"),
        nullable=False,
    )


meta = Table(
    "likewise_meta",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)

sessions = Table(
    "likewise_sessions",
    metadata,
    Column("number", NUMBER, primary_key=True, autoincrement=True),
    Column("name", Text, nullable=False, unique=True),
    Column("identity", Text, nullable=False),  # of the index
    Column("path", Text, nullable=False),  # where the index was
    Column("start", Text, nullable=False),  # JSON
    Column("settings", Text, nullable=False),  # JSON
    Column("created", Double, nullable=False),
    sqlite_autoincrement=True,
)

events = Table(
    "likewise_events",
    metadata,
    Column("number", NUMBER, primary_key=True, autoincrement=True),
    _session(),
    Column("reviewer", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("document", Text),
    Column("label", Text),
    Column("batch", Text),
    Column("at", Double, nullable=False),
    Index("likewise_events_by_session", "session", "number"),
    sqlite_autoincrement=True,
)

pages = Table(
    "likewise_pages",
    metadata,
    Column("number", NUMBER, primary_key=True, autoincrement=True),
    _session(),
    Column("reviewer", Text, nullable=False),
    Column("method", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("hits", Text, nullable=False),  # JSON
    Column("after", NUMBER, nullable=False),  # the last event that the page knew of
    Column("pool", NUMBER, nullable=False),  # how many a random page was drawn from, else 0
    Column("at", Double, nullable=False),
    Index("likewise_pages_by_session", "session", "number"),
    sqlite_autoincrement=True,
)
