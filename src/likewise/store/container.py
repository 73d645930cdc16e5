"""One immutable file of named arrays.

A 64-byte header, the sections (each begins at a multiple of 64 bytes), a table of contents in JSON
and a trailer that says where the table is. The table holds every section's XXH3 checksum; the
trailer holds the table's. An array is checked when it is first asked for, so that no damaged
number reaches the native code.
"""

from __future__ import annotations

import math
import os
import struct
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import msgspec
import numpy as np
from xxhash import xxh3_64, xxh3_64_intdigest

from likewise.errors import StoreError, sentence
from likewise.store.disk import REBUILD, begin_writing, writing
from likewise.store.mapped import opened
from likewise.store.sections import Section, read_sections

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from numpy.typing import DTypeLike, NDArray

    from likewise.store.mapped import ReadAt
    from likewise.store.sections import Told

T = TypeVar("T")

FORMAT = 3  # 1 had no columns; 2 no blocks of records, and 4 bytes for every number
MAGIC = b"likewise"
ALIGNMENT = 64
# Bytes written at a time, from a multiple of it on: the system keeps them in one large page, so
# that whoever maps the file later waits for a page once instead of some hundred times.
PIECE = 2 << 20
READ_AT_ONCE = 1 << 30  # bytes
AT_ONCE = 16 << 20  # bytes whose way to the disk begins together; with fewer, writing takes longer
HEADER = struct.Struct("<8sI4x16s32x")  # magic, format, kind
TRAILER = struct.Struct("<QQQ8s")  # the table's offset, length and checksum, magic
LONGEST_TABLE = 64 << 20  # bytes: of half a million sections
DTYPES = ("|u1", "<u2", "<u4", "<u8", "<f4", "|i1")


class Contents(msgspec.Struct, frozen=True):
    sections: tuple[Section, ...]
    metadata: dict[str, int] = {}


def header(kind: str, version: int = FORMAT) -> bytes:
    return HEADER.pack(MAGIC, version, kind.encode())


def newer_format(path: Path, found: int, known: int = FORMAT) -> StoreError:
    return StoreError(
        f"{path} has format {found}, this likewise reads formats up to {known}: upgrade likewise"
    )


