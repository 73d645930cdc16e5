"""A segment: documents that were added together, their vectors by row and by term, in one file.

Sections: `records` and `records.ends` (one JSON object a line), `ids.*` and `terms.*` (string
tables; the terms are those that this segment was the first to use), `lengths` (tokens a document),
the matrix as `rows.*` and, transposed, as `inverted.*`, or as `dense`, and fields as `columns.*`.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from likewise.corpus import Stored
from likewise.store.column_builder import ColumnBuilder
from likewise.store.columns import open_columns
from likewise.store.container import Container
from likewise.store.deletions import open_deletions
from likewise.store.strings import StringTable
from likewise.store.view_files import open_views

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from likewise._core import CountArrays
    from likewise.corpus import ValueArrays
    from likewise.store.columns import Columns
    from likewise.store.manifest import SegmentEntry

KIND = "segment"
CHUNK = 4096  # documents whose records are read at a time
COUNT_PARTS = ("starts", "more", "columns", "counts", "large_at", "large")
VALUE_PARTS = ("starts", "columns", "values")


class Segment:
    """A segment opened for reading. Documents have numbers within it, deleted ones included."""

    _file: Container

    def __init__(self, directory: Path, entry: SegmentEntry, opened: Segment | None = None) -> None:
        """`opened` is the segment as an earlier generation had it; if it is, it is used again."""
        path = directory / entry.file
        if opened is not None and opened._file.is_at(path):
            file = opened._file
        else:
            file = Container(path, KIND, entry.bytes)
        file.expect(documents=entry.documents, terms=entry.terms)
        self._file = file
        self._deletions = open_deletions(directory, entry.deletions) if entry.deletions else None
        self._views = open_views(directory, entry)
        self.entry = entry
        self.documents = entry.documents
        self.terms = StringTable(lambda part: file.array(f"terms.{part}"))
        self.ids = StringTable(lambda part: file.array(f"ids.{part}"))

    @property
    def path(self) -> Path:
        return self._file.path

    @property
    def width(self) -> int:
        """Terms of the dictionary up to and including this segment."""
        return self.entry.terms

    @property
    def first_term(self) -> int:
        """The number of the first term that this segment brought."""
        return self._file.number("first_term")

    @property
    def entries(self) -> int:
        """Numbers that its matrix holds."""
        return self._file.size("dense" if "dense" in self._file else "rows.columns")

    @property
    def rows(self) -> CountArrays:
        return cast("CountArrays", self._matrix("rows", COUNT_PARTS))

    @property
    def inverted(self) -> CountArrays:
        """The same by term: which documents hold it."""
        return cast("CountArrays", self._matrix("inverted", COUNT_PARTS))

    @property
    def value_rows(self) -> ValueArrays:
        return cast("ValueArrays", self._matrix("rows", VALUE_PARTS))

    @property
    def value_inverted(self) -> ValueArrays:
        return cast("ValueArrays", self._matrix("inverted", VALUE_PARTS))

    @property
    def dense(self) -> NDArray[np.float32]:
        return self._file.array("dense")

    def view(self, name: str) -> NDArray[np.float32]:
        """A row of a view for each document, deleted ones included."""
        return self._views[name].array("rows")

    def stored(self) -> Stored:
        """Its rows as an engine takes them; checksums were verified when they were mapped."""
        if "dense" in self._file:
            return Stored(self.dense, self.width, self.live)
        if "rows.values" in self._file:
            return Stored(self.value_rows, self.width, self.live)
        return Stored(self.rows, self.width, self.live, lambda: self.inverted, trusted=True)

    def stored_view(self, name: str) -> Stored:
        rows = self.view(name)
        return Stored(rows, rows.shape[1], self.live)

    @property
    def lengths(self) -> NDArray[np.uint32]:
        return self._file.array("lengths")

    @cached_property
    def deleted(self) -> NDArray[np.uint32]:
        """The deleted documents, ascending."""
        return self._deletions.array("deleted") if self._deletions else np.zeros(0, np.uint32)

    @cached_property
    def live(self) -> NDArray[np.uint32] | None:
        """The documents that are not deleted, ascending; None if that is all of them."""
        return np.flatnonzero(~self.deleted_mask()).astype(np.uint32) if self._deletions else None

    def deleted_mask(self) -> NDArray[np.bool_]:
        """A new array that says of each document whether it is deleted."""
        mask = np.zeros(self.documents, np.bool_)
        mask[self.deleted] = True
        return mask

    @cached_property
    def record_ends(self) -> NDArray[np.uint64]:
        return self._file.array("records.ends")

    def records(self, first: int, last: int) -> NDArray[np.uint8]:
        """The records of the documents from `first` to before `last`, each ended by a newline."""
        ends = self.record_ends
        start = int(ends[first - 1]) if first else 0
        stop = int(ends[last - 1]) if last else 0
        return self._file.unchecked("records")[start:stop]

    @cached_property
    def columns(self) -> Columns | None:
        """The fields by column, made here if the file has none; None where only records tell."""
        if "columns" in self._file:
            return open_columns(self._file.array, self.documents)
        return self._columns_of_records()

    def _columns_of_records(self) -> Columns | None:
        builder = ColumnBuilder()
        for first in range(0, self.documents, CHUNK):
            builder.add(self.records(first, min(first + CHUNK, self.documents)).data)
        made = builder.columns()
        return made if made is not None and made.documents == self.documents else None

    @property
    def record_bytes(self) -> int:
        return int(self.record_ends[-1]) if self.documents else 0

    def release(self) -> None:
        """Take no memory for what was read and is not needed soon."""
        self._file.release()

    def verify(self) -> None:
        """Check every byte of the segment's files."""
        self._file.verify()
        if self._deletions:
            self._deletions.verify()
        for view in self._views.values():
            view.verify()

    def _matrix(self, name: str, parts: tuple[str, ...]) -> dict[str, NDArray[Any]]:
        return {part: self._file.array(f"{name}.{part}") for part in parts}
