"""A report as JSON."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from likewise.evaluation.report.cells import plain

if TYPE_CHECKING:
    from likewise.evaluation.report.report import Report
    from likewise.evaluation.report.values import Section


def as_object(report: Report) -> dict[str, Any]:
    found = asdict(replace(report, parts=[]))
    found["parts"] = [
        asdict(replace(part, sections=[])) | {"sections": list(map(_section, part.sections))}
        for part in report.parts
    ]
    return found


def _section(section: Section) -> dict[str, Any]:
    rows = [{name: plain(cell) for name, cell in row.items()} for row in section.rows]
    return {"title": section.title, "rows": rows, "notes": list(section.notes)}
