"""Cells of a table as text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from likewise.evaluation.report.values import Compared, Number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likewise.evaluation.report.values import Cell, Row

NOTHING = "–"
COMPARED = ("paper", "ours", "difference")


def columns(rows: Sequence[Row]) -> list[str]:
    """Names of columns in order of first appearance, without columns that are empty."""
    names = dict.fromkeys(name for row in rows for name in row)
    return [name for name in names if any(row.get(name) != "" for row in rows)]


def header(rows: Sequence[Row]) -> list[str]:
    """The columns as shown: three for a number compared with a paper."""
    shown: list[str] = []
    for name in columns(rows):
        parts = [f"{name}, {part}" for part in COMPARED]
        shown += parts if _is_compared(rows, name) else [name]
    return shown


def texts(rows: Sequence[Row], row: Row) -> list[str]:
    shown: list[str] = []
    for name in columns(rows):
        cell = row.get(name)
        if _is_compared(rows, name):
            shown += _compared(cell)
        else:
            shown.append(text(cell))
    return shown


def numeric(rows: Sequence[Row]) -> list[bool]:
    """Which of the columns shown hold numbers."""
    flags: list[bool] = []
    for name in columns(rows):
        is_number = all(not isinstance(row.get(name), str) for row in rows)
        flags += [True] * 3 if _is_compared(rows, name) else [is_number]
    return flags


def text(cell: Cell) -> str:
    if isinstance(cell, Number):
        return _fixed(cell.value, cell.digits)
    if isinstance(cell, float):
        return _fixed(cell, 3)
    if isinstance(cell, int):
        return f"{cell:,}"
    return NOTHING if cell is None else str(cell)


def plain(cell: Cell) -> Any:
    """The cell as JSON has it."""
    if isinstance(cell, Compared):
        return {"paper": cell.paper, "ours": cell.ours, "difference": cell.difference}
    return cell.value if isinstance(cell, Number) else cell


def _is_compared(rows: Sequence[Row], name: str) -> bool:
    return any(isinstance(row.get(name), Compared) for row in rows)


def _compared(cell: Cell) -> list[str]:
    if not isinstance(cell, Compared):
        return [NOTHING, text(cell), NOTHING]
    difference = _fixed(cell.difference, cell.digits)
    sign = "+" if (cell.difference or 0) > 0 else ""
    return [_fixed(cell.paper, cell.digits), _fixed(cell.ours, cell.digits), sign + difference]


def _fixed(value: float | None, digits: int) -> str:
    if value is None or math.isnan(value):
        return NOTHING
    if 0 < value < 0.5 * 10**-digits:
        return f"< {10**-digits:.{digits}f}"
    return f"{value:,.{digits}f}".replace("-", "−")
