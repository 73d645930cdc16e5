"""Jobs: searches that read the whole index, run by a few workers, watched and cancelled; and what
reads files into one, by workers of its own, so that searches need not wait for it.

A result is kept as the bytes of its answer, which are smaller than its objects and can be counted.
"""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime
from threading import Lock
from typing import TYPE_CHECKING

import msgspec

from likewise.errors import LikewiseError
from likewise.server.causes import Cause
from likewise.server.expiring import Expiring
from likewise.server.models.jobs import JobInfo
from likewise.server.problems import ProblemDetails, ProblemError, of_error

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from likewise.server.models.jobs import State
    from likewise.server.settings import Limits
    from likewise.solvers.stopping import Report

    Work = Callable[[Report], bytes]
    Advance = Callable[[str, int, int], None]  # what is done now, how much of it, and of how much
    Making = Callable[[Advance], bytes]
    Listener = Callable[[], None]

FINISHED = ("done", "failed", "cancelled")
KEPT = 1_000  # finished jobs at most
BUILDERS = 2  # that read files at a time: each may take the memory for an addition
TICK = 0.1  # seconds between two reports of the same work


class CancelledError(Exception):
    """Raised inside a solver, by way of its report of progress."""


class Job:
    """`owner` is who asked for it; `work` returns the answer as JSON.

    `close` is called once, when it has finished.
    """

    def __init__(
        self,
        index: str,
        work: Work,
        folders: Mapping[str, str],
        owner: str,
        close: Callable[[Job], None],
    ) -> None:
        self.id = ""
        self._close = close
        self.owner = owner
        self.finished: Future[None] = Future()
        self._index, self._folders = index, folders
        self._work: Work | None = work
        self._created, self._began = datetime.now(UTC), time.monotonic()
        self._took: float | None = None
        self._state: State = "queued"
        self._progress: tuple[int, float | None, float | None] = (0, None, None)
        self._doing: tuple[str | None, float | None] = (None, None)
        self._told = 0.0
        self.result: bytes | None = None
        self._problem: ProblemDetails | None = None
        self._cancelled = False
        self._listeners: list[Listener] = []
        self._lock = Lock()

    @property
    def is_finished(self) -> bool:
        return self._state in FINISHED

    @property
    def state(self) -> State:
        return self._state

    @property
    def index(self) -> str:
        return self._index

    @property
    def began(self) -> float:
        """When it was asked for, to be compared with others."""
        return self._began

    @property
    def size(self) -> int:
        """Bytes of its result."""
        return len(self.result or b"")

    def run(self) -> None:
        with self._lock:
            work = self._work
            if self.is_finished or work is None:  # cancelled while it waited
                return
            self._state = "running"
        self._tell()
        try:
            result = work(self._report)
        except CancelledError:
            self._finish("cancelled")
        except (ProblemError, LikewiseError) as error:
            self._finish("failed", problem=_details(error, self._folders))
        except BaseException:
            self._finish(
                "failed", problem=_details(ProblemError(Cause.failed, "the work failed"), {})
            )
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
        """All but the result."""
        passes, objective, gap = self._progress
        doing, share = self._doing
        return JobInfo(
            id=self.id,
            index=self._index,
            state=self._state,
            created=self._created.strftime("%Y-%m-%dT%H:%M:%SZ"),
            seconds=self._took or time.monotonic() - self._began,
            passes=passes,
            objective=objective,
            gap=gap,
            doing=doing,
            share=share,
            problem=self._problem,
        )

    def encoded(self) -> bytes:
        """As JSON, with the result."""
        with self._lock:  # the state and the result go together
            known = self.info().model_dump(mode="json")
            if self.result is not None:
                known["result"] = msgspec.Raw(self.result)
        return msgspec.json.encode(known)

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

    def advance(self, doing: str, done: int, total: int) -> None:
        """Progress of what is no search; it may come as often as it likes."""
        if self._cancelled:
            raise CancelledError
        now, before = time.monotonic(), self._doing[0]
        if doing != before or now - self._told >= TICK:
            self._doing = (doing, min(done / total, 1.0) if total > 0 else None)
            self._told = now
            self._tell()

    def _finish(
        self,
        state: State,
        result: bytes | None = None,
        problem: ProblemDetails | None = None,
    ) -> None:
        with self._lock:
            if self.is_finished:
                return
            self.result, self._problem = result, problem
            self._work = None  # it holds the request
            self._took = time.monotonic() - self._began
            self._state = state
        self._close(self)
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
        self._builders = ThreadPoolExecutor(BUILDERS, "builder")
        self._makers = ThreadPoolExecutor(1, "maker")  # what they do may take hours
        self._jobs: Expiring[Job] = Expiring("j", limits.keep, KEPT, limits.result_bytes)
        self._open: set[Job] = set()
        self._lock = Lock()

    def submit(self, index: str, work: Work, folders: Mapping[str, str], owner: str = "") -> Job:
        return self._begin(Job(index, work, folders, owner, self._close), self._workers)

    def build(self, index: str, work: Making, folders: Mapping[str, str], owner: str = "") -> Job:
        """Read files, for an index of this name or to tell what is in them."""
        return self._advancing(self._builders, index, work, folders, owner)

    def make(self, index: str, work: Making, folders: Mapping[str, str], owner: str = "") -> Job:
        """Make a view of an index."""
        return self._advancing(self._makers, index, work, folders, owner)

    def _advancing(
        self,
        workers: ThreadPoolExecutor,
        index: str,
        work: Making,
        folders: Mapping[str, str],
        owner: str,
    ) -> Job:
        job = Job(index, lambda report: work(job.advance), folders, owner, self._close)
        return self._begin(job, workers)

    def _begin(self, job: Job, workers: ThreadPoolExecutor) -> Job:
        with self._lock:
            self._check_room(job.owner)
            self._open.add(job)
        job.id = self._jobs.put(job)
        workers.submit(job.run)
        return job

    def __getitem__(self, id: str) -> Job:
        job = self._jobs.get(id)
        if job is None:
            raise ProblemError(
                Cause.unknown_job,
                f"no job {id!r}: finished jobs are kept for {self._limits.keep:g} seconds, less "
                "where many are large",
            )
        return job

    def listed(self, owner: str | None) -> list[Job]:
        """Those of one caller, or of all; the newest first."""
        found = [job for job in self._jobs if owner is None or job.owner == owner]
        return sorted(found, key=lambda job: job.began, reverse=True)

    def drop(self, job: Job) -> None:
        """Keep a finished job no longer: who asked has its result, and nobody else knows its id."""
        self._jobs.drop(job.id)

    def _check_room(self, owner: str) -> None:
        """One caller may have a part of the queue, so that the others get their turn."""
        later = {"Retry-After": "5"}
        if len(self._open) >= self._limits.jobs + self._limits.waiting:
            raise ProblemError(Cause.busy, "too many searches are waiting: try again later", later)
        own = sum(job.owner == owner for job in self._open)
        if own >= self._limits.jobs_of_one:
            raise ProblemError(
                Cause.too_many_jobs,
                f"you have {own} searches waiting or running: wait for one to finish",
                later,
            )

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
        self._builders.shutdown()
        self._makers.shutdown()

    @property
    def size(self) -> int:
        """Bytes of the results that are kept."""
        return self._jobs.size

    def forget(self) -> None:
        """Drop what has expired."""
        self._jobs.forget()

    def _close(self, job: Job) -> None:
        with self._lock:
            self._open.discard(job)
        self._jobs.forget()  # its result counts from now on


def _details(error: Exception, folders: Mapping[str, str]) -> ProblemDetails:
    problem = of_error(error, folders) if isinstance(error, LikewiseError) else error
    assert isinstance(problem, ProblemError)  # nothing else is caught
    return problem.details()


def _finite(number: float) -> float | None:
    return number if abs(number) < float("inf") else None
