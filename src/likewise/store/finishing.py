"""Finishing segments while the next documents are read: their files are written beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from likewise.engines.workers import Workers
from likewise.store import titles
from likewise.store.container import removed_on_failure
from likewise.store.segment import Segment
from likewise.store.strings import table_arrays
from likewise.store.unwritten import Unwritten

if TYPE_CHECKING:
    from pathlib import Path

    from likewise._core import CountArrays
    from likewise.store.beside import Helpers
    from likewise.store.matrices import Matrix
    from likewise.store.segment_writer import SegmentWriter
    from likewise.store.strings import Flat, Tables


class TitleFile(NamedTuple):
    """The rows of a segment's titles, and the file they are to be in."""

    name: str
    rows: CountArrays


class Complete(NamedTuple):
    """A segment whose last document has come, and all that is to be written yet."""

    writer: SegmentWriter
    matrix: Matrix[Any]
    rows: Any
    ids: Tables
    terms: Flat
    first_term: int
    width: int
    titles: TitleFile | None

    def written(self, directory: Path, threads: int, helpers: Helpers) -> Segment:
        with removed_on_failure(self.writer):
            beside = self.titles and helpers.arranging.submit(
                titles.write,
                directory,
                self.titles.name,
                [self.titles.rows],
                self.writer.documents,
            )
            entry = self.writer.finish(
                self.matrix,
                self.rows,
                ids=lambda: self.ids,
                terms=lambda: table_arrays(self.terms),
                first_term=self.first_term,
                width=self.width,
                threads=threads,
            )
            if beside:
                entry = titles.having(entry, beside.result())
        return Segment(directory, entry)


class Finishing:
    """Finishes one segment at a time on a thread of its own, which is started when it is needed."""

    def __init__(self, directory: Path, threads: int, helpers: Helpers) -> None:
        self._given = directory, threads, helpers
        self._worker: Workers | None = None
        self._unwritten: Unwritten | None = None

    def begin(self, complete: Complete, taken: int) -> Unwritten:
        """Finish a segment while others begin; it takes about so many bytes until then."""
        self.wait()
        if self._worker is None:
            self._worker = Workers(1)
        keys = complete.writer.keys()  # before another thread has the writer
        future = self._worker.submit(complete.written, *self._given)
        documents = complete.writer.documents
        self._unwritten = Unwritten(complete.ids, keys, documents, future, taken)
        return self._unwritten

    def last(self, complete: Complete) -> Segment:
        """Finish the last segment, here and now, while the one before may still be written."""
        found = complete.written(*self._given)
        self.wait()
        return found

    def make_room(self, memory: int) -> None:
        """Return when no more than so many bytes are in use for a segment that is not finished."""
        if self._unwritten is not None and self._unwritten.taken > memory:
            self.wait()

    def wait(self) -> None:
        """Return when all segments are on disk; an error in writing one is raised here."""
        if self._unwritten is not None:
            self._unwritten.written()
            self._unwritten = None

    def close(self) -> None:
        """Leave no thread behind."""
        if self._worker is not None:
            self._worker.shutdown()
