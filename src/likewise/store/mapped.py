"""A file mapped for reading."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from likewise import _core
from likewise.errors import StoreError
from likewise.store.disk import REBUILD

if TYPE_CHECKING:
    from pathlib import Path

ReadAt = Callable[[int, int], bytes]


class MissingFileError(StoreError):
    """A file is not there: it never was, or a writer removed it meanwhile."""


class Mapped:
    """No descriptor is kept: an index may have more files than a process may hold open."""

    def __init__(self, descriptor: int) -> None:
        self._mapping, whole = _core.map_file(descriptor)
        self._inode = _inode(os.fstat(descriptor))
        self.content: memoryview = whole.data

    def is_at(self, path: Path) -> bool:
        """Whether this very file is still there; while it is mapped, no other gets its number."""
        try:
            return _inode(path.stat()) == self._inode
        except OSError:
            return False

    def release(self) -> None:
        """Let go of the pages read so far; they come back from the file when they are needed."""
        _core.release_pages(self._mapping)


@contextmanager
def opened(path: Path, size: int | None = None) -> Iterator[tuple[Mapped, ReadAt]]:
    """A file's map, and a function that reads so many bytes from a place on beside it: each place
    that is looked at in the map may keep a page of up to 2 MB in memory.
    """
    try:
        with path.open("rb", buffering=0) as file:
            mapped = Mapped(file.fileno())
            found = len(mapped.content)
            if size is not None and found != size:
                raise StoreError(
                    f"{path} is damaged, it has {found:,} bytes instead of {size:,}: {REBUILD}"
                )

            def read_at(first: int, length: int) -> bytes:
                content = os.pread(file.fileno(), length, first)
                if len(content) < length:
                    raise StoreError(f"{path} became shorter while it was opened: {REBUILD}")
                return content

            yield mapped, read_at
    except FileNotFoundError:
        raise MissingFileError(f"{path} is missing: {REBUILD}") from None
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise StoreError(f"cannot read {path}: {why}") from error


def _inode(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino
