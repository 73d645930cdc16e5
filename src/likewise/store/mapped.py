"""A file mapped for reading, and its two ends read beside the map."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from likewise import _core
from likewise.errors import StoreError
from likewise.store.disk import REBUILD

if TYPE_CHECKING:
    from pathlib import Path

END = 8 << 10  # bytes, in which a table of contents has room most often


class MissingFileError(StoreError):
    """A file is not there: it never was, or a writer removed it meanwhile."""


class Mapped:
    """No descriptor is kept: an index may have more files than a process may hold open.

    Opening an index looks at both ends of each file. `head` and `tail` are copies of them: looked
    at in the map, each would keep a page of up to 2 MB in memory.
    """

    def __init__(self, path: Path, size: int | None = None) -> None:
        try:
            with path.open("rb", buffering=0) as file:
                descriptor = file.fileno()
                status = os.fstat(descriptor)
                found = status.st_size
                if size is not None and found != size:
                    raise StoreError(
                        f"{path} is damaged, it has {found:,} bytes instead of {size:,}: {REBUILD}"
                    )
                self._mapping, whole = _core.map_file(descriptor)
                self.head = os.pread(descriptor, END, 0)
                self.tail = os.pread(descriptor, END, max(found - END, 0))
        except FileNotFoundError:
            raise MissingFileError(f"{path} is missing: {REBUILD}") from None
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise StoreError(f"cannot read {path}: {why}") from error
        self.content: memoryview = whole.data
        self._inode = _inode(status)

    def is_at(self, path: Path) -> bool:
        """Whether this very file is still there; while it is mapped, no other gets its number."""
        try:
            return _inode(path.stat()) == self._inode
        except OSError:
            return False

    def release(self) -> None:
        """Let go of the pages read so far; they come back from the file when they are needed."""
        _core.release_pages(self._mapping)


def _inode(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino
