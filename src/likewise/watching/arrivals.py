"""Which documents came since a query was last looked at: kept in a database beside the index.

Every document that was ever seen is there with a digest of its record and the number of the look
that met it first, or met it changed. A query remembers its last look. A segment's documents are
met once: segments never change.
"""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import xxhash

from likewise.errors import StoreError, sentence

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from likewise.index import Index
    from likewise.store.segment import Segment

SUFFIX = ".watch.sqlite"
VERSION = 1
SCHEMA = """
CREATE TABLE documents (id TEXT PRIMARY KEY, content INTEGER, look INTEGER) WITHOUT ROWID;
CREATE INDEX documents_look ON documents (look);
CREATE TABLE segments (file TEXT PRIMARY KEY, bytes INTEGER) WITHOUT ROWID;
CREATE TABLE looks (name TEXT PRIMARY KEY, look INTEGER) WITHOUT ROWID;
CREATE TABLE files (folder TEXT, path TEXT, size INTEGER, changed INTEGER,
  PRIMARY KEY (folder, path)) WITHOUT ROWID;
CREATE TABLE entries (query TEXT, id TEXT, title TEXT, score REAL, updated TEXT, link TEXT,
  summary TEXT, PRIMARY KEY (query, id)) WITHOUT ROWID;
"""
MEET = """
INSERT INTO documents VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE
SET content = excluded.content, look = excluded.look WHERE content <> excluded.content
"""
SIGNED = 1 << 63
SOME = 1_000  # documents at a time


class Arrivals:
    """`with Arrivals(index) as arrivals:`; changes are kept when `changing` ends, or none is."""

    def __init__(self, index: Index) -> None:
        self.path = place(index.path)
        self._index = index
        try:
            self._database = sqlite3.connect(self.path, isolation_level=None, timeout=60)
            self._database.execute("PRAGMA synchronous = FULL")
            self._prepare()
        except sqlite3.Error as error:
            raise self._failed(error) from error

    def __enter__(self) -> Arrivals:
        return self

    def __exit__(self, *error: object) -> None:
        self._database.close()

    @contextmanager
    def changing(self) -> Iterator[sqlite3.Connection]:
        """A transaction: all that is done in it is kept, or nothing."""
        try:
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield self._database
            except BaseException:
                self._database.execute("ROLLBACK")
                raise
            self._database.execute("COMMIT")
        except sqlite3.Error as error:
            raise self._failed(error) from error

    def meet(self) -> int:
        """Take in what the index holds now; returns the number of the look that met the last."""
        snapshot = self._index.searcher.snapshot
        with self.changing() as database:
            known = set(database.execute("SELECT file, bytes FROM segments"))
            of = snapshot.manifest.identity
            now = {(f"{of}/{s.entry.file}", s.entry.bytes): s for s in snapshot.segments}
            (last,) = database.execute("SELECT coalesce(max(look), 0) FROM documents").fetchone()
            for key, segment in now.items():
                if key not in known:
                    database.executemany(MEET, _rows(segment, last + 1))
            database.executemany("DELETE FROM segments WHERE file = ?", [(f,) for f, _ in known])
            database.executemany("INSERT INTO segments VALUES (?, ?)", now)
            (look,) = database.execute("SELECT coalesce(max(look), 0) FROM documents").fetchone()
        return int(look)

    def last(self, name: str) -> int | None:
        """The last look of a query, None if there was none."""
        found = self._database.execute("SELECT look FROM looks WHERE name = ?", (name,)).fetchone()
        return None if found is None else int(found[0])

    def since(self, look: int) -> list[str]:
        """The ids of documents that came or changed after a look; some may be gone again."""
        return [
            id
            for (id,) in self._database.execute("SELECT id FROM documents WHERE look > ?", (look,))
        ]

    def looked(self, name: str, look: int) -> None:
        """Remember a query's last look."""
        with self.changing() as database:
            remember(database, name, look)

    def _prepare(self) -> None:
        (version,) = self._database.execute("PRAGMA user_version").fetchone()
        if version > VERSION:
            raise StoreError(f"{self.path} was made by a newer likewise: upgrade to use it")
        if version < VERSION:
            with self.changing() as database:
                (now,) = database.execute("PRAGMA user_version").fetchone()
                if now < VERSION:  # another process may have been first
                    for statement in SCHEMA.split(";"):
                        database.execute(statement)
                    database.execute(f"PRAGMA user_version = {VERSION}")

    def _failed(self, error: sqlite3.Error) -> StoreError:
        return StoreError(
            f"{self.path} cannot be used: {sentence(error)}; if it is damaged, remove it: what is "
            "new counts from then on"
        )


class Entry(NamedTuple):
    """A document that came, as digests show it; `updated` is a time of RFC 3339."""

    query: str
    id: str
    title: str
    score: float
    updated: str
    link: str
    summary: str


def place(index: Path) -> Path:
    """The database of an index: beside it, under its name."""
    return index.with_name(index.name + SUFFIX)


def remember(database: sqlite3.Connection, name: str, look: int) -> None:
    database.execute("INSERT OR REPLACE INTO looks VALUES (?, ?)", (name, look))


def _rows(segment: Segment, look: int) -> Iterator[tuple[str, int, int]]:
    live = (~segment.deleted_mask()).nonzero()[0]
    for first in range(0, len(live), SOME):
        some = live[first : first + SOME]
        for number, id in zip(some.tolist(), segment.ids.strings(some), strict=True):
            digest = segment.read(number, lambda record: xxhash.xxh3_64_intdigest(bytes(record)))
            yield id, digest - SIGNED, look
