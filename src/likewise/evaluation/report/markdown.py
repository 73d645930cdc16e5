"""A report as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.evaluation.report import cells
from likewise.evaluation.report.report import facts

if TYPE_CHECKING:
    from likewise.evaluation.report.report import Part, Report
    from likewise.evaluation.report.values import Section


def markdown(report: Report) -> str:
    return "\n".join(_part(report, part) for part in report.parts)


def _part(report: Report, part: Part) -> str:
    lines = [f"# {part.name}: {part.about}", ""]
    lines += [f"- {name}: {value}" for name, value in facts(report, part)]
    return "\n".join([*lines, "", *map(_section, part.sections)])


def _section(section: Section) -> str:
    lines = [f"## {section.title}", ""]
    if section.rows:
        flags = cells.numeric(section.rows)
        lines.append(_line(cells.header(section.rows)))
        lines.append(_line(["--:" if flag else "---" for flag in flags]))
        lines += [_line(cells.texts(section.rows, row)) for row in section.rows]
    else:
        lines.append("Nothing was measured.")
    return "\n".join([*lines, "", *(f"{note}\n" for note in section.notes)])


def _line(texts: list[str]) -> str:
    return "| " + " | ".join(text.replace("|", "\\|") for text in texts) + " |"
