"""The tables of reviews. A change here raises VERSION, and migration.py brings older ones along.

What belongs to a session goes with it when it is deleted; what happened to it stays, in
`likewise_audit`. Columns that a later version added have a default in the database, so that a
program of the version before can go on writing while others have upgraded.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
)

if TYPE_CHECKING:
    from pathlib import Path

VERSION = 2

metadata = MetaData()
NUMBER = BigInteger().with_variant(Integer, "sqlite")  # only INTEGER counts by itself there


def _number() -> Column[Any]:
    return Column("number", NUMBER, primary_key=True, autoincrement=True)


def _session(*, key: bool = False) -> Column[Any]:
    target = ForeignKey("likewise_sessions.number", ondelete="CASCADE")
    return Column("session", NUMBER, target, nullable=False, primary_key=key)


def _key(name: str) -> Column[Any]:
    return Column(name, Text, primary_key=True)


def _text(name: str) -> Column[Any]:
    return Column(name, Text, nullable=False)


def _later(name: str, default: str) -> Column[Any]:
    """Text that rows from before did not have."""
    return Column(name, Text, nullable=False, server_default=default)


def _at(name: str = "at") -> Column[Any]:
    """Seconds since 1970, UTC."""
    return Column(name, Double, nullable=False)


def _numbered(name: str, *columns: Column[Any]) -> Table:
    """Rows of a session that are only appended, and read in their order."""
    by_session = Index(f"{name}_by_session", "session", "number")
    return Table(
        name, metadata, _number(), _session(), *columns, by_session, sqlite_autoincrement=True
    )


FIRST_STAGE = "title/abstract"  # what was judged before there were stages

meta = Table("likewise_meta", metadata, _key("name"), _text("value"))

sessions = Table(
    "likewise_sessions",
    metadata,
    _number(),
    Column("name", Text, nullable=False, unique=True),
    _text("identity"),  # of the index
    _text("path"),  # where the index was
    _text("start"),  # JSON
    _text("settings"),  # JSON
    _at("created"),
    _later("owner", ""),  # who made it; nobody knows of those from before
    _later("protocol", "{}"),  # JSON: the question, the criteria, reasons to choose from
    _later("team", "{}"),  # JSON: who sees whose votes, how many must agree, who decides
    Column("archived", Integer, nullable=False, server_default="0"),
    sqlite_autoincrement=True,
)

events = _numbered(
    "likewise_events",
    _text("reviewer"),
    _text("action"),
    Column("document", Text),
    Column("label", Text),
    Column("batch", Text),
    _at(),
    _later("stage", FIRST_STAGE),
    _later("reasons", "[]"),  # JSON
    _later("source", ""),  # where a judgement comes from, if not from who judged it here
)

pages = _numbered(
    "likewise_pages",
    _text("reviewer"),
    _text("method"),
    _text("reason"),
    _text("hits"),  # JSON
    Column("after", NUMBER, nullable=False),  # the last event that the page knew of
    Column("pool", NUMBER, nullable=False),  # how many a random page was drawn from, else 0
    _at(),
    _later("stage", FIRST_STAGE),
    Column("generation", NUMBER, nullable=False, server_default="0"),  # of the index
    _later("version", ""),  # of likewise
)

# Notes and tags, of which the last holds; what a row does not set is null.
remarks = _numbered(
    "likewise_remarks",
    _text("reviewer"),
    _text("document"),
    Column("note", Text),
    Column("tags", Text),  # JSON
    _at(),
)

# What holds where reviewers differ, of which the last counts; apart from anybody's vote.
adjudications = _numbered(
    "likewise_adjudications",
    _text("document"),
    _text("stage"),
    Column("label", Text),  # null takes the decision back
    _text("reasons"),  # JSON
    _text("note"),
    _text("by"),
    _at(),
)

assignments = Table(
    "likewise_assignments",
    metadata,
    _session(key=True),
    _key("document"),
    _key("stage"),
    _key("reviewer"),
    _text("by"),
    _at(),
)

# Who has a document on screen, so that nobody else is shown it until then.
leases = Table(
    "likewise_leases",
    metadata,
    _session(key=True),
    _key("document"),
    _key("stage"),
    _text("reviewer"),
    _at("until"),
)

highlights = Table(
    "likewise_highlights",
    metadata,
    _session(key=True),
    _key("reviewer"),
    _text("words"),  # JSON
)

reviewers = Table("likewise_reviewers", metadata, _key("name"), _text("keys"))  # JSON

attachments = _numbered(
    "likewise_attachments",
    _text("document"),
    _text("name"),
    _text("media_type"),
    Column("content", LargeBinary, nullable=False),
    _text("by"),
    _at(),
)

# How far the index was when somebody looked: what comes after is new to a running review.
arrivals = _numbered(
    "likewise_arrivals",
    Column("generation", NUMBER, nullable=False),
    Column("documents", NUMBER, nullable=False),
    _text("last"),  # the id of the last document, "" for none
    _at(),
)

# What was done to sessions. No foreign key: it outlives them.
audit = Table(
    "likewise_audit",
    metadata,
    _number(),
    Column("session", NUMBER, nullable=False),
    _text("name"),  # that the session had
    _text("by"),
    _text("action"),
    _text("detail"),  # JSON
    _at(),
    Index("likewise_audit_by_session", "session", "number"),
    sqlite_autoincrement=True,
)

queries = Table(
    "likewise_queries",
    metadata,
    _key("home"),  # the name of the index
    _key("name"),
    _text("query"),  # as it would be in a file
    _at("created"),
    _later("owner", ""),
)

# Searches as they were asked, by words, examples or a saved query, to be asked again.
searches = Table(
    "likewise_searches",
    metadata,
    _key("home"),
    _key("name"),
    _text("search"),  # JSON
    _text("owner"),
    _at("created"),
)

# When somebody last looked at what a saved search finds, and how far the index was then.
looks = Table(
    "likewise_looks",
    metadata,
    _key("home"),
    _key("name"),
    _key("reviewer"),
    Column("generation", NUMBER, nullable=False),
    Column("documents", NUMBER, nullable=False),
    _text("last"),
    _at(),
)


def home_of(path: Path) -> str:
    """The name of an index in `home` and in addresses: its folder's name without .idx."""
    stem = path.resolve().name.removesuffix(".idx")
    return re.sub(r"[^\w.-]+", "-", stem).strip("-.") or "index"
