"""A segment: documents that were added together, their vectors by row and by term, in one file.

Sections: `records*` (see blocks.py), `ids.*` and `terms.*` (string tables; the terms are those that
this segment was the first to use), the matrix as `rows.*` and, transposed, as `inverted.*`, or as
`dense`, and fields as `columns.*`.
The segment's file never changes. Beside it are small ones: which documents are deleted, and a file
of dense rows for each view.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from likewise.corpus import Stored
from likewise.store import blocks, plain, shown, structure
from likewise.store.arrays import joined
from likewise.store.blocks import RecordBlocks
from likewise.store.container import Container, ContainerWriter, removed_on_failure
from likewise.store.dictionary import check_first_terms
from likewise.store.fields import ColumnBuilder, open_columns
from likewise.store.keys import KeyBuilder, KeyTable
from likewise.store.manifest import Deletions, SegmentEntry, ViewRows
from likewise.store.packing import count_of
from likewise.store.plain import PlainRecords
from likewise.store.strings import PARTS, StringTable
from likewise.views.precision import packed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from likewise._core import CountArrays, StringTables
    from likewise.corpus import ValueArrays
    from likewise.errors import StoreError
    from likewise.store.fields import Columns
    from likewise.store.transaction import Transaction
    from likewise.views.precision import DenseRows, Precision


T = TypeVar("T")

SEGMENT, DELETIONS, VIEW = "segment", "deletions", "view"  # kinds of file


class Segment:
    """A segment opened for reading. Documents have numbers within it, deleted ones included."""

    _file: Container
    _deletions: Container | None
    _views: dict[str, Container]

    def __init__(
        self,
        directory: Path,
        entry: SegmentEntry,
        opened: Segment | None = None,
        file: Container | None = None,
    ) -> None:
        """`opened` is the segment as an earlier generation had it; if it is, it is used again.

        `file` is the segment's file where it is open already.
        """
        file = file or _open(directory, entry, SEGMENT, opened._file if opened else None)
        file.expect(documents=entry.documents, terms=entry.terms)
        file.once("", lambda: _check_sections(file, entry))
        self._file = file
        self._deletions = _open_deletions(directory, entry.deletions, opened)
        self._views = _open_views(directory, entry, opened._views if opened else {})
        self.entry = entry
        self.documents = entry.documents
        if opened is not None and opened._file is file:  # what was read of it is read once
            self.records = opened.records
            if "columns" in vars(opened):
                self.columns = opened.columns
        self.terms = StringTable(lambda part: structure.string_part(file, "terms", part))
        self.ids = StringTable(lambda part: structure.string_part(file, "ids", part))

    @property
    def path(self) -> Path:
        return self._file.path

    @property
    def format(self) -> int:
        """The oldest format of its files."""
        return min(file.format for file in (self._file, *self._views.values()))

    @property
    def width(self) -> int:
        """Terms of the dictionary up to and including this segment."""
        return self.entry.terms

    @property
    def first_term(self) -> int:
        """The number of the first term that this segment brought."""
        return self._file.number("first_term")

    @property
    def family(self) -> str:
        """What its matrix consists of: counts, values or dense."""
        return structure.family_of(self._file)

    @property
    def entries(self) -> int:
        """Numbers that its matrix holds."""
        if "dense" in self._file:
            return self._file.size("dense")
        dtype, (length,) = self._file.layout("rows.columns")
        return count_of(length, np.dtype(dtype))

    @property
    def rows(self) -> CountArrays:
        return structure.counts(self._file, "rows", self.width)

    @property
    def inverted(self) -> CountArrays:
        """The same by term: which documents hold it. A row for each term, or for those `listed`."""
        return structure.counts(self._file, "inverted", self.documents)

    @property
    def listed(self) -> NDArray[np.uint32] | None:
        """The terms of the inverted file's rows; None if it has all."""
        if "inverted.terms" not in self._file:
            return None
        return structure.ascending(self._file, "inverted.terms", self.width)

    @property
    def value_rows(self) -> ValueArrays:
        return structure.values(self._file, "rows", self.width)

    @property
    def value_inverted(self) -> ValueArrays:
        return structure.values(self._file, "inverted", self.documents)

    @property
    def dense(self) -> NDArray[np.float32]:
        return structure.reals(self._file, "dense", (self.documents, self.width))

    def view(self, name: str, dimensions: int | None = None) -> DenseRows:
        """A row of a view for each document, deleted ones included."""
        return structure.dense_rows(self._views[name], "rows", (self.documents, dimensions))

    def sparse_view(self, name: str, width: int) -> CountArrays:
        """The same of a view of counts."""
        file = self._views[name]
        structure.expect(file, "rows.starts", structure.NUMBER, (self.documents + 1,))
        return structure.counts(file, "rows", width)

    def stored(self, read_inverted: Callable[[], None] = lambda: None) -> Stored:
        """Its rows as an engine takes them; what they say was checked here.

        `read_inverted` is called before the inverted file is looked at.
        """
        family = self.family
        if family == "dense":
            return Stored(self.dense, self.width, self.live)
        if family == "values":
            return Stored(self.value_rows, self.width, self.live)

        def inverted() -> CountArrays:
            read_inverted()
            return self.inverted

        return Stored(
            self.rows, self.width, self.live, inverted, trusted=True,
            listed=self.listed, starts=lambda: structure.starts(self._file, "inverted"),
        )  # fmt: skip

    def stored_view(self, name: str, dimensions: int) -> Stored:
        rows = self.view(name, dimensions)
        numbers = rows.numbers.reshape(self.documents, dimensions)
        return Stored(numbers, dimensions, self.live, factors=rows.factors)

    def stored_sparse_view(self, name: str, width: int) -> Stored:
        file, rows = self._views[name], self.sparse_view(name, width)
        found = Stored(rows, width, self.live, trusted=True)
        if "rows.frequencies" not in file:  # which large ones have
            return found
        return found._replace(frequencies=lambda: structure.frequencies(file, "rows", rows, width))

    @cached_property
    def deleted(self) -> NDArray[np.uint32]:
        """The deleted documents, ascending."""
        if self._deletions is None or self.entry.deletions is None:
            return np.zeros(0, np.uint32)
        count = self.entry.deletions.documents
        return structure.ascending(self._deletions, "deleted", self.documents, count)

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
    def records(self) -> RecordBlocks | PlainRecords:
        """The documents as they were given."""
        kind = RecordBlocks if "records.blocks" in self._file else PlainRecords
        return kind(self._file, self.documents)

    def to_show(self) -> tuple[Container, list[str]]:
        """The sections of ids and titles."""
        ids = [f"ids.{part}" for part in PARTS]
        return self._file, ids + [f"{shown.TITLES}.{part}" for part in shown.PARTS]

    def to_score(self) -> tuple[Container, list[str]]:
        """The sections of its rows, and those that tell in how many of them each term is."""
        rows = [name for name in self._file.names if name.startswith("rows.")]
        return self._file, [*rows, "dense", "inverted.starts", "inverted.terms"]

    def to_invert(self) -> tuple[Container, list[str]]:
        """The sections of its inverted file."""
        return self._file, [name for name in self._file.names if name.startswith("inverted.")]

    def to_score_view(self, name: str) -> tuple[Container, list[str]]:
        """The sections of a view."""
        return self._views[name], self._views[name].names

    @property
    def counted(self) -> tuple[Container, str, int]:
        """Where its rows of counts are, and their width."""
        return self._file, "rows", self.width

    @property
    def inverted_counts(self) -> tuple[Container, str, int]:
        """The same of its inverted file."""
        return self._file, "inverted", self.documents

    def counted_view(self, name: str, width: int) -> tuple[Container, str, int]:
        """The same of a view of counts."""
        return self._views[name], "rows", width

    def add_titles(self, tables: StringTables) -> bool:
        """Let the core read the titles of live documents; False where only records have them."""
        if not shown.has_titles(self._file):
            return False
        shown.add_to(tables, self._file, self.documents, self.live)
        return True

    def read(self, number: int, read: Callable[[memoryview], T]) -> T:
        """What `read` makes of a document's record; if it cannot, the file is damaged."""
        record = self.records.one(number)
        return self.understood("records", lambda: read(record))

    @cached_property
    def keys(self) -> KeyTable:
        """DOIs and PMIDs of the documents, read from the records if the file has no table."""
        if "keys.hashes" in self._file:
            return KeyTable(*structure.keys(self._file, self.documents))
        builder = KeyBuilder()
        if "records.blocks" in self._file:  # whoever writes blocks writes keys, if there are any
            return builder.table()
        for chunk in self.records.chunks():
            builder.add(chunk.records, len(chunk.ends))
        return builder.table()

    @cached_property
    def columns(self) -> Columns | None:
        """The fields by column, made here if the file has none; None where only records tell."""
        if "columns" in self._file:
            return open_columns(self._file, self.documents)
        return self._columns_of_records()

    def _columns_of_records(self) -> Columns | None:
        builder = ColumnBuilder()
        for chunk in self.records.chunks():
            builder.add(chunk.records)
        made = builder.columns()
        return made if made is not None and made.documents == self.documents else None

    def understood(self, name: str, read: Callable[[], T]) -> T:
        """What `read` makes of a section; if it cannot, the file is damaged."""
        return self._file.understood(name, read)

    def damaged(self, what: str) -> StoreError:
        return self._file.damaged(what)

    def release(self) -> None:
        """Take no memory for what was read and is not needed soon."""
        for file in (self._file, *self._views.values()):
            file.release()

    def faults(self) -> Iterator[tuple[str, StoreError]]:
        """Damaged sections of its file."""
        return self._file.faults()

    def files(self) -> dict[str, Container]:
        """Its files, by their names in the manifest."""
        beside = {**self.entry.views, **self.entry.sparse}
        views = {beside[name].file: file for name, file in self._views.items()}
        found = {self.entry.file: self._file, **views}
        if self.entry.deletions and self._deletions:
            found[self.entry.deletions.file] = self._deletions
        return found

    def verify(self) -> None:
        """Check every byte of the segment's files, and what their numbers say."""
        self._file.verify()
        if self._deletions:
            self._deletions.verify()
        for view in self._views.values():
            view.verify()
        self._verify_numbers()

    def _verify_numbers(self) -> None:
        self.stored()
        if self.family == "counts":
            _ = self.inverted
        elif self.family == "values":
            _ = self.value_inverted
        self.records.verify()
        _ = self.deleted, self.keys
        if shown.has_titles(self._file):
            shown.unpacked(self._file, self.documents)
        for table in (self.ids, self.terms):
            table.columns()
        for column in self.columns.stored.values() if self.columns else ():
            _ = column.values, column.codes
        for name in self.entry.views:
            self.view(name)
        for name in self.entry.sparse:
            stored = self.stored_sparse_view(name, self._views[name].number("width"))
            if stored.frequencies is not None:
                stored.frequencies()


