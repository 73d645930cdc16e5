"""RESULTS.md: one section a benchmark; a partial run replaces only its own."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from harness import Figure
    from rows import Row

HEAD = """# Measured speed

Written by `make bench`; `python benchmarks/run.py NAME` replaces one table. All candidates of a
table take turns in one run. A figure is the median of the rounds, the best round in brackets. A
ratio above 1 means better than the peer, whatever the unit; only ratios carry over to another
machine or a busier hour.
"""
GLANCE = "At a glance"
NEEDS = "needs "
SUMMARY = """## At a glance

{reached} of {asked} numbers asked for are reached, as measured by the sections below; each says
when and where.{more}
A figure is a ratio to the peer where one is asked for, otherwise likewise's own.
"""
SHORT = ("section", "work", "asked for", "figure", "peer", "reached")
COLUMNS = ("work", "unit", "likewise", "peer", "its figure", "ratio", "asked for", "reached")


def table(rows: Iterable[Row]) -> str:
    lines = [_line(COLUMNS), _line(["---"] * len(COLUMNS))]
    return "\n".join(lines + [_line(_cells(row)) for row in rows])


def titled(benchmark: str, machine: str) -> str:
    """A section's name: that of the benchmark, with the machine if it is not the usual one."""
    return f"{benchmark} ({machine})" if machine else benchmark


def section(name: str, method: str, setting: str, body: str) -> str:
    return f"## {name}\n\n{method}\n\n{body}\n\n{setting}\n"


def read_sections(path: Path) -> dict[str, str]:
    """The sections of an earlier run by name."""
    if not path.exists():
        return {}
    parts = re.split(r"^(?=## )", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    found = {part.splitlines()[0].removeprefix("## "): part.rstrip() + "\n" for part in parts}
    found.pop(GLANCE, None)  # it is made of the others
    return found


def write_sections(path: Path, sections: Mapping[str, str], order: Iterable[str]) -> None:
    chosen = [
        text
        for benchmark in order
        for name, text in sorted(sections.items())
        if name == benchmark or name.startswith(f"{benchmark} (")
    ]
    beside = path.with_suffix(".new")  # an interruption leaves the one or the other
    beside.write_text("\n".join([HEAD, *summary(chosen), *chosen]), encoding="utf-8")
    beside.replace(path)


def summary(sections: Iterable[str]) -> list[str]:
    """All numbers that were asked for in one table, of sections as they are written."""
    found = (tuple(cells) for text in sections for cells in _asked(text))
    lines = list(dict.fromkeys(found))  # beside several peers it is the same figure
    names = {cells[0] for cells in lines}
    lines = [each for each in lines if titled(each[0], each[-1].removeprefix(NEEDS)) not in names]
    if not lines:
        return []
    reached = sum(cells[-1] == "yes" for cells in lines)
    elsewhere = sum(cells[-1].startswith(NEEDS) for cells in lines)
    more = f" {elsewhere} more need a larger machine." if elsewhere else ""
    head = SUMMARY.format(reached=reached, asked=len(lines) - elsewhere, more=more)
    rows = [_line(SHORT), _line(["---"] * len(SHORT)), *map(_line, lines)]
    return ["\n".join([head, *rows, ""])]


def _asked(text: str) -> Iterator[list[str]]:
    """A section's rows in which something is asked for, in short."""
    name, header = text.splitlines()[0].removeprefix("## "), _line(COLUMNS)
    ours = False
    for line in text.splitlines():
        ours = line == header or (ours and line.startswith("|"))
        if not ours or line == header:
            continue
        work, unit, figure, peer, _, ratio, asked, reached = line.strip("| ").split(" | ")
        if reached not in ("yes", "**no**") and not reached.startswith(NEEDS):
            continue
        if reached.startswith(NEEDS):
            yield [name, work, asked, "–", peer, reached]
        elif asked.endswith("×"):
            yield [name, work, asked, f"{ratio.split()[0]} ×", peer, reached]
        else:
            yield [name, work, asked, f"{figure.split()[0]} {unit}", "–", reached]


def number(value: float) -> str:
    """Three significant digits, and no exponent."""
    if value == 0:
        return "0"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) >= 1e-4 else f"{value:.7f}".rstrip("0")


def _cells(row: Row) -> list[str]:
    ratio = "–"
    if row.ratio is not None and row.best_ratio is not None:
        ratio = f"**{number(row.ratio)}** ({number(row.best_ratio)})"
    asked, reached = "–", "–"
    if row.goal is not None:
        asked = str(row.goal)
        reached = row.needs or ("yes" if row.goal.reached(row) else "**no**")
    figure = _figure(row.theirs)
    return [row.work, row.unit, _figure(row.ours), row.peer, figure, ratio, asked, reached]


def _figure(figure: Figure | None) -> str:
    if figure is None or math.isnan(figure.median):
        return "–"
    if figure.median == figure.best:
        return number(figure.median)
    return f"{number(figure.median)} ({number(figure.best)})"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
