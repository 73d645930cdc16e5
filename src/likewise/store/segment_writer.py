"""Writing a segment: records as they come, everything else when its documents are complete."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from likewise.store.arrays import joined
from likewise.store.column_builder import ColumnBuilder
from likewise.store.container_writer import ContainerWriter
from likewise.store.manifest import SegmentEntry
from likewise.store.segment import KIND

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from likewise.store.matrices import Matrix

    Table = Callable[[], Mapping[str, NDArray[Any]]]


class SegmentWriter:
    """Streams records to disk; only their ends are kept in memory."""

    def __init__(self, directory: Path, file: str) -> None:
        self.file = file
        self.documents = 0
        self._ends: list[NDArray[np.uint64]] = []
        self._written = 0
        self.columns = ColumnBuilder()
        self._container = ContainerWriter(directory / file, KIND)
        self._container.begin("records")

    def add_records(self, records: bytes | memoryview, ends: NDArray[np.uint64]) -> None:
        """Append JSON lines; `ends` says where each ends among these."""
        self._container.write(records)
        self._ends.append(ends + np.uint64(self._written))
        self._written += len(records)
        self.columns.add(records)
        self.documents += len(ends)

    def array(self, name: str, values: NDArray[Any]) -> None:
        self._container.array(name, values)

    def arrays(self, name: str, parts: Mapping[str, Any]) -> None:
        """Several arrays that belong together: a matrix, a table of strings."""
        for part, values in parts.items():
            self._container.array(f"{name}.{part}", values)

    def pieces(self, name: str, dtype: type[np.generic], arrays: Iterable[NDArray[Any]]) -> None:
        """One array, handed over in parts."""
        self._container.pieces(name, np.dtype(dtype).str, arrays)

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
        """Write the rest. The matrix is transposed while Python makes the tables of strings."""
        with ThreadPoolExecutor(1) as worker:
            inverted = worker.submit(matrix.transpose, rows, width, threads)
            self.tables(ids, terms)
            matrix.write(self, rows, inverted.result(), width)
        return self.close(first_term, width)

    def tables(self, ids: Table, terms: Table) -> None:
        """Write what there is beside the records and the matrix."""
        self.array("records.ends", joined(self._ends, np.uint64))
        self.arrays("ids", ids())
        self.arrays("terms", terms())
        for name, values in self.columns.arrays():
            self.array(name, values)

    def close(self, first_term: int, width: int) -> SegmentEntry:
        """Finish the file; what the manifest says of it."""
        numbers = {"documents": self.documents, "first_term": first_term, "terms": width}
        return SegmentEntry(self.file, self._container.close(**numbers), self.documents, width)

    def abandon(self) -> None:
        self._container.abandon()
