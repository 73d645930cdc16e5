"""Rows of a delimited file, each with the line it begins on; broken quotes cost one line each."""

from __future__ import annotations

import csv
import re
from collections import deque
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

ROW_LIMIT = 1 << 26  # characters; a quote that is never closed must not swallow the file
QUOTED = re.compile(r'"[^"]*"?')


class Row(NamedTuple):
    line: int
    cells: list[str]


def read_rows(
    lines: Iterable[str], delimiters: str, report: Callable[[int, str], None]
) -> Iterator[Row]:
    """The rows that are not blank; the delimiter is the one the first of them has most of.

    A quote that is left open takes the following rows for one long cell. So when quoting turns out
    to be broken in a row of several lines, its first line is reported and the others read again.
    """
    csv.field_size_limit(max(csv.field_size_limit(), 2 * ROW_LIMIT))
    feeder = _Feeder(lines)
    delimiter = max(delimiters, key=QUOTED.sub("", feeder.first()).count)
    reader = csv.reader(feeder.feed(), delimiter=delimiter, strict=True)
    while True:
        line = feeder.begin_row()
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            if feeder.ended or len(feeder.row) > 1:
                report(line, "a quote is opened in this row and not closed as it should be")
                feeder.give_back()
                reader = csv.reader(feeder.feed(), delimiter=delimiter, strict=True)
                continue
            cells = next(csv.reader(feeder.row, delimiter=delimiter))
        if len(cells) > 1 or any(cell.strip() for cell in cells):
            yield Row(line, cells)


class _Feeder:
    """Hands lines to the csv module and can take back those of a row; knows their numbers."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = iter(lines)
        self._waiting: deque[str] = deque()
        self._before = 0
        self.row: list[str] = []
        self.ended = False

    def first(self) -> str:
        """The first line that is not blank, which stays to be read."""
        for line in self._lines:
            self._waiting.append(line)
            if line.strip():
                return line
        return ""

    def begin_row(self) -> int:
        """The number of the next row's first line."""
        self._before += len(self.row)
        self.row.clear()
        return self._before + 1

    def give_back(self) -> None:
        """Let all lines of the row but the first be read again."""
        self._waiting.extendleft(reversed(self.row[1:]))
        del self.row[1:]

    def feed(self) -> Iterator[str]:
        """The lines, until they end or a row grows beyond all measure."""
        self.ended = False
        row, waiting, lines = self.row, self._waiting, self._lines
        size = 0
        while line := waiting.popleft() if waiting else next(lines, ""):
            size = size + len(line) if row else len(line)
            row.append(line)
            yield line
            if size > ROW_LIMIT and row:
                break
        self.ended = True
