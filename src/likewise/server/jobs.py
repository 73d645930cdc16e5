"""Jobs: searches that read the whole index, run by a few workers, watched and cancelled.

`Expiring` keeps their results for a while, and the queries that searches have learned.
"""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime
from threading import Lock
from typing import TYPE_CHECKING, Generic, TypeVar

from likewise.errors import LikewiseError
from likewise.server.models.jobs import JobInfo
from likewise.server.problems import TITLES, ProblemDetails, ProblemError, of_error

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from likewise.server.models.jobs import State
    from likewise.server.models.search import SearchAnswer
    from likewise.server.settings import Limits
    from likewise.solvers.stopping import Report

    Work = Callable[[Report], SearchAnswer]
    Listener = Callable[[], None]

T = TypeVar("T")
FINISHED = ("done", "failed", "cancelled")
KEPT = 1_000  # finished jobs at most


class CancelledError(Exception):
    """Raised inside a solver, by way of its report of progress."""


class Job:
    def __init__(self, index: str, work: Work, folders: Mapping[str, str]) -> None:
        self.id = ""
        self.finished: Future[None] = Future()
        self._index, self._work, self._folders = index, work, folders
        self._created, self._began = datetime.now(UTC), time.monotonic()
        self._took: float | None = None
        self._state: State = "queued"
        self._progress: tuple[int, float | None, float | None] = (0, None, None)
        self._result: SearchAnswer | None = None
        self._problem: ProblemDetails | None = None
        self._cancelled = False
        self._listeners: list[Listener] = []
        self._lock = Lock()

    @property
    def is_finished(self) -> bool:
        return self._state in FINISHED

    def run(self) -> None:
        with self._lock:
            if self.is_finished:  # cancelled while it waited
                return
            self._state = "running"
        self._tell()
        try:
            result = self._work(self._report)
        except CancelledError:
            self._finish("cancelled")
        except (ProblemError, LikewiseError) as error:
            self._finish("failed", problem=_details(error, self._folders))
        except BaseException:
            self._finish("failed", problem=_details(ProblemError(500, "the search failed"), {}))
            raise
        else:
            self._finish("done", result)

    def cancel(self) -> None:
        """At once if it is queued, otherwise when the solver next reports progress."""
        self._cancelled = True
        with self._lock:
            waiting = self._state == "queued"
        if waiting:
            self._finish("cancelled")

    def info(self) -> JobInfo:
        passes, objective, gap = self._progress
        return JobInfo(
            id=self.id,
            index=self._index,
            state=self._state,
            created=self._created.strftime("%Y-%m-%dT%H:%M:%SZ"),
            seconds=self._took or time.monotonic() - self._began,
            passes=passes,
            objective=objective,
            gap=gap,
            result=self._result,
            problem=self._problem,
        )

    def listen(self, listener: Listener) -> None:
        """Call this whenever something has changed, from any thread."""
        with self._lock:
            self._listeners.append(listener)

    def unlisten(self, listener: Listener) -> None:
        with self._lock:
            self._listeners.remove(listener)

    def _report(self, passes: int, objective: float, gap: float) -> None:
        if self._cancelled:
            raise CancelledError
        self._progress = (passes, _finite(objective), _finite(gap))
        self._tell()

    def _finish(
        self,
        state: State,
        result: SearchAnswer | None = None,
        problem: ProblemDetails | None = None,
    ) -> None:
        with self._lock:
            if self.is_finished:
                return
            self._result, self._problem = result, problem
            self._took = time.monotonic() - self._began
            self._state = state
        self.finished.set_result(None)
        self._tell()

    def _tell(self) -> None:
        with self._lock:
            listeners = list(self._listeners)
        for listener in listeners:
            listener()


class Jobs:
    """The workers, and the jobs by id."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._workers = ThreadPoolExecutor(limits.jobs, "job")
        self._jobs: Expiring[Job] = Expiring("j", limits.keep, KEPT)
        self._open: set[Job] = set()
        self._lock = Lock()

    def submit(self, index: str, work: Work, folders: Mapping[str, str]) -> Job:
        job = Job(index, work, folders)
        with self._lock:
            if len(self._open) >= self._limits.jobs + self._limits.waiting:
                raise ProblemError(
                    503, "too many searches are waiting: try again later", {"Retry-After": "5"}
                )
            self._open.add(job)
        job.id = self._jobs.put(job)
        job.finished.add_done_callback(lambda _: self._close(job))
        self._workers.submit(job.run)
        return job

    def __getitem__(self, id: str) -> Job:
        job = self._jobs.get(id)
        if job is None:
            raise ProblemError(
                404, f"no job {id!r}: finished jobs are kept for {self._limits.keep:g} seconds"
            )
        return job

    @property
    def open(self) -> int:
        """How many are queued or running."""
        return len(self._open)

    def close(self) -> None:
        with self._lock:
            jobs = list(self._open)
        for job in jobs:
            job.cancel()
        self._workers.shutdown()

    def _close(self, job: Job) -> None:
        with self._lock:
            self._open.discard(job)


class Expiring(Generic[T]):
    """At most `most` things by name, each kept for `seconds` after it was last asked for."""

    def __init__(self, prefix: str, seconds: float, most: int) -> None:
        self._prefix, self._seconds, self._most = prefix, seconds, most
        self._things: OrderedDict[str, tuple[float, T]] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._things)

    def put(self, thing: T) -> str:
        """A name for it that cannot be guessed."""
        name = f"{self._prefix}-{secrets.token_urlsafe(16)}"
        with self._lock:
            self._forget()
            self._things[name] = (time.monotonic(), thing)
            while len(self._things) > self._most:
                self._things.popitem(last=False)
        return name

    def get(self, name: str) -> T | None:
        with self._lock:
            self._forget()
            found = self._things.get(name)
            if found is None:
                return None
            self._things[name] = (time.monotonic(), found[1])
            self._things.move_to_end(name)
            return found[1]

    def _forget(self) -> None:
        """Drop what has expired: what was asked for longest ago comes first."""
        limit = time.monotonic() - self._seconds
        while self._things and next(iter(self._things.values()))[0] < limit:
            self._things.popitem(last=False)


def _details(error: Exception, folders: Mapping[str, str]) -> ProblemDetails:
    if isinstance(error, ProblemError):
        status, detail = error.status, error.detail
    elif isinstance(error, LikewiseError):
        status, detail = of_error(error, folders)
    return ProblemDetails(title=TITLES[status], status=status, detail=detail)


def _finite(number: float) -> float | None:
    return number if abs(number) < float("inf") else None
