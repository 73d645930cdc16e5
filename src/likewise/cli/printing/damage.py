"""What is damaged in an index, and what was saved of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from likewise.cli.printing import stdout
from likewise.cli.printing.paths import from_here
from likewise.cli.printing.text import one_line
from likewise.cli.printing.units import count

if TYPE_CHECKING:
    from pathlib import Path

    from likewise.reviews.rescue import Rescued
    from likewise.store.checking import Report

MOST = 1000  # ids that are listed


def print_report(report: Report, *, json: bool) -> None:
    if json:
        stdout.put(stdout.as_json(_report(report)), "utf-8")
    else:
        stdout.put(_lines(_said(report)))


def print_rescued(rescued: Rescued, target: Path, *, json: bool) -> None:
    if not json:
        stdout.put(_lines([*_said(rescued.saved.report), *_outcome(rescued, target)]))
        return
    saved = rescued.saved._asdict()
    known = {name: value for name, value in saved.items() if name != "report"}
    outcome = {"path": stdout.valid(str(target)), **known, "judgements": rescued.judgements}
    stdout.put(stdout.as_json(_report(rescued.saved.report) | {"saved": outcome}), "utf-8")


def _report(report: Report) -> dict[str, Any]:
    return {
        "path": stdout.valid(report.path),
        "sound": report.sound,
        "documents": report.documents,
        "lost": report.lost,
        "damages": [damage._asdict() for damage in report.damages],
    }


def _said(report: Report) -> list[str]:
    if report.sound:
        held = count(report.documents, "document")
        return [f"{report.path} is whole: {held}, every byte checked"]
    return [str(damage) for damage in report.damages]


def _outcome(rescued: Rescued, target: Path) -> list[str]:
    saved = rescued.saved
    lines = [f"{count(saved.documents, 'document')} saved in {target}, {saved.lost:,} lost"]
    if saved.lost_ids:
        lines.append(f"lost: {_listed(saved.lost_ids)}")
    if saved.renamed:
        lines.append(f"ids were lost; these are new: {_listed(saved.renamed)}")
    return [*lines, *saved.notes, *filter(None, [rescued.judgements])]


def _listed(ids: tuple[str, ...]) -> str:
    more = f" and {len(ids) - MOST:,} more (--json has all)" if len(ids) > MOST else ""
    return ", ".join(ids[:MOST]) + more


def _lines(sentences: list[str]) -> str:
    return "".join(f"{from_here(one_line(sentence))}\n" for sentence in sentences)
