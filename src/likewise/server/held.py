"""The indexes that are served: each at its newest generation, whoever wrote it."""

from __future__ import annotations

import re
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from likewise.errors import UsageError
from likewise.index import Index
from likewise.server.problems import ProblemError
from likewise.store.manifest import NAME

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Stamp = tuple[int, int, int]


class Held:
    """One index. Readers take `current`, which never changes under them; it is replaced.

    `newest` is one handle all the time, for what lasts longer than a request: sessions.
    """

    def __init__(self, name: str, path: Path, threads: int | None = None) -> None:
        self.name = name
        self.writing = Lock()  # one change at a time: the others wait instead of failing
        self._manifest = path.absolute() / NAME
        self._refreshing = Lock()
        self._stamp = self._stamp_now()
        self.newest = Index.open(path, threads=threads)
        self._current = self._warm()

    @property
    def current(self) -> Index:
        """The newest generation. Who finds it changed opens it; meanwhile others use the old."""
        if self._is_stale() and self._refreshing.acquire(blocking=False):
            try:
                self._refresh()
            finally:
                self._refreshing.release()
        return self._current

    def refreshed(self) -> Index:
        """The newest generation, after a change of our own."""
        with self._refreshing:
            self._refresh()
        return self._current

    def _is_stale(self) -> bool:
        stamp = self._stamp_now()
        return stamp is not None and stamp != self._stamp

    def _refresh(self) -> None:
        stamp = self._stamp_now()  # before reading: a change in between is seen next time
        self.newest.refresh()
        self._current, self._stamp = self._warm(), stamp

    def _warm(self) -> Index:
        """Find lengths now, once, and not in as many threads as there are requests."""
        if len(self.newest):
            self.newest.corpus()
        return self.newest.frozen()

    def _stamp_now(self) -> Stamp | None:
        try:
            status = self._manifest.stat()
        except OSError:  # gone or unreadable: what is mapped can still be served
            return None
        return status.st_mtime_ns, status.st_ino, status.st_size


class Shelf:
    """The indexes by name; nothing that a request says is ever a path."""

    def __init__(self, paths: Sequence[Path], threads: int | None = None) -> None:
        self._held: dict[str, Held] = {}
        for path in paths:
            name = name_of(path)
            if name in self._held:
                raise UsageError(f"two indexes would be called {name!r}: rename {path}")
            self._held[name] = Held(name, path, threads)

    @property
    def folders(self) -> dict[str, str]:
        """Each index' name by the folder that messages name it by."""
        return {str(held.current.path): held.name for held in self}

    def __iter__(self) -> Iterator[Held]:
        return iter(self._held.values())

    def __getitem__(self, name: str) -> Held:
        try:
            return self._held[name]
        except KeyError:
            known = ", ".join(self._held)
            raise ProblemError(404, f"no index {name!r} here: there is {known}") from None


def name_of(path: Path) -> str:
    """What an index is called in addresses: its folder's name without .idx."""
    stem = path.resolve().name.removesuffix(".idx")
    return re.sub(r"[^\w.-]+", "-", stem).strip("-.") or "index"
