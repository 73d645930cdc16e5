"""Text on a terminal: single lines without control characters, tables, and widths."""

from __future__ import annotations

import re
from math import floor, log10
from typing import TYPE_CHECKING
from unicodedata import combining, east_asian_width

if TYPE_CHECKING:
    from collections.abc import Sequence

GAP = "  "
MIN_LAST = 10  # columns; only the last cell of a row is cut: ids are there to be copied
# Line breaks and tabs would spoil a table; escape sequences out of a document, the terminal.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def one_line(text: str) -> str:
    return _CONTROL.sub(" ", text).strip()


def columns(text: str) -> int:
    """How many columns of a terminal a text takes."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def cut(text: str, width: int) -> str:
    """The text, or as much of it as fits into the width with an ellipsis."""
    if columns(text) <= width:
        return text
    taken = 0
    for place, character in enumerate(text):
        taken += _columns(character)
        if taken > width - 1:
            return f"{text[:place].rstrip()}…"
    return text


def pad(text: str, width: int) -> str:
    return text + " " * (width - columns(text))


def _columns(character: str) -> int:
    if combining(character):
        return 0
    return 2 if east_asian_width(character) in "WF" else 1


def table(rows: Sequence[Sequence[str]], width: int | None, right: int = 1) -> str:
    """Aligned columns, the first few to the right; the last is cut to the width there is."""
    cells = [[one_line(cell) for cell in row] for row in rows]
    widths = [max(map(columns, column)) for column in zip(*cells, strict=True)][:-1]
    room = None if width is None else max(width - sum(widths) - len(GAP) * len(widths), MIN_LAST)
    lines = []
    for *first, last in cells:
        padded = [" " * (w - columns(c)) + c for c, w in zip(first[:right], widths, strict=False)]
        padded += [pad(c, w) for c, w in zip(first[right:], widths[right:], strict=True)]
        lines.append(GAP.join([*padded, last if room is None else cut(last, room)]).rstrip())
    return "".join(f"{line}\n" for line in lines)


def four_digits(number: float) -> str:
    """A number with four significant digits."""
    return f"{number:#.4g}"


def aligned(numbers: Sequence[float]) -> list[str]:
    """Signed numbers with as many decimals as give the largest four digits."""
    largest = max((abs(number) for number in numbers), default=0.0)
    decimals = max(0, 3 - floor(log10(largest))) if largest else 3
    return [f"{number:+.{decimals}f}" for number in numbers]


def why(error: OSError) -> str:
    """What the system says, to go on with after a colon."""
    return (error.strerror or str(error)).lower()