class Container:
    """A file opened for reading; it is mapped once and arrays are views of the map."""

    def __init__(self, path: Path, kind: str, size: int | None = None) -> None:
        self.path = path
        with opened(path, size) as (self._mapped, read_at):
            self._map = self._mapped.content
            if len(self._map) < HEADER.size + TRAILER.size:
                raise StoreError(f"{path} is too short to be a file of an index: {REBUILD}")
            self.format = self._check_header(kind, read_at(0, HEADER.size))
            contents = self._read_contents(read_at)
        self.metadata = contents.metadata
        self._check_format()
        self._sections = {section.name: section for section in contents.sections}
        self._told: dict[str, Told] = {}  # of the sections that were read and are whole
        self._sound: set[str] = set()  # what passed a check of its numbers
        self._views: dict[str, NDArray[Any]] = {}

    def _check_header(self, kind: str, found: bytes) -> int:
        return _check_header(self.path, found, kind)

    def _check_format(self) -> None:
        if self.metadata.get("format", self.format) != self.format:
            raise self.damaged(f"its header says that it has format {self.format}")

    def is_at(self, path: Path) -> bool:
        """Whether this very file is still there."""
        return self._mapped.is_at(path)

    def __contains__(self, name: str) -> bool:
        return name in self._sections

    @property
    def names(self) -> list[str]:
        """The sections, in their order."""
        return list(self._sections)

    def array(self, name: str) -> NDArray[Any]:
        """A section's numbers, checked the first time they are asked for."""
        self.told(name)
        return self._view(self._section(name))

    def told(self, name: str) -> Told:
        """What is known of a section's numbers, which are read the first time."""
        if name not in self._told:
            self._told[name] = self._read(self._section(name))
        return self._told[name]

    def unchecked(self, name: str) -> NDArray[Any]:
        """A section's numbers as they are: for text of which one small piece is wanted."""
        return self._view(self._section(name))

    def layout(self, name: str) -> tuple[str, tuple[int, ...]]:
        """A section's type and shape."""
        section = self._section(name)
        return section.dtype, section.shape

    def size(self, name: str) -> int:
        """How many numbers a section holds."""
        return math.prod(self._section(name).shape)

    def once(self, name: str, check: Callable[[], object]) -> None:
        """Check what a section's numbers say; what has passed is not checked again."""
        if name not in self._sound:
            self.understood(name, check)
            self._sound.add(name)

    def is_sound(self, name: str) -> bool:
        """Whether its numbers have passed that check."""
        return name in self._sound

    def understood(self, name: str, read: Callable[[], T]) -> T:
        """What `read` makes of a section, whose error says that the section makes no sense."""
        try:
            return read()
        except (ValueError, TypeError, LookupError, msgspec.MsgspecError, RecursionError) as error:
            raise self.damaged(f"section {name!r} makes no sense ({sentence(error)})") from error

    def number(self, name: str) -> int:
        try:
            return self.metadata[name]
        except KeyError:
            raise self.damaged(f"it does not say {name!r}") from None

    def expect(self, **numbers: int) -> None:
        """Refuse a file that is not the one meant, whole as it may be."""
        for name, number in numbers.items():
            if self.number(name) != number:
                raise self.damaged(f"it has {self.number(name)} {name} instead of {number}")

    @property
    def content(self) -> memoryview:
        """Every byte of the file."""
        return self._map

    def release(self) -> None:
        """Let go of the pages read so far; they come back from the file when they are needed."""
        self._mapped.release()

    def verify(self) -> None:
        """Check every byte of the file."""
        for _, error in self.faults():
            raise error

    def faults(self) -> Iterator[tuple[str, StoreError]]:
        """Each section that is damaged, "" for bytes between them, and the error that says so."""
        end = HEADER.size
        for section in self._sections.values():
            yield from _fault("", self._check_gap, end, section.offset)
            yield from _fault(section.name, self._read, section)
            end = section.offset + section.bytes
        yield from _fault("", self._check_gap, end, self._table_offset)

    def _read_contents(self, read_at: ReadAt) -> Contents:
        at = len(self._map) - TRAILER.size
        table, trailer = self._table_and_trailer(at, read_at)
        if not fits(table, trailer, at):
            raise self.damaged("its end does not fit the rest")
        self._table_offset = offset = TRAILER.unpack(trailer)[0]
        try:
            contents = msgspec.json.decode(table, type=Contents)
            _check_sections(contents.sections, offset)
        except (msgspec.MsgspecError, ValueError) as error:
            raise self.damaged(
                f"its table of contents is not understood ({sentence(error)})"
            ) from error
        return contents

    def _table_and_trailer(self, at: int, read_at: ReadAt) -> tuple[bytes, bytes]:
        """The end of the file; the trailer is at `at`."""
        trailer = read_at(at, TRAILER.size)
        length = at - TRAILER.unpack(trailer)[0]
        return (read_at(at - length, length) if 0 <= length <= LONGEST_TABLE else b""), trailer

    def _section(self, name: str) -> Section:
        try:
            return self._sections[name]
        except KeyError:
            raise self.damaged(f"it has no section {name!r}") from None

    def _view(self, section: Section) -> NDArray[Any]:
        view = self._views.get(section.name)
        if view is None:
            dtype = np.dtype(section.dtype)
            count = section.bytes // dtype.itemsize
            flat = np.frombuffer(self._map, dtype, count, section.offset)
            view = self._views[section.name] = flat.reshape(section.shape)
        return view

    def _read(self, section: Section) -> Told:
        (told,) = read_sections([(section, self._map)])
        if told.checksum != section.checksum:
            raise self.damaged(f"section {section.name!r} does not have the checksum it had")
        return told

    def _check_gap(self, start: int, end: int) -> None:
        if any(self._map[start:end]):
            raise self.damaged(f"bytes {start} to {end} should be 0")

    def damaged(self, what: str) -> StoreError:
        return StoreError(f"{self.path} is damaged, {what}: {REBUILD}")


def read_together(wanted: Iterable[tuple[Container, Iterable[str]]], threads: int) -> None:
    """Read sections of several files by several threads, so that later nobody waits for them.

    Those that a file does not have are passed over; those that are damaged are read again by
    whoever asks for them, who is told so.
    """
    todo = [
        (file, file._sections[name])
        for file, names in wanted
        for name in names
        if name in file._sections and name not in file._told
    ]
    for some in _portions(todo):
        found = read_sections([(section, file._map) for file, section in some], threads)
        for (file, section), told in zip(some, found, strict=True):
            if told.checksum == section.checksum:
                file._told[section.name] = told


def _portions(todo: list[tuple[Container, Section]]) -> Iterator[list[tuple[Container, Section]]]:
    """Some at a time: between them, whoever waits for gigabytes from a slow disk can stop it."""
    some: list[tuple[Container, Section]] = []
    size = 0
    for one in todo:
        some.append(one)
        size += one[1].bytes
        if size >= READ_AT_ONCE:
            yield some
            some, size = [], 0
    if some:
        yield some


def fits(table: bytes, trailer: bytes, at: int) -> bool:
    """Whether a trailer, at `at`, is that of the table before it."""
    offset, length, checksum, magic = TRAILER.unpack(trailer)
    whole: bool = magic == MAGIC and offset + length == at and len(table) == length
    return whole and xxh3_64_intdigest(table) == int(checksum)


def _fault(
    name: str, check: Callable[..., object], *arguments: Any
) -> Iterator[tuple[str, StoreError]]:
    """The error that a check of a section raises, if it does."""
    try:
        check(*arguments)
    except StoreError as error:
        yield name, error


