"""CSV and TSV: a header line, then one document a row; columns are found by name.

A quote that is left open costs one line, not the rest of the file.
"""

from __future__ import annotations

import csv
import io
import re
from collections import deque
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

from likewise.errors import InputError
from likewise.readers.batch import Batch, place
from likewise.readers.cells import restored
from likewise.readers.lines import text_pieces
from likewise.readers.options import LONGEST_ROW
from likewise.readers.records import Entry, batches, find_columns, mapper, rename

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

    from likewise.readers.options import ReadOptions
    from likewise.readers.problems import Problems
    from likewise.readers.streams import Source

TOLD = re.compile(r"\"?sep=([^\w\s\"]|\t)\"?[;,\t]*\r?\n?", re.IGNORECASE)  # for spreadsheets
QUOTED = re.compile(r'"[^"]*"?')


def read_csv(source: Source, options: ReadOptions, problems: Problems) -> Iterator[Batch]:
    """Separated by commas, or by semicolons or tabs if the header line has more of them."""
    yield from batches(_entries(source, options, problems, ",;\t"), options, problems)


def read_tsv(source: Source, options: ReadOptions, problems: Problems) -> Iterator[Batch]:
    yield from batches(_entries(source, options, problems, "\t"), options, problems)


def _entries(
    source: Source, options: ReadOptions, problems: Problems, delimiters: str
) -> Iterator[Entry]:
    def report(line: int, message: str) -> None:
        problems.report(place(source.name, line), message)

    with closing(_lines(source, options, problems)) as lines:
        rows = read_rows(lines, delimiters, report, options.longest_row)
        header = next(rows, None)
        if header is None:
            raise InputError(f"{source.name} is empty: it needs a header line with column names")
        columns = list(map(restored, header.cells))
        roles = find_columns(columns, options, source.name)
        names, mapped = rename(columns, roles), mapper(options, roles, cells=True)
        for line, cells in rows:
            if len(cells) == len(names):
                plain = (restored(cell) if cell[:1] == "'" else cell for cell in cells)
                yield Entry(source.name, line, mapped(dict(zip(names, plain, strict=True))))
            else:
                report(line, f"{len(cells)} cells where the header has {len(names)}")


def _lines(source: Source, options: ReadOptions, problems: Problems) -> Generator[str]:
    """Lines with their ends as they are: a cell may have some."""
    for text in text_pieces(source, options, problems):
        yield from io.StringIO(text, newline="")


class Row(NamedTuple):
    line: int
    cells: list[str]


def read_rows(
    lines: Iterable[str],
    delimiters: str,
    report: Callable[[int, str], None],
    longest: int = LONGEST_ROW,
) -> Iterator[Row]:
    """The rows that are not blank; the delimiter is the one the first of them has most of.

    A quote that is left open makes the following rows one long cell. So when a row of several
    lines has a broken quote, or more characters than `longest`, its first line is reported and
    the others are read again.
    """
    csv.field_size_limit(max(csv.field_size_limit(), 2 * longest))
    feeder = _Feeder(lines, longest)
    first = feeder.first()
    told = TOLD.fullmatch(first)
    if told:
        feeder.skip_first()
    delimiter = told[1] if told else max(delimiters, key=QUOTED.sub("", first).count)
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
    """Hands lines to the csv module, numbers them, and can take back those of a row."""

    def __init__(self, lines: Iterable[str], longest: int) -> None:
        self._lines = iter(lines)
        self._longest = longest
        self._waiting: deque[str] = deque()
        self._before = 0
        self.row: list[str] = []
        self.ended = False

    def skip_first(self) -> None:
        """Count the first line that is not blank, and all before it, as read."""
        self._before += len(self._waiting)
        self._waiting.clear()

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
        """The lines, until they end or a row is too long."""
        self.ended = False
        row, waiting, lines = self.row, self._waiting, self._lines
        size = 0
        while line := waiting.popleft() if waiting else next(lines, ""):
            size = size + len(line) if row else len(line)
            row.append(line)
            yield line
            if size > self._longest and row:
                break
        self.ended = True