def open_segments(
    directory: Path, entries: Sequence[SegmentEntry], opened: Mapping[str, Segment] | None = None
) -> list[Segment]:
    """The segments of an index in their order; those in `opened`, by file, are used again."""
    known = opened or {}
    segments = [Segment(directory, entry, known.get(entry.file)) for entry in entries]
    check_first_terms(segments)
    return segments


def write_deletions(directory: Path, file: str, numbers: NDArray[np.uint32]) -> Deletions:
    """Write the deleted documents' numbers within their segment, ascending."""
    writer = ContainerWriter(directory / file, DELETIONS)
    with removed_on_failure(writer):
        writer.array("deleted", numbers)
        return Deletions(file, writer.close(), len(numbers))


def write_rows(
    change: Transaction,
    blocks: Iterable[NDArray[np.float32] | DenseRows],
    documents: int,
    precision: Precision,
    *,
    later: int = 0,
    name: str | None = None,
) -> ViewRows:
    """Write a view's rows of one segment's documents, handed over some at a time."""
    name = name or change.new_file("view")
    writer = ContainerWriter(change.directory / name, VIEW)
    with removed_on_failure(writer):
        stored = (
            packed(block, precision) if isinstance(block, np.ndarray) else block for block in blocks
        )
        write_dense(writer, "rows", stored, precision)
        return ViewRows(name, writer.close(documents=documents), later)


