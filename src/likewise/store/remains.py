"""What is left of a segment that may be damaged: only what a checksum vouches for.

Each part of the file is looked at by itself, so that damage to one does not keep the others from
being used. Where the table of contents or that of blocks is damaged, blocks of records are found by
their own beginnings and checked by the checksum that each carries.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from mmap import ACCESS_READ, mmap
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import msgspec
import numpy as np
from xxhash import xxh3_64_intdigest

from likewise._core import line_ends
from likewise.document import values_of
from likewise.errors import StoreError
from likewise.readers.zstandard import zstd
from likewise.store import structure
from likewise.store.blocks import LONGEST, Chunk, RecordBlocks, decompress, read_dictionary
from likewise.store.container import ALIGNMENT, HEADER, Container
from likewise.store.mending import MendedContainer
from likewise.store.reindexing import UNREADABLE
from likewise.store.segment import DELETIONS, SEGMENT, VIEW, Segment
from likewise.store.strings import encode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from likewise._core import CountArrays
    from likewise.store.manifest import SegmentEntry, ViewRows
    from likewise.views.precision import DenseRows

T = TypeVar("T")

FRAME = b"\x28\xb5\x2f\xfd"  # that a block begins with


class Fault(NamedTuple):
    """A part of a file that is damaged, and the error that says so; "" is the file as a whole."""

    file: str
    part: str
    error: str


class Remains:
    """One segment with the files beside it."""

    def __init__(self, directory: Path, entry: SegmentEntry) -> None:
        self.directory, self.entry = directory, entry
        self.faults: list[Fault] = []
        file = self._try(entry.file, "", self._open) or self._mended()
        self.file = file
        self.segment = self._try(entry.file, "", lambda: self._segment(file)) if file else None
        if self.segment is None:
            return
        for section, error in self.segment.faults():
            self.faults.append(Fault(entry.file, section.partition(".")[0], str(error)))
        for part, check in self._checks(self.segment).items():
            if self.has(part):
                self._try(entry.file, part, check)

    def has(self, *parts: str) -> bool:
        """Whether these parts of the segment's file are whole."""
        bad = {fault.part for fault in self.faults if fault.file == self.entry.file}
        return self.segment is not None and not bad.intersection(parts)

    def chunks(self) -> Iterator[Chunk]:
        """The documents that can be read, in their order."""
        if self.segment is None:
            yield from self._walk()
        elif isinstance(records := self.segment.records, RecordBlocks):
            try:
                blocks = records.blocks
            except StoreError:
                yield from self._walk()
                return
            for block in range(blocks):
                with suppress(StoreError):
                    yield records.block(block)
        elif self.has("records"):
            yield from records.chunks()

    @cached_property
    def readable(self) -> NDArray[np.bool_]:
        """Which documents can be read."""
        found = np.zeros(self.entry.documents, np.bool_)
        for chunk in self.chunks():
            found[chunk.first : chunk.first + len(chunk.ends)] = True
        return found

    @cached_property
    def live(self) -> NDArray[np.bool_] | None:
        """Which documents are not deleted; None if that cannot be told."""
        mask = np.ones(self.entry.documents, np.bool_)
        entry = self.entry.deletions
        if entry is None:
            return mask

        def read() -> NDArray[np.uint32]:
            file = Container(self.directory / entry.file, DELETIONS, entry.bytes)
            file.verify()
            return structure.ascending(file, "deleted", len(mask), entry.documents)

        deleted = self._try(entry.file, "", read)
        if deleted is None:
            return None
        mask[deleted] = False
        return mask

    def view(self, name: str, dimensions: int) -> DenseRows | None:
        """A view's rows, if they are whole."""
        entry: ViewRows = self.entry.views[name]

        def read() -> DenseRows:
            file = Container(self.directory / entry.file, VIEW, entry.bytes)
            file.verify()
            file.expect(documents=self.entry.documents)
            return structure.dense_rows(file, "rows", (self.entry.documents, dimensions))

        return self._try(entry.file, "", read)

    def sparse_view(self, name: str, width: int) -> CountArrays | None:
        """The rows of a view of counts, if they are whole."""
        entry: ViewRows = self.entry.sparse[name]

        def read() -> CountArrays:
            file = Container(self.directory / entry.file, VIEW, entry.bytes)
            file.verify()
            file.expect(documents=self.entry.documents, width=width)
            structure.expect(file, "rows.starts", structure.NUMBER, (self.entry.documents + 1,))
            return structure.counts(file, "rows", width)

        return self._try(entry.file, "", read)

    @cached_property
    def ids(self) -> list[str | None]:
        """Each document's id, None where it is lost.

        If the list of ids is damaged, an id must have the hash that the document's had: one of the
        list that has is right, and so is one among the values of the record.
        """
        found: list[str | None] = [None] * self.entry.documents
        if self.segment is None or self.file is None:
            return found
        with suppress(StoreError):  # their list may be whole, and only what finds them damaged
            return list(self.segment.ids.all())
        hashes = hashes_of_ids(self.file)
        if hashes is None:
            return found
        listed = listed_ids(self.file)
        for first, records, ends in self.chunks():
            for place, (start, end) in enumerate(zip([0, *ends], ends, strict=False)):
                number = first + place
                candidates = [*listed[number : number + 1], *_values(records[start:end])]
                right = (one for one in candidates if _hash(one, hashes) == hashes[number])
                found[number] = next(right, None)
        return found

    def _open(self) -> Container:
        return Container(self.directory / self.entry.file, SEGMENT, self.entry.bytes)

    def _mended(self) -> Container | None:
        """The file in spite of its header, or of one bit in its table of contents."""
        with suppress(StoreError):
            return MendedContainer(self.directory / self.entry.file, SEGMENT, self.entry.bytes)
        return None

    def _segment(self, file: Container) -> Segment:
        bare = msgspec.structs.replace(self.entry, deletions=None, views={}, sparse={})
        return Segment(self.directory, bare, file=file)

    def _checks(self, segment: Segment) -> dict[str, Callable[[], object]]:
        """What the numbers of each part must say."""
        if segment.family == "dense":
            matrix: dict[str, Callable[[], object]] = {"dense": lambda: segment.dense}
        elif segment.family == "values":
            matrix = {
                "rows": lambda: segment.value_rows,
                "inverted": lambda: segment.value_inverted,
            }
        else:
            matrix = {"rows": lambda: segment.rows, "inverted": lambda: segment.inverted}
        return {
            **matrix,
            "records": segment.records.verify,
            "ids": segment.ids.columns,
            "terms": segment.terms.columns,
            "columns": lambda: [
                (column.values, column.codes)
                for column in (segment.columns.stored.values() if segment.columns else ())
            ],
        }

    def _try(self, file: str, part: str, read: Callable[[], T]) -> T | None:
        try:
            return read()
        except StoreError as error:
            fault = Fault(file, part, str(error))
            if fault not in self.faults:
                self.faults.append(fault)
            return None

    def _walk(self) -> Iterator[Chunk]:
        """Blocks one after another as they begin; none unless they are all documents and whole."""
        path = self.directory / self.entry.file
        if documents_in(path) == self.entry.documents:
            yield from walked(path)