class ContainerWriter:
    """Writes a container section by section, in one pass; it is whole once close() has returned."""

    def __init__(self, path: Path, kind: str) -> None:
        self.path = path
        self._sections: list[Section] = []
        self._open: tuple[str, str, int] | None = None
        with writing(path):
            self._file = path.open("xb", buffering=0)
        self._offset = self._begun = 0
        self._piece, self._filled = memoryview(bytearray(PIECE)), 0  # what waits to be written
        self._append(header(kind))

    def begin(self, name: str, dtype: str = "|u1") -> None:
        """Start a section of such numbers, which write() fills piece by piece."""
        if dtype not in DTYPES:
            raise TypeError(f"section {name!r} cannot hold {np.dtype(dtype)}")
        self._end()
        self._append(bytes(-self._offset % ALIGNMENT))
        self._open = (name, dtype, self._offset)
        self._checksum = xxh3_64()

    def write(self, data: bytes | memoryview) -> None:
        self._checksum.update(data)
        self._append(data)

    def array(self, name: str, values: NDArray[Any]) -> None:
        """Write a whole section: an array of a type that the format knows."""
        self.begin(name, values.dtype.str)
        self.write(as_bytes(values))
        self._end(values.shape)

    def arrays(self, name: str, parts: Mapping[str, Any]) -> None:
        """Several sections that belong together: a matrix, a table of strings."""
        for part, values in parts.items():
            self.array(f"{name}.{part}", values)

    def pieces(self, name: str, dtype: DTypeLike, arrays: Iterable[NDArray[Any]]) -> None:
        """Write a section of arrays one below another, without having all of them at once."""
        self.begin(name, np.dtype(dtype).str)
        rows, shape = 0, (0,)
        for values in arrays:
            self.write(as_bytes(values))
            rows, shape = rows + len(values), values.shape
        self._end((rows, *shape[1:]))

    def close(self, **metadata: int) -> int:
        """Finish the file, wait until it is on the disk, and return its size."""
        self._end()
        about = {"format": FORMAT, **metadata}
        table = msgspec.json.encode(Contents(tuple(self._sections), about))
        self._append(bytes(-self._offset % ALIGNMENT))
        offset = self._offset
        self._append(table)
        self._append(TRAILER.pack(offset, len(table), xxh3_64_intdigest(table), MAGIC))
        with writing(self.path), self._file as file:
            self._write(self._piece[: self._filled])
            os.fsync(file.fileno())
        return self._offset

    def abandon(self) -> None:
        """Remove what was written; it cannot be finished any more."""
        with suppress(OSError):  # the disk may be full: what is left to write is not wanted
            self._file.close()
        self.path.unlink(missing_ok=True)

    def _end(self, shape: tuple[int, ...] | None = None) -> None:
        if self._open is None:
            return
        name, dtype, offset = self._open
        size = self._offset - offset
        shape = shape or (size // np.dtype(dtype).itemsize,)
        checksum = self._checksum.hexdigest()
        self._sections.append(Section(name, dtype, shape, offset, size, checksum))
        self._open = None

    def _append(self, data: bytes | memoryview) -> None:
        rest = memoryview(data)
        self._offset += len(rest)
        while len(rest):
            if not self._filled and len(rest) >= PIECE:
                whole = len(rest) // PIECE * PIECE
                self._write(rest[:whole])
            else:
                whole = min(PIECE - self._filled, len(rest))
                self._piece[self._filled : self._filled + whole] = rest[:whole]
                self._filled += whole
                if self._filled == PIECE:
                    self._write(self._piece)
                    self._filled = 0
            rest = rest[whole:]

    def _write(self, data: memoryview) -> None:
        with writing(self.path):
            while len(data):
                data = data[self._file.write(data) :]
            written = self._file.tell()
            if written - self._begun >= AT_ONCE:  # or close() would wait for all of it
                begin_writing(self._file.fileno(), self._begun, written - self._begun)
                self._begun = written


def as_bytes(values: NDArray[Any]) -> memoryview:
    return np.ascontiguousarray(values).reshape(-1).view(np.uint8).data


class Writer(Protocol):
    """Whatever writes a file that it can remove again."""

    def abandon(self) -> None: ...


@contextmanager
def removed_on_failure(writer: Writer) -> Iterator[None]:
    """Remove the file that is being written if anything fails."""
    try:
        yield
    except BaseException:
        writer.abandon()
        raise


def _check_sections(sections: Iterable[Section], end: int) -> None:
    """Sections lie one behind another, and are as long as their shapes say."""
    at = HEADER.size
    for section in sections:
        if section.dtype not in DTYPES or min(section.shape, default=-1) < 0:
            raise ValueError(f"section {section.name[:40]!r} is of no known type")
        size = math.prod(section.shape) * np.dtype(section.dtype).itemsize
        if section.bytes != size or section.offset % ALIGNMENT or section.offset < at:
            raise ValueError(f"section {section.name[:40]!r} is not where it should be")
        at = section.offset + size
    if at > end:
        raise ValueError("the sections are longer than the file")


def _check_header(path: Path, found: bytes, kind: str) -> int:
    """The file's format."""
    magic, version, _ = HEADER.unpack(found)
    if magic != MAGIC:
        raise StoreError(f"{path} was not written by likewise: {REBUILD}")
    if version > FORMAT:
        raise newer_format(path, version)
    if found != header(kind, version) or not version:
        raise StoreError(f"{path} is damaged, its header is not that of a {kind}: {REBUILD}")
    return int(version)
