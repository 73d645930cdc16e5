"""CSV and TSV: a header line, then one document a row; columns are found by name."""

from __future__ import annotations

import io
from contextlib import closing
from typing import TYPE_CHECKING

from likewise.errors import InputError
from likewise.readers.batch import Batch, place
from likewise.readers.columns import find_columns, rename
from likewise.readers.encoding import open_utf8, replace_invalid
from likewise.readers.gather import Entry, gather
from likewise.readers.lines import line_chunks
from likewise.readers.rows import read_rows

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from likewise.readers.options import ReadOptions
    from likewise.readers.problems import Problems
    from likewise.readers.source import Source


def read_csv(source: Source, options: ReadOptions, problems: Problems) -> Iterator[Batch]:
    """Separated by commas, or by semicolons or tabs if the header line has more of them."""
    yield from gather(_entries(source, options, problems, ",;\t"), options, problems)


def read_tsv(source: Source, options: ReadOptions, problems: Problems) -> Iterator[Batch]:
    yield from gather(_entries(source, options, problems, "\t"), options, problems)


def _entries(
    source: Source, options: ReadOptions, problems: Problems, delimiters: str
) -> Iterator[Entry]:
    def report(line: int, message: str) -> None:
        problems.report(place(source.name, line), message)

    with closing(_lines(source, options, problems)) as lines:
        rows = read_rows(lines, delimiters, report)
        header = next(rows, None)
        if header is None:
            raise InputError(f"{source.name} is empty: it needs a header line with column names")
        names = rename(header.cells, find_columns(header.cells, options, source.name))
        for line, cells in rows:
            if len(cells) == len(names):
                yield Entry(source.name, line, dict(zip(names, cells, strict=True)))
            else:
                report(line, f"{len(cells)} cells where the header has {len(names)}")


def _lines(source: Source, options: ReadOptions, problems: Problems) -> Generator[str]:
    """Lines with their ends as they are; bytes that are not UTF-8 replaced and counted."""
    number = 1
    with open_utf8(source, problems) as stream:
        for chunk in line_chunks(stream, options.batch_bytes):
            try:
                text = chunk.decode()
            except UnicodeDecodeError as error:
                text, replaced = replace_invalid(chunk)
                line = number + chunk.count(b"\n", 0, error.start)
                problems.replace(source.name, place(source.name, line), replaced)
            yield from io.StringIO(text, newline="")
            number += chunk.count(b"\n")
