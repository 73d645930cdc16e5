"""Watching a folder: its new files are indexed, and scored against saved queries.

Each step may be the last one before a crash. Files are added in one step of the index. Then, in
one transaction, entries are made of the documents that came, queries are marked as looked at and
files as known. A crash before it has the same files added again: their documents have the same
content, and count as new if nobody has made entries of them.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from likewise.errors import LeftOut, Unfinished, UsageError
from likewise.search.query import Query
from likewise.store.disk import replace_file
from likewise.store.manifest import NAME as MANIFEST
from likewise.watching.arrivals import Arrivals, Entry, remember
from likewise.watching.digest import writer_of
from likewise.watching.folder import Folder, Stamp

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

    from likewise.document import Document
    from likewise.index import Index
    from likewise.store.adding import Added
    from likewise.watching.folder import Found

K = 10
SETTLE = 2.0  # seconds
SUMMARY = 500  # characters of the text
KEPT = 200  # entries that a digest has
NEWEST = "SELECT * FROM entries ORDER BY updated DESC, query, score DESC, id LIMIT ?"


@dataclass(frozen=True)
class Settings:
    """`k` entries a query at a look, of scores of `min_score` and more; `remove` deletes documents
    whose files are gone; `settle` is how long a file must be left alone before it is read.
    """

    k: int = K
    min_score: float | None = None
    remove: bool = False
    settle: float = SETTLE


class Look(NamedTuple):
    """What one look found; `waiting` are files that may still be written."""

    entries: list[Entry]
    files: int
    added: Added | None
    waiting: list[str]
    gone: list[str]
    removed: int


class Watch:
    """Made with an open index, a folder, saved queries, and files to keep digests in."""

    def __init__(
        self,
        index: Index,
        folder: str | os.PathLike[str],
        queries: Iterable[str | os.PathLike[str]],
        digests: Iterable[str | os.PathLike[str]] = (),
        settings: Settings | None = None,
    ) -> None:
        self.settings = settings or Settings()
        self.index = index
        self.folder = Folder(Path(folder).resolve(), self.settings.settle)
        self.queries = {str(Path(path).resolve()): Query.load(path) for path in queries}
        self.digests = [(Path(path).absolute(), writer_of(Path(path))) for path in digests]
        for path, _ in self.digests:
            if path.is_relative_to(self.folder.path):
                raise UsageError(f"{path} is in the folder that is watched: put it elsewhere")

    def look(self) -> Look:
        """Index what has settled, make entries of what came, and write the digests."""
        with Arrivals(self.index) as arrivals:
            self._begin(arrivals)
            self._adopt(arrivals)
            found = self.folder.look(self._known(arrivals))
            added = self._add(found) if found.new else None
            removed = self._remove(found) if self.settings.remove and found.gone else 0
            entries = self._enter(arrivals, found)
            self._write(arrivals)
        return Look(entries, len(found.new), added, found.waiting, found.gone, removed)

    def _begin(self, arrivals: Arrivals) -> None:
        """What is in the index when a query is first watched is no news."""
        self.index.refresh()
        new = [name for name in map(_name, self.queries) if arrivals.last(name) is None]
        if new:
            look = arrivals.meet()
            with arrivals.changing() as database:
                for name in new:
                    remember(database, name, look)

    def _adopt(self, arrivals: Arrivals) -> None:
        """Of a folder that was added before it was watched: files whose documents are there."""
        prefixes = self._prefixes()
        if not prefixes or self._known(arrivals):
            return
        written = (self.index.path / MANIFEST).stat().st_mtime_ns
        rows = [
            (str(self.folder.path), path, *stamp)
            for path, stamp in self.folder.files()
            if stamp.changed < written and any(f"{one}{path}" in self.index for one in prefixes)
        ]
        with arrivals.changing() as database:
            database.executemany("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?)", rows)

    def _prefixes(self) -> list[str]:
        """What the ids of this folder's files begin with, if it was added as a whole."""
        roots = self.index.roots
        return [
            roots.prefix(name)
            for name in roots
            if roots[name] == self.folder.path and roots.is_folder(name)
        ]

    def _known(self, arrivals: Arrivals) -> dict[str, Stamp]:
        asked = "SELECT path, size, changed FROM files WHERE folder = ?"
        with arrivals.changing() as database:
            rows = database.execute(asked, (str(self.folder.path),)).fetchall()
        return {path: Stamp(size, changed) for path, size, changed in rows}

    def _add(self, found: Found) -> Added:
        only = frozenset(self.folder.path / path for path in found.new)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LeftOut)  # the look says so
            warnings.simplefilter("ignore", Unfinished)
            return self.index.add(self.folder.path, on_duplicate="replace", strict=False, only=only)

    def _remove(self, found: Found) -> int:
        """Documents that were files; records that were read from a file stay."""
        ids = [f"{prefix}{path}" for prefix in self._prefixes() for path in found.gone]
        return self.index.delete(ids, ignore_missing=True)

    def _enter(self, arrivals: Arrivals, found: Found) -> list[Entry]:
        look = arrivals.meet()
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        entries = []
        for path, query in self.queries.items():
            ids = arrivals.since(arrivals.last(_name(path)) or 0)
            if ids:
                entries += self._matching(path, query, ids, now)
        folder = str(self.folder.path)
        with arrivals.changing() as database:
            for name in map(_name, self.queries):
                remember(database, name, look)
            database.executemany(
                "INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?, ?, ?, ?)", entries
            )
            database.executemany(
                "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?)",
                [(folder, path, *stamp) for path, stamp in found.new.items()],
            )
            database.executemany(
                "DELETE FROM files WHERE folder = ? AND path = ?",
                [(folder, path) for path in found.gone],
            )
        return entries

    def _matching(self, path: str, query: Query, ids: Sequence[str], now: str) -> list[Entry]:
        hits = self.index.run(query, self.settings.k, among=ids)
        least = self.settings.min_score
        chosen = [hit for hit in hits if least is None or hit.score >= least]
        documents = self.index.documents(hit.id for hit in chosen)
        return [
            Entry(path, hit.id, hit.title, hit.score, now, link_of(one), one.text[:SUMMARY])
            for hit, one in zip(chosen, documents, strict=True)
        ]

    def _write(self, arrivals: Arrivals) -> None:
        """Each time: a digest that a crash kept from being written is written now."""
        if not self.digests:
            return
        with arrivals.changing() as database:
            entries = [Entry(*row) for row in database.execute(NEWEST, (KEPT,))]
        mine = [one for one in entries if one.query in self.queries]
        title = f"New in {self.index.path.name}"
        for path, write in self.digests:
            content = write(title, f"{self.index.path}", mine).encode("utf-8", "replace")
            if not path.is_file() or path.read_bytes() != content:
                replace_file(path, content)


def _name(query: str) -> str:
    return f"watch {query}"


def link_of(document: Document) -> str:
    """Where a document can be read: its address, or the one that its DOI makes."""
    url, doi = document.fields.get("url"), document.fields.get("doi")
    if isinstance(url, str) and url:
        return url
    return f"https://doi.org/{doi}" if isinstance(doi, str) and doi else ""
