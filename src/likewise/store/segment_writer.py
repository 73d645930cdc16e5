"""Writing a segment: records as they come, compressed on some threads; all else at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from likewise.store.beside import Beside, Helpers
from likewise.store.blocks import BlockWriter
from likewise.store.container import ContainerWriter
from likewise.store.fields import ColumnBuilder
from likewise.store.keys import KeyBuilder
from likewise.store.manifest import SegmentEntry
from likewise.store.segment import SEGMENT
from likewise.store.shown import TitleCollector

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from concurrent.futures import Future
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from likewise._core import Lines, Texts
    from likewise.store.keys import KeyTable
    from likewise.store.matrices import Matrix

    Table = Callable[[], Mapping[str, NDArray[Any]]]


class SegmentWriter:
    """Streams records to disk, compressed on some threads; writes all else at the end."""

    def __init__(
        self, directory: Path, file: str, threads: int = 1, helpers: Helpers | None = None
    ) -> None:
        """`helpers` outlive the writer, if others use them, too."""
        self.file = file
        self._helpers, self._own = helpers or Helpers(threads), helpers is None
        self._columns = ColumnBuilder()
        self._titles = TitleCollector(self._helpers.threads)
        self._keys = KeyBuilder()
        self.sections = ContainerWriter(directory / file, SEGMENT)
        self._records = BlockWriter(self.sections, self._helpers)
        self._beside = Beside(self._helpers)  # for all of these, in the order in which records come
        self.documents = 0

    @property
    def memory(self) -> int:
        """About how many bytes this takes, but for the records."""
        return self._beside.memory

    def add_records(
        self,
        records: bytes | memoryview,
        ends: NDArray[np.integer],
        titles: Sequence[str] | Texts | None = None,
        scanned: Lines | None = None,
    ) -> None:
        """Append JSON lines; `ends` says where each ends among these.

        `titles` are theirs, and `scanned` is what is where in them, if that is known.
        """
        self.documents += len(ends)

        def collect() -> int:
            self._records.add(records, ends)
            if titles is None:
                self._titles.add_records(records, ends.tolist())
            else:
                self._titles.add(titles)
            self._columns.add(records, scanned)
            self._keys.add(records, len(ends), scanned)
            return self._columns.memory + self._titles.memory

        self._beside.do(collect, len(records))

    def keys(self) -> Future[KeyTable]:
        """The keys of all records, once the last of these is collected."""
        return self._helpers.collecting.submit(self._keys.table)

    def finish(
        self,
        matrix: Matrix[Any],
        rows: Any,
        *,
        ids: Table,
        terms: Table,
        first_term: int,
        width: int,
        threads: int,
    ) -> SegmentEntry:
        """Write the rest. The matrix is transposed while what comes before that is written."""
        inverted = self._helpers.arranging.submit(matrix.transpose, rows, width, threads)
        self.write(ids, terms, lambda: matrix.write(self.sections, rows, inverted.result, width))
        return self.close(first_term, width)

    def write(self, ids: Table, terms: Table, matrix: Callable[[], None]) -> None:
        """Write what there is beside the records; `matrix` is written while tables are made."""
        self._beside.wait()
        named = self._helpers.arranging.submit(terms)
        shown = self._helpers.arranging.submit(lambda: list(self._titles.arrays()))
        self._records.finish()
        matrix()
        self.sections.arrays("ids", ids())
        self.sections.arrays("terms", named.result())
        for name, values in (*self._columns.arrays(), *shown.result()):
            self.sections.array(name, values)
        keys = self._keys.table()
        if len(keys.hashes):
            self.sections.arrays("keys", keys._asdict())

    def close(self, first_term: int, width: int) -> SegmentEntry:
        """Finish the file; what the manifest says of it."""
        if self._own:
            self._helpers.stop()
        numbers = {"documents": self.documents, "first_term": first_term, "terms": width}
        return SegmentEntry(self.file, self.sections.close(**numbers), self.documents, width)

    def abandon(self) -> None:
        if self._own:
            self._helpers.stop()
        self.sections.abandon()
