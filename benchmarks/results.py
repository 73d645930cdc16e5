"""RESULTS.md: one section a benchmark; a partial run replaces only its own."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from glance import TITLE, summary
from rows import COLUMNS, line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from harness import Figure
    from rows import Row

HEAD = """# Measured speed

Written by `make bench`; `python benchmarks/run.py NAME` replaces one table. All candidates of a
table take turns in one run. A figure is the median of the rounds, the best round in brackets. A
ratio above 1 means better than the peer, whatever the unit; only ratios carry over to another
machine or a busier hour. Peak MB: the most memory that the process held while likewise did this
first: with mapped files, and with whatever else was in it, such as what peers had read; of servers,
all their processes. So it is a bound; "MB of memory" is that of a process that does nothing else.
"""


def table(rows: Iterable[Row]) -> str:
    lines = [line(COLUMNS), line(["---"] * len(COLUMNS))]
    return "\n".join(lines + [line(_cells(row)) for row in rows])


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
    found.pop(TITLE, None)  # it is made of the others
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
    ours = [_figure(row.ours), "–" if row.ours.memory is None else number(row.ours.memory)]
    return [row.work, row.unit, *ours, row.peer, _figure(row.theirs), ratio, asked, reached]


def _figure(figure: Figure | None) -> str:
    if figure is None or math.isnan(figure.median):
        return "–"
    if figure.median == figure.best:
        return number(figure.median)
    return f"{number(figure.median)} ({number(figure.best)})"
