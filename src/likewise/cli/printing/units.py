"""Numbers, parts and sizes for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.cli.printing.text import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping


def count(number: int, thing: str) -> str:
    """1 document, 2 documents."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def share(part: float) -> str:
    """A part of 1; what is not all, or nothing, is never rounded to it."""
    if part in (0, 1):
        return "all" if part else "none"
    return f"{min(max(100 * part, 0.1), 99.9):.3g} %"


def size(number: float) -> str:
    """A number of bytes."""
    for unit in ("bytes", "kB", "MB"):
        if number < 1000:
            return f"{number:.3g} {unit}"
        number /= 1000
    return f"{number:,.1f} GB"


def facts(rows: Mapping[str, str]) -> str:
    """Names and values, one a line."""
    width = max(map(len, rows))
    return "".join(f"{name:{width}}  {one_line(value)}\n" for name, value in rows.items())
