"""Writing a container section by section, in one pass."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Protocol

import msgspec
import numpy as np
from xxhash import xxh3_64, xxh3_64_intdigest

from likewise.store.container import (
    ALIGNMENT,
    DTYPES,
    MAGIC,
    TRAILER,
    Contents,
    Section,
    header,
)
from likewise.store.disk import writing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray


class ContainerWriter:
    """Sections come one after another; the file is whole once close() has returned."""

    def __init__(self, path: Path, kind: str) -> None:
        self.path = path
        self._sections: list[Section] = []
        self._open: tuple[str, str, int] | None = None
        with writing(path):
            self._file = path.open("xb")
        self._offset = 0
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

    def pieces(self, name: str, dtype: str, arrays: Iterable[NDArray[Any]]) -> None:
        """Write a section of arrays one below another, without having all of them at once."""
        self.begin(name, dtype)
        rows, shape = 0, (0,)
        for values in arrays:
            self.write(as_bytes(values))
            rows, shape = rows + len(values), values.shape
        self._end((rows, *shape[1:]))

    def close(self, **metadata: int) -> int:
        """Finish the file, wait until it is on the disk, and return its size."""
        self._end()
        table = msgspec.json.encode(Contents(tuple(self._sections), metadata))
        self._append(bytes(-self._offset % ALIGNMENT))
        offset = self._offset
        self._append(table)
        self._append(TRAILER.pack(offset, len(table), xxh3_64_intdigest(table), MAGIC))
        with writing(self.path), self._file as file:
            file.flush()
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
        with writing(self.path):
            self._file.write(data)
        self._offset += len(data)


def as_bytes(values: NDArray[Any]) -> memoryview:
    return np.ascontiguousarray(values).reshape(-1).view(np.uint8).data


class Abandons(Protocol):
    """Whatever writes a file that can be given up."""

    def abandon(self) -> None: ...


@contextmanager
def given_up_on_failure(writer: Abandons) -> Iterator[None]:
    """Leave nothing half written behind."""
    try:
        yield
    except BaseException:
        writer.abandon()
        raise
