"""An index with its judgements in one file, while others read and write both, and back.

The judgements are copied first, by SQLite's own means, and the generation of the index after them:
so no judgement is of a document that came later. The files of a generation last as long as it is
open, whatever writers do.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
import time
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from likewise.errors import StoreError, UsageError, sentence
from likewise.reviews.catalogue import SUFFIX
from likewise.reviews.database import PATIENCE, url_of
from likewise.reviews.tables import home_of, metadata
from likewise.store.archive import (
    PART,
    UNTOUCHED,
    Archive,
    ArchiveWriter,
    Sink,
    new_file,
    restore_new,
    restore_over,
    storing,
)
from likewise.store.disk import make_directory, sync_directory, writing
from likewise.store.manifest import NAME
from likewise.store.snapshot import Snapshot
from likewise.store.transaction import is_unused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from likewise.readers.reading import Progress
    from likewise.store.archive import Contents

JUDGEMENTS = "sessions.sqlite"
KEPT = "before-restore"  # in the name of judgements that were replaced
BESIDE = ("-wal", "-shm", "-journal")  # files that SQLite has beside a database


class Backup(NamedTuple):
    """What was backed up or restored; `judgements` is None where there were none."""

    path: Path
    generation: int
    documents: int
    bytes: int
    judgements: int | None


def backup(
    directory: Path,
    target: Path,
    *,
    database: str | os.PathLike[str] | None = None,
    force: bool = False,
    progress: Progress | None = None,
) -> Backup:
    """Write the newest generation and its judgements to a file, or into a folder."""
    source = _judgements_of(directory, database)
    Snapshot.open(directory)  # an error if there is no index, before all else
    path = _file_in(target, directory) if target.is_dir() else target
    with new_file(path, force=force) as file, _copied(source, path) as (judged, count):
        writing = _Writing(directory, file, progress)
        for _ in writing.steps(judged, count):
            pass
        contents = writing.contents
    return Backup(path, contents.generation, contents.documents, path.stat().st_size, count)


def streamed(directory: Path, *, database: str | os.PathLike[str] | None = None) -> Iterator[bytes]:
    """The bytes of a backup, as they are asked for: it is in no file, and takes no memory.

    The judgements alone are copied first. Where they are in PostgreSQL they are left out.
    """
    try:
        source = _judgements_of(directory, database)
    except UsageError:
        source = None
    sink = Sink()
    with tempfile.TemporaryDirectory(prefix="likewise-") as scratch:
        copied = _copied(source, Path(scratch) / "judgements") if source else _none()
        with copied as (judged, count):
            for _ in _Writing(directory, sink, None).steps(judged, count):
                yield sink.take()
    yield sink.take()


class _Writing:
    """A backup of the newest generation, written to a file that need not be able to seek."""

    contents: Contents

    def __init__(self, directory: Path, file: Any, progress: Progress | None) -> None:
        self._directory, self._file, self._progress = directory, file, progress

    def steps(self, judged: memoryview, count: int | None) -> Iterator[None]:
        snapshot = Snapshot.open(self._directory)
        total = len(judged) + sum(len(one.content) for one in snapshot.files().values())
        with closing(ArchiveWriter(self._file, total, self._progress)) as archive:
            if count is not None:
                yield from archive.steps(JUDGEMENTS, judged)
            yield from storing(archive, snapshot)
            self.contents = archive.finish(
                name=self._directory.name,
                created=time.time(),
                generation=snapshot.generation,
                documents=len(snapshot),
            )


@contextmanager
def _none() -> Iterator[tuple[memoryview, int | None]]:
    yield memoryview(b""), None


def restore(
    source: Path,
    directory: Path,
    *,
    database: str | os.PathLike[str] | None = None,
    force: bool = False,
    progress: Progress | None = None,
) -> Backup:
    """Put an index and its judgements back; whatever fails, what was there is as it was."""
    with closing(Archive(source)) as archive:
        place = _judgements_of(directory, database)
        exists = (directory / NAME).exists() and not is_unused(directory)
        if exists and not force:
            raise UsageError(
                f"there is an index at {directory} already: choose another folder, or replace it "
                f"with --force (in Python force=True); {UNTOUCHED}"
            )
        if JUDGEMENTS in archive and place.exists() and not force:
            raise UsageError(
                f"there are judgements at {place} already: move them away, or replace them with "
                f"--force (in Python force=True); {UNTOUCHED}"
            )
        with writing(directory, UNTOUCHED):
            make_directory(directory.parent)
        report = _Report(archive.size, progress)
        with _extracted(archive, directory, place, report) as copy:
            if exists:
                restore_over(archive, directory, report)
                _put_judgements(copy, place)
            else:
                beside = restore_new(archive, directory, report)
                _put_judgements(copy, place)
                with writing(directory, UNTOUCHED):
                    beside.rename(directory)
                    sync_directory(directory.parent)
            count = _events(place) if copy else None
        about = archive.contents
        return Backup(directory, about.generation, about.documents, archive.size, count)


class _Report:
    """Adds up the bytes of all files."""

    def __init__(self, total: int, progress: Progress | None) -> None:
        self._done, self._total, self._progress = 0, total, progress

    def __call__(self, more: int) -> None:
        self._done += more
        if self._progress is not None:
            self._progress(self._done, self._total)


def _judgements_of(directory: Path, database: str | os.PathLike[str] | None) -> Path:
    if database is None:
        resolved = directory.resolve()
        return resolved.with_name(resolved.name + SUFFIX)
    url = url_of(database)
    if url.get_backend_name() != "sqlite":
        tables = "pg_dump --table='likewise_*'"
        raise UsageError(
            f"judgements in PostgreSQL are not part of a backup: use {tables} for them (and psql "
            "to put them back), and leave out the database for the index"
        )
    return Path(url.database or "")


def _file_in(folder: Path, directory: Path) -> Path:
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    return folder / f"{home_of(directory)}-{stamp}.likewise.zip"


@contextmanager
def _copied(source: Path, target: Path) -> Iterator[tuple[memoryview, int | None]]:
    """One state of a database as its bytes, and how many judgements; None if there is none."""
    if not source.exists():
        yield memoryview(b""), None
        return
    copy = target.with_name(f"{target.name}.{JUDGEMENTS}{PART}")
    _remove(copy)  # of a backup that was killed
    try:
        copy_database(source, copy)
        with copy.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
            view = memoryview(content)
            try:
                yield view, _events(copy)
            finally:
                view.release()
    finally:
        _remove(copy)


def _remove(database: Path) -> None:
    for suffix in ("", *BESIDE):
        Path(f"{database}{suffix}").unlink(missing_ok=True)


def copy_database(source: Path, target: Path) -> None:
    """All of it as one transaction: writers of the source go on meanwhile."""
    fresh = not target.exists()
    try:
        with closing(_connect(source)) as old, closing(_connect(target)) as new:
            old.backup(new)
            if fresh:
                new.execute("PRAGMA journal_mode = DELETE")  # one file, with nothing beside it
    except sqlite3.Error as error:
        raise StoreError(f"cannot copy the judgements in {source} ({sentence(error)})") from error


def _connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=PATIENCE)


@contextmanager
def _extracted(
    archive: Archive, directory: Path, place: Path, report: _Report
) -> Iterator[Path | None]:
    """The judgements of an archive as a file in the folder where they go, checked."""
    if JUDGEMENTS not in archive:
        yield None
        return
    with tempfile.TemporaryDirectory(dir=place.parent, prefix=".likewise-") as scratch:
        copy = Path(scratch) / JUDGEMENTS
        archive.extract(JUDGEMENTS, copy, report)
        _rename_home(copy, Path(archive.contents.name), directory)
        yield copy


def _rename_home(copy: Path, old: Path, new: Path) -> None:
    """What is kept under the name of an index goes with it to its new name."""
    names = (home_of(new), home_of(old))
    try:
        with closing(_connect(copy)) as connection, connection:
            there = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
            for table in metadata.tables.values():
                if "home" in table.c and table.name in there and names[0] != names[1]:
                    connection.execute(
                        f"UPDATE OR IGNORE {table.name} SET home = ? WHERE home = ?", names
                    )
    except sqlite3.Error as error:
        raise StoreError(
            f"the judgements of the backup are damaged ({sentence(error)}): {UNTOUCHED}"
        ) from error


def _put_judgements(copy: Path | None, place: Path) -> None:
    """In one step. What was there is kept beside, under another name."""
    if copy is None:
        return
    if not place.exists():
        with copy.open("rb") as file:
            os.fsync(file.fileno())
        _remove(place)  # what SQLite had beside a database that somebody removed
        copy.replace(place)
        sync_directory(place.parent)
        return
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    copy_database(place, place.with_name(f"{place.name}.{KEPT}-{stamp}"))
    copy_database(copy, place)


def _events(database: Path) -> int:
    """Judgements ever made, withdrawn ones and undoing among them."""
    try:
        with closing(_connect(database)) as connection:
            return int(connection.execute("SELECT count(*) FROM likewise_events").fetchone()[0])
    except sqlite3.Error as error:
        raise StoreError(f"{database.name} holds no judgements ({sentence(error)})") from error