def documents_in(path: Path) -> int:
    """How many documents a segment's file has in blocks that follow one another."""
    return sum(len(chunk.ends) for chunk in walked(path))


def walked(path: Path) -> Iterator[Chunk]:
    """Blocks as they begin, up to the first that is damaged."""
    try:
        with path.open("rb") as file:
            whole = mmap(file.fileno(), 0, access=ACCESS_READ)
    except (OSError, ValueError):
        return
    blocks = list(frames(whole))
    dictionary = find_dictionary(whole, blocks[-1].stop if blocks else HEADER.size)
    first = 0
    for one in blocks:
        try:
            records = unpacked(whole, one, dictionary)
        except ValueError:
            return
        ends = line_ends(records)
        yield Chunk(first, records, ends)
        first += len(ends)


def hashes_of_ids(file: Container) -> NDArray[np.unsignedinteger] | None:
    """The hash of each document's id; None if they are damaged, too."""
    try:
        order, hashes = (structure.string_part(file, "ids", part) for part in ("order", "hashes"))
    except StoreError:
        return None
    found = np.zeros_like(hashes)
    found[order] = hashes
    return found


def listed_ids(file: Container) -> list[str]:
    """Ids as they stand in the list, right or wrong; none if nobody can tell where each ends."""
    try:
        ends = structure.ends(file, "ids.ends", "ids.text").tolist()
    except StoreError:
        return []
    text = file.unchecked("ids.text").tobytes()
    pieces = (text[start:end] for start, end in zip([0, *ends], ends, strict=False))
    return [piece.decode("utf-8", "replace") for piece in pieces]


def frames(whole: mmap) -> Iterator[slice]:
    """Where blocks are that follow one another from the beginning of a file."""
    at, view = HEADER.size, memoryview(whole)
    while view[at : at + len(FRAME)] == FRAME:
        try:
            size = zstd.get_frame_size(view[at:])
        except zstd.ZstdError:
            return
        yield slice(at, at + size)
        at += size


def find_dictionary(whole: mmap, at: int) -> zstd.ZstdDict | None:
    """The first of the dictionaries behind the blocks that is whole."""
    while (at := whole.find(FRAME, at)) >= 0:
        if at % ALIGNMENT == 0:
            with suppress(ValueError, zstd.ZstdError):
                size = zstd.get_frame_size(memoryview(whole)[at:])
                return read_dictionary(memoryview(whole)[at : at + size])
        at += 1
    return None


def unpacked(whole: mmap, place: slice, dictionary: zstd.ZstdDict | None) -> bytes:
    data = memoryview(whole)[place]
    size = zstd.get_frame_info(data).decompressed_size
    if size is None or size > LONGEST:
        raise ValueError("a block is too long")
    records = decompress(data, size, dictionary)
    if not records.endswith(b"\n"):
        raise ValueError("a block does not end with a line")
    return records


def _hash(string: str, hashes: NDArray[np.unsignedinteger]) -> int:
    """As these hashes have it, of 32 bits or, in formats 1 and 2, of 64."""
    return xxh3_64_intdigest(encode([string])[0]) >> (64 - 8 * hashes.itemsize)


def _values(record: bytes) -> list[str]:
    """The values of a record that could be its id."""
    try:
        values = values_of(record).values()
    except UNREADABLE:
        return []
    return [str(value) for value in values if isinstance(value, (str, int, float))]
