"""One immutable file of named arrays.

A 64-byte header, the sections (each begins at a multiple of 64 bytes), a table of contents in JSON
and a trailer that says where the table is. The table holds every section's XXH3 checksum; the
trailer holds the table's. An array is checked when it is first asked for, so that no damaged
number reaches the native code.
"""

from __future__ import annotations

import mmap
import struct
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from xxhash import xxh3_64_hexdigest, xxh3_64_intdigest

from likewise.errors import StoreError
from likewise.store.disk import REBUILD

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

FORMAT = 1
MAGIC = b"likewise"
ALIGNMENT = 64
HEADER = struct.Struct("<8sI4x16s32x")  # magic, format, kind
TRAILER = struct.Struct("<QQQ8s")  # the table's offset, length and checksum, magic
DTYPES = ("|u1", "<u4", "<u8", "<f4")


class Section(msgspec.Struct, frozen=True):
    name: str
    dtype: str
    shape: tuple[int, ...]
    offset: int
    bytes: int
    checksum: str


class Contents(msgspec.Struct, frozen=True):
    sections: tuple[Section, ...]
    metadata: dict[str, int] = {}


def header(kind: str) -> bytes:
    return HEADER.pack(MAGIC, FORMAT, kind.encode())


def newer_format(path: Path, found: int) -> StoreError:
    return StoreError(
        f"{path} has format {found}, this likewise reads formats up to {FORMAT}: upgrade likewise"
    )


class Container:
    """A file opened for reading; it is mapped once and arrays are views of the map."""

    def __init__(self, path: Path, kind: str, size: int | None = None) -> None:
        self.path = path
        self._map = _map(path, size)
        _check_header(path, self._map[: HEADER.size], kind)
        contents = self._read_contents()
        self.metadata = contents.metadata
        self._sections = {section.name: section for section in contents.sections}
        self._checked: set[str] = set()

    def __contains__(self, name: str) -> bool:
        return name in self._sections

    def array(self, name: str) -> NDArray[Any]:
        """A section's numbers, checked the first time they are asked for."""
        section = self._section(name)
        if name not in self._checked:
            self._check(section)
            self._checked.add(name)
        return self._view(section)

    def unchecked(self, name: str) -> NDArray[Any]:
        """A section's numbers as they are: for text of which one small piece is wanted."""
        return self._view(self._section(name))

    def number(self, name: str) -> int:
        try:
            return self.metadata[name]
        except KeyError:
            raise self._damaged(f"it does not say {name!r}") from None

    def verify(self) -> None:
        """Check every byte of the file."""
        end = HEADER.size
        for section in self._sections.values():
            self._check_gap(end, section.offset)
            self._check(section)
            end = section.offset + section.bytes
        self._check_gap(end, self._table_offset)

    def _read_contents(self) -> Contents:
        at = len(self._map) - TRAILER.size
        offset, length, checksum, magic = TRAILER.unpack(self._map[at:])
        table = self._map[offset:at]
        if magic != MAGIC or offset + length != at or xxh3_64_intdigest(table) != checksum:
            raise self._damaged("its end does not fit the rest")
        self._table_offset = offset
        try:
            return msgspec.json.decode(table, type=Contents)
        except msgspec.MsgspecError as error:
            raise self._damaged(f"its table of contents is not understood ({error})") from error

    def _section(self, name: str) -> Section:
        try:
            return self._sections[name]
        except KeyError:
            raise self._damaged(f"it has no section {name!r}") from None

    def _view(self, section: Section) -> NDArray[Any]:
        dtype = np.dtype(section.dtype)
        count = section.bytes // dtype.itemsize
        flat = np.frombuffer(self._map, dtype, count, section.offset)
        return flat.reshape(section.shape)

    def _check(self, section: Section) -> None:
        with memoryview(self._map) as whole:
            part = whole[section.offset : section.offset + section.bytes]
            found = xxh3_64_hexdigest(part)
            part.release()
        if found != section.checksum:
            raise self._damaged(f"section {section.name!r} does not have the checksum it had")

    def _check_gap(self, start: int, end: int) -> None:
        if any(self._map[start:end]):
            raise self._damaged(f"bytes {start} to {end} should be 0")

    def _damaged(self, what: str) -> StoreError:
        return StoreError(f"{self.path} is damaged, {what}: {REBUILD}")


def _map(path: Path, size: int | None) -> mmap.mmap:
    try:
        with path.open("rb") as file:
            found = file.seek(0, 2)
            if size is not None and found != size:
                raise StoreError(
                    f"{path} is damaged, it has {found:,} bytes instead of {size:,}: {REBUILD}"
                )
            if found < HEADER.size + TRAILER.size:
                raise StoreError(f"{path} is too short to be a file of an index: {REBUILD}")
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise StoreError(f"cannot read {path}: {(error.strerror or str(error)).lower()}") from error


def _check_header(path: Path, found: bytes, kind: str) -> None:
    if found == header(kind):
        return
    magic, version, _ = HEADER.unpack(found)
    if magic != MAGIC:
        raise StoreError(f"{path} was not written by likewise: {REBUILD}")
    if version > FORMAT:
        raise newer_format(path, version)
    raise StoreError(f"{path} is damaged, its header is not that of a {kind}: {REBUILD}")
