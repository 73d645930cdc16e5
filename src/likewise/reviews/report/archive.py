"""A review in one file that reproduces it: the collection, the session, and what can be read.

It is a backup of the index with this one session in it, so that `likewise restore` puts both back,
and beside them the files that a reader of the publication wants. likewise.reviews.report.replay
makes the pages of such a session again.
"""

from __future__ import annotations

import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import select

from likewise.reviews.backup import JUDGEMENTS, Backup, copy_database
from likewise.reviews.database import Database
from likewise.reviews.tables import events as judged
from likewise.reviews.tables import metadata, sessions
from likewise.store.archive import ArchiveWriter, new_file, store

if TYPE_CHECKING:
    from collections.abc import Mapping

    from likewise.readers.reading import Progress
    from likewise.reviews.live import Live
    from likewise.store.snapshot import Snapshot

FOLDER = "review/"
SOME = 1_000  # rows that are copied together


def write(
    live: Live,
    path: Path,
    readable: Mapping[str, bytes],
    *,
    force: bool = False,
    progress: Progress | None = None,
) -> Backup:
    """Write the archive; `readable` are files for people, by their names."""
    with new_file(path, force=force) as file, tempfile.TemporaryDirectory() as scratch:
        alone = Path(scratch) / JUDGEMENTS
        events = _copy_session(live, alone)
        rows = alone.read_bytes()
        snapshot = live.generation.snapshot
        total = len(rows) + sum(map(len, readable.values())) + _size(snapshot)
        with closing(ArchiveWriter(file, total, progress)) as archive:
            archive.add(JUDGEMENTS, memoryview(rows))
            for name, content in readable.items():
                archive.add(FOLDER + name, memoryview(content))
            store(archive, snapshot)
            contents = archive.finish(
                name=snapshot.directory.name,
                created=time.time(),
                generation=snapshot.generation,
                documents=len(snapshot),
            )
    return Backup(path, contents.generation, contents.documents, path.stat().st_size, events)


def _size(snapshot: Snapshot) -> int:
    return sum(len(one.content) for one in snapshot.files().values())


def _copy_session(live: Live, path: Path) -> int:
    """One session with all that belongs to it as a database of its own; returns its events."""
    open_ = path.with_name(f"open-{path.name}")
    events = 0
    with (
        closing(Database(open_)) as target,
        live.database.reading() as source,
        target.writing() as connection,
    ):
        for table in metadata.sorted_tables:
            key = table.c.number if table is sessions else table.c.get("session")
            if key is None:
                continue  # of no session
            rows = source.execute(select(table).where(key == live.number)).mappings()
            for some in rows.partitions(SOME):
                connection.execute(table.insert(), [dict(row) for row in some])
                events += len(some) if table is judged else 0
    copy_database(open_, path)
    return events
