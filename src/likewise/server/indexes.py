"""The indexes that are served: each at its newest generation, whoever wrote it."""

from __future__ import annotations

import logging
import time
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from likewise.engines import DEFAULT
from likewise.errors import Drifted, LikewiseError, UsageError
from likewise.index import Index
from likewise.reviews.tables import home_of
from likewise.server.causes import Cause
from likewise.server.problems import ProblemError, silence, without_paths
from likewise.store.manifest import NAME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from likewise.server.jobs import Job
    from likewise.server.models.views import NewView
    from likewise.server.projects import ProjectFolder
    from likewise.store.snapshot import Snapshot

Stamp = tuple[int, int, int]
RETRY = 2  # seconds between looks at a generation that could not be opened
UNEXPECTED = "its newest generation cannot be opened: see the server's log"
log = logging.getLogger("likewise.server")


class ServedIndex:
    """One index. Readers take `current`, a handle that stays at its generation.

    `newest` is the handle for sessions and changes; it moves along with the generations.
    A generation that cannot be opened is not used: `problem` says why, and the one before it
    is served.
    """

    def __init__(
        self, name: str, path: Path, threads: int | None = None, engine: str = DEFAULT
    ) -> None:
        self.name, self.path = name, path
        self.writing = Lock()  # one change at a time: the others wait instead of failing
        self.making: Job | None = None  # the last job that makes a view
        self.asked: NewView | None = None  # what it was asked for
        self.begin_making = Lock()
        self.problem: str | None = None
        self.on_change: Callable[[], None] = lambda: None  # called when there is a new generation
        self._manifest = path.absolute() / NAME
        self._refreshing = Lock()
        self._retry = 0.0  # not before this time, if there is a problem
        self._stamp = self._stamp_now()
        silence(Drifted)  # the log says so, and what is asked about the index
        self._newest = Index.open(path, threads=threads, engine=engine)
        _warm(self._newest)
        for note in self._newest.info().notes:
            log.warning("%s: %s", name, note)
        self._current = self._newest.frozen()

    @property
    def folders(self) -> dict[str, str]:
        """Its name by its folder, however that is written."""
        ways = (self.path.absolute(), self.path.resolve())
        return {str(path): self.name for path in ways}

    @property
    def current(self) -> Index:
        """The newest generation: one thread opens it when it has changed, others use the old."""
        if self._is_stale() and self._refreshing.acquire(blocking=False):
            try:
                self._refresh()
            finally:
                self._refreshing.release()
        return self._current

    @property
    def newest(self) -> Index:
        """The handle that moves along with the generations."""
        _ = self.current  # looks whether there is a new one
        return self._newest

    @property
    def changed(self) -> float | None:
        """When its documents last changed, in seconds since 1970."""
        return self._stamp[0] / 1e9 if self._stamp else None

    @property
    def snapshot(self) -> Snapshot:
        """That of the generation served, without looking for a newer one."""
        return self._current.searcher.snapshot

    def release_sessions(self) -> None:
        """Sessions that nobody is at work with let go of older generations."""
        self._newest.reviews.release()

    def refreshed(self) -> Index:
        """The newest generation, after a change of our own."""
        with self._refreshing:
            self._refresh()
        return self._current

    def _is_stale(self) -> bool:
        if self.problem is not None and time.monotonic() >= self._retry:
            return True  # files may come after their manifest, as when an index is copied here
        return self._stamp_now() != self._stamp

    def _refresh(self) -> None:
        self._stamp = self._stamp_now()  # before reading: a change in between is seen next time
        try:
            fresh = self._newest.frozen().refresh()
            _warm(fresh)
        except Exception as error:  # whatever it is, the generation before can still be served
            self._keep_serving(error)
            return
        if self.problem is not None:
            log.warning("%s: at generation %d, all is well again", self.name, fresh.generation)
        self._newest.move_to(fresh)
        self._current, self.problem = fresh, None
        self.on_change()

    def _keep_serving(self, error: Exception) -> None:
        """Stay at the generation there is, and log each new reason once."""
        self._retry = time.monotonic() + RETRY
        known = isinstance(error, LikewiseError)
        problem = without_paths(str(error), self.folders) if known else UNEXPECTED
        if problem != self.problem:
            self.problem = problem
            generation, trace = self._current.generation, None if known else error
            log.error(
                "%s: stays at generation %d: %s", self.name, generation, error, exc_info=trace
            )

    def _stamp_now(self) -> Stamp | None:
        try:
            status = self._manifest.stat()
        except OSError:  # gone or unreadable: what is mapped can still be served
            return None
        return status.st_mtime_ns, status.st_ino, status.st_size


def _warm(index: Index) -> None:
    """Compute documents' lengths once, before requests come in several threads."""
    if len(index):
        index.corpus()


class ServedIndexes:
    """The indexes by name. A request never names a path.

    Those of `projects` are found there: at the start, when one is made, and when somebody looks
    for one that is not known. One that cannot be opened is left out, and the log says why.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        threads: int | None = None,
        projects: ProjectFolder | None = None,
        engine: str = DEFAULT,
    ) -> None:
        self.threads, self.projects, self._engine = threads, projects, engine
        self._served: dict[str, ServedIndex] = {}
        self._opening = Lock()
        self._failed: dict[Path, str] = {}
        self.on_open: Callable[[ServedIndex], None] = lambda served: None
        for path in paths:
            name = home_of(path)
            if name in self._served:
                raise UsageError(f"two indexes would be called {name!r}: rename {path}")
            self._served[name] = ServedIndex(name, path, threads, engine)
        self.look()

    @property
    def folders(self) -> dict[str, str]:
        """Names of indexes by their folders, which messages of the library contain."""
        return {folder: name for served in self for folder, name in served.folders.items()}

    def __iter__(self) -> Iterator[ServedIndex]:
        return iter(list(self._served.values()))

    def __getitem__(self, name: str) -> ServedIndex:
        if name not in self._served:
            self.look()
        try:
            return self._served[name]
        except KeyError:
            known = ", ".join(self._served) or "none"
            raise ProblemError(
                Cause.unknown_index, f"no index {name!r} here: there is {known}"
            ) from None

    def open(self, path: Path) -> ServedIndex:
        """Serve an index from now on."""
        with self._opening:
            name = home_of(path)
            known = self._served.get(name)
            if known is not None:
                if known.path.absolute() == path.absolute():
                    return known
                raise ProblemError(
                    Cause.name_taken, f"another index is called {name!r}: choose another name"
                )
            served = ServedIndex(name, path, self.threads, self._engine)
            self.on_open(served)
            self._served = {**self._served, name: served}
            return served

    def close(self, served: ServedIndex) -> None:
        """Serve an index no more."""
        with self._opening:
            self._served = {name: one for name, one in self._served.items() if one is not served}

    def look(self) -> None:
        """Serve what others have put into the folder of projects, and not what they took away."""
        if self.projects is None:
            return
        there = list(self.projects.found())
        for served in self:
            if served.path in self.projects and served.path not in there:
                self.close(served)
        for path in there:
            if path not in (one.path for one in self):
                self._try(path)

    def _try(self, path: Path) -> None:
        try:
            self.open(path)
            self._failed.pop(path, None)
        except (LikewiseError, ProblemError) as error:
            if self._failed.get(path) != str(error):
                self._failed[path] = str(error)
                log.error("%s is not served: %s", path.name, error)
