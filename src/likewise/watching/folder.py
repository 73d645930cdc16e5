"""What has changed in a folder, as far as its files have settled.

A file has settled when its size and its time of change were the same for a while: before, somebody
may still be writing it.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from likewise.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class Stamp(NamedTuple):
    """What tells that a file has changed; `changed` is in nanoseconds."""

    size: int
    changed: int


class Found(NamedTuple):
    """Paths below the folder."""

    new: dict[str, Stamp]
    """Files that came or changed, and have settled."""
    waiting: list[str]
    """Those that may still be written."""
    gone: list[str]


class Folder:
    """Remembers when each file was last seen to change, from look to look."""

    def __init__(self, path: Path, settle: float) -> None:
        self.path, self.settle = path, settle
        self._since: dict[str, tuple[Stamp, float]] = {}

    def look(self, known: Mapping[str, Stamp]) -> Found:
        """Compare with the files that are known."""
        now = dict(self.files())
        changed = {path: stamp for path, stamp in now.items() if known.get(path) != stamp}
        moment = time.monotonic()
        seen = {
            path: (stamp, self._since[path][1])
            if path in self._since and self._since[path][0] == stamp
            else (stamp, moment)
            for path, stamp in changed.items()
        }
        self._since = seen
        new = {path: stamp for path, stamp in changed.items() if self._settled(path, moment)}
        waiting = [path for path in changed if path not in new]
        return Found(new, waiting, [path for path in known if path not in now])

    def _settled(self, path: str, moment: float) -> bool:
        stamp, since = self._since[path]
        age = time.time() - stamp.changed / 1e9  # clocks of other machines may be ahead
        return age >= self.settle or moment - since >= self.settle

    def files(self) -> Iterator[tuple[str, Stamp]]:
        """Regular files, hidden ones left out, links followed but not in circles."""
        if not self.path.is_dir():
            raise InputError(f"there is no folder {self.path}")
        met: set[tuple[int, int]] = set()
        for place, folders, files in os.walk(self.path, followlinks=True):
            status = Path(place).stat()
            inode = status.st_dev, status.st_ino
            if inode in met:
                folders.clear()
                continue
            met.add(inode)
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(files):
                if not name.startswith("."):
                    yield from self._stamped(Path(place, name))

    def _stamped(self, path: Path) -> Iterator[tuple[str, Stamp]]:
        try:
            status = path.stat()
        except OSError:  # it is gone again
            return
        if path.is_file():
            yield path.relative_to(self.path).as_posix(), Stamp(status.st_size, status.st_mtime_ns)