def _check_sections(file: Container, entry: SegmentEntry) -> None:
    structure.check_segment(file, entry.documents, entry.terms)
    layout = blocks if "records.blocks" in file else plain
    layout.check_sections(file, entry.documents)
    shown.check_sections(file, entry.documents)


def write_dense(
    writer: ContainerWriter, name: str, blocks: Iterable[DenseRows], precision: Precision
) -> None:
    """Write rows at a precision, which all blocks have."""
    factors: list[NDArray[np.float32]] = []

    def numbers() -> Iterator[NDArray[Any]]:
        for block in blocks:
            if block.factors is not None:
                factors.append(block.factors)
            yield block.numbers

    writer.pieces(name, precision, numbers())
    if precision != "float32":
        writer.array(f"{name}.factors", joined(factors, np.float32))


def _open(
    directory: Path,
    entry: SegmentEntry | Deletions | ViewRows,
    kind: str,
    opened: Container | None,
) -> Container:
    """A file of the manifest; one that is open already is used again."""
    path = directory / entry.file
    if opened is not None and opened.is_at(path):
        return opened
    return Container(path, kind, entry.bytes)


def _open_deletions(
    directory: Path, entry: Deletions | None, opened: Segment | None
) -> Container | None:
    if entry is None:
        return None
    return _open(directory, entry, DELETIONS, opened._deletions if opened else None)


def _open_views(
    directory: Path, entry: SegmentEntry, opened: Mapping[str, Container]
) -> dict[str, Container]:
    """Each view's rows, checked to be of this segment's documents."""
    found = {}
    for name, rows in {**entry.views, **entry.sparse}.items():
        file = _open(directory, rows, VIEW, opened.get(name))
        file.expect(documents=entry.documents)
        found[name] = file
    return found
