"""Runs: the jobs of a study, each measured once and kept in a file.

A run is identified by its job, the checksum of the data and the version that the study declares.
Renaming or moving code leaves runs valid; a study raises its version when its results change.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec

from likewise.errors import InputError, UsageError
from likewise.evaluation import provenance, studies
from likewise.evaluation.studies import CannotError, Job, MissingError, Numbers, Version

if TYPE_CHECKING:
    from concurrent.futures import Future
    from pathlib import Path

    from likewise.evaluation.studies import Progress

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
Only = Mapping[str, Sequence[str]]


class Result(msgspec.Struct, frozen=True):
    """The outcome of a job; `missing` says why there are no numbers.

    Job, version and data identify it; commit and date say when it was measured.
    """

    job: Job
    numbers: Numbers = {}
    missing: str | None = None
    lasting: bool = True  # False if another try may succeed; it is then not stored
    version: str = ""  # declared by the study
    data: str = ""  # a checksum of the data
    commit: str = ""
    date: str = ""
    seconds: float = 0.0


def key(job: Job) -> bytes:
    """Equal for equal jobs; the order of fields does not matter."""
    return msgspec.json.encode(job, order="sorted")


class RunFile:
    """A file with one result per line, which is only appended to."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> list[Result]:
        """All results so far, without an incomplete last line of a killed run."""
        if not self.path.exists():
            return []
        lines = self.path.read_bytes().split(b"\n")
        return [self._result(number, line) for number, line in enumerate(lines[:-1], 1) if line]

    def append(self, result: Result) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab+") as file:
            if file.tell() and not self._ends_well():
                file.truncate(self.path.read_bytes().rfind(b"\n") + 1)
            file.write(msgspec.json.encode(result) + b"\n")

    def _ends_well(self) -> bool:
        with self.path.open("rb") as file:
            file.seek(-1, 2)
            return file.read(1) == b"\n"

    def _result(self, number: int, line: bytes) -> Result:
        try:
            return msgspec.json.decode(line, type=Result)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise InputError(
                f"{self.path}, line {number}: not a result ({error}); "
                "remove the line to run its job again"
            ) from error


@dataclass(frozen=True)
class Setting:
    """Folders of data and runs, and how much to run."""

    data: Path
    runs: Path
    seeds: int = 1
    jobs: int = 1
    only: Only | None = None


@dataclass(frozen=True)
class Ran:
    """A study's results in the order of its jobs, and how many in the file are out of date."""

    results: list[Result]
    stale: int


def run(name: str, setting: Setting, progress: Progress | None = None) -> Ran:
    """All results of a study; jobs that are in the file of runs are not run again."""
    wanted = select(studies.study(name).jobs(setting.seeds), setting.only)
    return run_jobs(studies.module_of(name), name, wanted, setting, progress)


def run_jobs(
    module: str, name: str, wanted: list[Job], setting: Setting, progress: Progress | None = None
) -> Ran:
    """The results of these jobs of the study in a module.

    Only results of this version on this data count: a table never compares across versions.
    """
    file = RunFile(setting.runs / f"{name}.jsonl")
    version = studies.load(module).VERSION
    current: list[Result] = []
    outdated: list[Result] = []
    for result in file.read():
        (current if _is_current(result, version, setting.data) else outdated).append(result)
    known = {key(r.job): r for r in current}
    todo = [job for job in wanted if key(job) not in known]
    report = progress or (lambda done, total: None)
    report(len(wanted) - len(todo), len(wanted))
    for done, result in enumerate(_run_all(module, todo, setting), len(wanted) - len(todo) + 1):
        if result.lasting:
            file.append(result)
        known[key(result.job)] = result
        report(done, len(wanted))
    asked = {key(job) for job in wanted}
    stale = sum(key(r.job) in asked for r in outdated)
    return Ran([known[key(job)] for job in wanted], stale)


def select(jobs: list[Job], only: Only | None) -> list[Job]:
    """The jobs whose fields have one of the given values."""
    for field, values in (only or {}).items():
        known = {str(job[field]) for job in jobs if field in job}
        if not known:
            fields = sorted({name for job in jobs for name in job})
            raise UsageError(f"no job has a field {field!r}: choose from {', '.join(fields)}")
        if unknown := [value for value in values if value not in known]:
            raise UsageError(f"no {field} {unknown[0]!r}: choose from {_listed(known)}")
        jobs = [job for job in jobs if str(job.get(field)) in values]
    return jobs


def _listed(values: set[str]) -> str:
    """Values for a message, sorted, numbers by value."""
    return ", ".join(sorted(values, key=lambda v: (0, int(v), v) if v.isdecimal() else (1, 0, v)))


def version_of(version: Version, job: Job) -> str:
    """The version that a study declares for a job."""
    if isinstance(version, Mapping):
        return str(version[job["method"] if job.get("method") in version else "*"])
    return str(version)


def _is_current(result: Result, version: Version, data: Path) -> bool:
    """Whether it has the study's current version and the same data."""
    if result.version != version_of(version, result.job):
        return False
    try:
        checksum = data_checksum(result.job, data)
    except MissingError:
        return False
    return result.data == checksum


def data_checksum(job: Job, data: Path) -> str:
    return provenance.checksum(data / job["data"]) if "data" in job else ""


def _run_all(module: str, jobs: list[Job], setting: Setting) -> Iterator[Result]:
    if setting.jobs == 1 or len(jobs) < 2:
        yield from (measure(module, job, setting.data) for job in jobs)
        return
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor, as_completed

    spawn = multiprocessing.get_context("spawn")  # threads do not survive a fork
    with _one_thread_each(), ProcessPoolExecutor(setting.jobs, mp_context=spawn) as pool:
        futures: list[Future[Result]] = [
            pool.submit(measure, module, job, setting.data) for job in jobs
        ]
        try:
            yield from (future.result() for future in as_completed(futures))
        finally:
            for future in futures:
                future.cancel()


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Let each process use one thread: the processes share the cores."""
    before = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys(THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value


def measure(module: str, job: Job, data: Path) -> Result:
    """Run one job, and record version, data, commit, date and time."""
    began = time.perf_counter()
    study = studies.load(module)
    numbers: Numbers = {}
    missing = None
    try:
        checksum = data_checksum(job, data)
        numbers = study.run(job, data)
    except CannotError as error:
        missing = str(error)
    except MissingError as error:
        return Result(job, missing=str(error), lasting=False)
    return Result(
        job,
        numbers,
        missing,
        version=version_of(study.VERSION, job),
        data=checksum,
        commit=provenance.commit(),
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        seconds=round(time.perf_counter() - began, 4),
    )
