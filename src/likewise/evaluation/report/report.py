"""A report: the tables of studies, and where every number comes from."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from likewise.errors import UsageError
from likewise.evaluation import provenance, studies
from likewise.evaluation.runs import run
from likewise.evaluation.studies import MissingError, Progress

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from likewise.evaluation.report.values import Section
    from likewise.evaluation.runs import Ran, Setting


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
    """Run the jobs that are not measured yet, and make all tables."""
    jobs = [job for name in names for job in studies.study(name).jobs(setting.seeds)]
    if not setting.data.is_dir() and any("data" in job for job in jobs):
        raise UsageError(f"there is no folder {setting.data}: name the folder of data with --data")
    parts = []
    for name in names:
        ran = run(name, setting, progress(name) if progress else None)
        sections = studies.study(name).sections(ran.results)
        parts.append(make_part(name, studies.about(name), sections, setting, ran))
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


def facts(report: Report, part: Part) -> list[tuple[str, str]]:
    """Where a study's numbers come from: names and values, for people."""
    found = [
        ("date", f"{report.date}, numbers since {part.first or 'never'}"),
        ("commit", ", ".join(part.commits) or report.commit),
        ("version", ", ".join(part.versions) or "none"),
        ("options", ", ".join(f"{name} {value}" for name, value in report.options.items())),
        ("runs", f"{part.run_file}: {part.measured:,} jobs, {part.seconds:,.0f} s"),
    ]
    if part.missing:
        found.append(("missing", f"{part.missing:,} jobs could not be run; their rows say why"))
    if part.stale:
        found.append(("not used", f"{part.stale:,} results of another version or other data"))
    for folder, files in part.checksums.items():
        sums = ", ".join(f"{name} {digest[:16]}" for name, digest in files.items())
        found.append((f"data, {folder}", f"SHA-256 {sums}" if sums else "not here"))
    return found


def _files(setting: Setting, folder: str) -> dict[str, str]:
    try:
        return provenance.files(setting.data / folder)
    except MissingError:
        return {}


def _options(setting: Setting) -> dict[str, str]:
    only = {name: ",".join(values) for name, values in (setting.only or {}).items()}
    return {"data": str(setting.data), "seeds": str(setting.seeds), **only}
