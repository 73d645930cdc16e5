"""Running a study's jobs: those that the file of runs does not have yet."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from likewise.errors import UsageError
from likewise.tables import provenance, registry
from likewise.tables.runfile import RunFile, key
from likewise.tables.values import (
    CannotError,
    Job,
    MissingError,
    Numbers,
    Progress,
    Result,
    Version,
)

if TYPE_CHECKING:
    from concurrent.futures import Future
    from pathlib import Path

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
Only = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Setting:
    """Where data and runs are, and how much is to be run."""

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
    """All results of a study; what is in the file of runs already is not run again."""
    wanted = select(registry.study(name).jobs(setting.seeds), setting.only)
    return run_jobs(registry.STUDIES[name], name, wanted, setting, progress)


def run_jobs(
    module: str, name: str, wanted: list[Job], setting: Setting, progress: Progress | None = None
) -> Ran:
    """The results of these jobs, which the study in a module measures.

    Only results of this version on this data count: a table never compares across versions.
    """
    file = RunFile(setting.runs / f"{name}.jsonl")
    version = registry.load(module).VERSION
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
    """The jobs whose fields have one of the values asked for."""
    for field, values in (only or {}).items():
        known = {str(job[field]) for job in jobs if field in job}
        if not known:
            fields = sorted({name for job in jobs for name in job})
            raise UsageError(f"no job has a field {field!r}: choose from {', '.join(fields)}")
        if unknown := [value for value in values if value not in known]:
            raise UsageError(f"no {field} {unknown[0]!r}: there are {_listed(known)}")
        jobs = [job for job in jobs if str(job.get(field)) in values]
    return jobs


def _listed(values: set[str]) -> str:
    """In order, numbers as numbers."""
    return ", ".join(sorted(values, key=lambda v: (0, int(v), v) if v.isdecimal() else (1, 0, v)))


def version_of(version: Version, job: Job) -> str:
    """The version that a study declares for a job."""
    if isinstance(version, Mapping):
        return str(version[job["method"] if job.get("method") in version else "*"])
    return str(version)


def _is_current(result: Result, version: Version, data: Path) -> bool:
    """Whether it is what the job would give now: the same version of it, and the same data."""
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
    """Processes that share the cores do not start threads for all of them as well."""
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
    """Run one job of the study in a module, and note what it ran on."""
    began = time.perf_counter()
    study = registry.load(module)
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
