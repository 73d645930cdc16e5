"""From names of studies to a report that says where every number comes from."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from likewise.errors import UsageError
from likewise.tables import provenance, registry
from likewise.tables.running import run
from likewise.tables.values import MissingError, Progress, Section

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from likewise.tables.running import Ran, Setting


@dataclass(frozen=True)
class Part:
    """A study in a report: its tables, and what they were made from."""

    name: str
    about: str
    sections: Sequence[Section]
    run_file: str
    measured: int
    missing: int
    stale: int
    seconds: float
    first: str  # date of the earliest number
    versions: Sequence[str]
    commits: Sequence[str]
    checksums: dict[str, dict[str, str]]  # by folder and file


@dataclass(frozen=True)
class Report:
    date: str
    commit: str
    options: dict[str, str]
    parts: Sequence[Part]


def make(
    names: Sequence[str],
    setting: Setting,
    progress: Callable[[str], Progress] | None = None,
) -> Report:
    """Run what has to be run, and make tables of all of it."""
    jobs = [job for name in names for job in registry.study(name).jobs(setting.seeds)]
    if not setting.data.is_dir() and any("data" in job for job in jobs):
        raise UsageError(f"there is no folder of data {setting.data}: name it with --data")
    parts = []
    for name in names:
        ran = run(name, setting, progress(name) if progress else None)
        sections = registry.study(name).sections(ran.results)
        parts.append(make_part(name, registry.about(name), sections, setting, ran))
    return make_report(parts, _options(setting))


def make_report(parts: Sequence[Part], options: dict[str, str]) -> Report:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return Report(now, provenance.commit(), options, parts)


def make_part(
    name: str, about: str, sections: Sequence[Section], setting: Setting, ran: Ran
) -> Part:
    measured = [result for result in ran.results if result.missing is None]
    folders = sorted({result.job["data"] for result in ran.results if "data" in result.job})
    return Part(
        name=name,
        about=about,
        sections=sections,
        run_file=str(setting.runs / f"{name}.jsonl"),
        measured=len(measured),
        missing=len(ran.results) - len(measured),
        stale=ran.stale,
        seconds=sum(result.seconds for result in measured),
        first=min((result.date for result in measured), default=""),
        versions=sorted({result.version for result in ran.results if result.version}),
        commits=sorted({result.commit for result in measured}),
        checksums={folder: _files(setting, folder) for folder in folders},
    )


def _files(setting: Setting, folder: str) -> dict[str, str]:
    try:
        return provenance.files(setting.data / folder)
    except MissingError:
        return {}


def _options(setting: Setting) -> dict[str, str]:
    only = {name: ",".join(values) for name, values in (setting.only or {}).items()}
    return {"data": str(setting.data), "seeds": str(setting.seeds), **only}
