"""Tables out of files: the sheets of spreadsheets, Parquet, Arrow and Feather; one document a row.

Columns are found by name as in a CSV file. Of several sheets those without a column of text are
named and left out, unless all are.
"""

from __future__ import annotations

import io
from datetime import datetime, time, timedelta
from typing import TYPE_CHECKING, Any

from likewise.errors import InputError, sentence
from likewise.readers.batch import place
from likewise.readers.files.one import whole
from likewise.readers.formats import library
from likewise.readers.records import Entry, batches, find_columns, mapper, rename
from likewise.readers.streams import OPENERS
from likewise.readers.values import NotPlainError, plain_fields

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from likewise.readers.batch import Batch
    from likewise.readers.options import ReadOptions
    from likewise.readers.problems import Problems
    from likewise.readers.streams import Source

MOST_CELLS = 50_000_000  # of a sheet
ROWS = 1000  # that are converted at once
EMPTY = ("", None)


def read_sheets(source: Source, options: ReadOptions, problems: Problems) -> Iterator[Batch]:
    """Each sheet of .xlsx, .xls or .ods; its first row that is not empty names the columns."""
    calamine = library("python_calamine", source, "spreadsheets")
    try:
        book = calamine.CalamineWorkbook.from_filelike(io.BytesIO(whole(source)))
        names = list(book.sheet_names)
    except Exception as error:  # calamine has an error for each kind of file
        word = "is encrypted: save it without its password" if _is_locked(error) else ""
        reason = word or f"is no spreadsheet or damaged: {sentence(error)}"
        raise InputError(f"{source.name} {reason}") from error
    sheets = [(name, _sheet(book, name, source)) for name in names]
    filled = [(name, rows) for name, rows in sheets if rows]
    failures: list[InputError] = []
    for name, rows in filled:
        at = f"{source.name}, sheet {name!r}" if len(filled) > 1 else source.name
        try:
            yield from _batches(at, _numbered(rows), options, problems)
        except InputError as error:
            failures.append(error)
    if failures and len(failures) == len(filled):
        raise failures[0]
    for failure in failures:
        problems.report(source.name, str(failure).removeprefix(source.name).lstrip(":, "))


def _is_locked(error: Exception) -> bool:
    return "assword" in f"{type(error).__name__} {error}"


def _sheet(book: Any, name: str, source: Source) -> list[Any]:
    sheet = book.get_sheet_by_name(name)
    if sheet.total_height * sheet.total_width > MOST_CELLS:
        raise InputError(f"{source.name}: sheet {name!r} has more than {MOST_CELLS:,} cells")
    try:
        return list(sheet.to_python(skip_empty_area=False))
    except Exception as error:
        raise InputError(f"{source.name}: sheet {name!r} is damaged: {sentence(error)}") from error


def _numbered(rows: Iterable[Sequence[Any]]) -> Iterator[tuple[int, Sequence[Any]]]:
    """The rows that are not empty, with their numbers in the sheet."""
    for number, row in enumerate(rows, 1):
        if any(cell not in EMPTY for cell in row):
            yield number, row


def _batches(
    name: str,
    rows: Iterator[tuple[int, Sequence[Any]]],
    options: ReadOptions,
    problems: Problems,
) -> Iterator[Batch]:
    first = next(rows, None)
    if first is None:
        return
    header = [str(cell) if cell is not None else "" for cell in first[1]]
    yield from _rows(name, header, ((n, map(_cell, row)) for n, row in rows), options, problems)


def _rows(
    name: str,
    header: Sequence[str],
    rows: Iterable[tuple[int, Iterable[Any]]],
    options: ReadOptions,
    problems: Problems,
) -> Iterator[Batch]:
    roles = find_columns(header, options, name)
    names = rename(header, roles)
    canonical = mapper(options, roles, cells=True)

    def entries() -> Iterator[Entry]:
        for number, row in rows:
            try:
                values = plain_fields(dict(zip(names, row, strict=False)))
            except NotPlainError as error:
                problems.report(place(name, number, "row"), str(error))
                continue
            kept = {key: value for key, value in values.items() if value not in EMPTY}
            texts = {role: "" for role in roles if role not in kept and role != "id"}
            yield Entry(name, number, canonical({**texts, **kept}))

    for batch in batches(entries(), options, problems):
        batch.unit = "row"
        yield batch


def _cell(cell: Any) -> Any:
    """A cell's value: whole numbers come as fractions, days as moments of midnight."""
    if isinstance(cell, float) and cell.is_integer():
        return int(cell)
    if isinstance(cell, datetime) and cell.time() == time():
        return cell.date()
    return str(cell) if isinstance(cell, timedelta) else cell


def read_parquet(source: Source, options: ReadOptions, problems: Problems) -> Iterator[Batch]:
    pyarrow = library("pyarrow", source, "Parquet")
    parquet = library("pyarrow.parquet", source, "Parquet")
    try:
        file = parquet.ParquetFile(_place(source), memory_map=True)
        header = [str(name) for name in file.schema_arrow.names]
        tables = file.iter_batches(batch_size=ROWS)
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(
            f"{source.name} is no Parquet file or damaged: {sentence(error)}"
        ) from error
    yield from _rows(source.name, header, _arrow_rows(tables, source), options, problems)


def read_arrow(source: Source, options: ReadOptions, problems: Problems) -> Iterator[Batch]:
    """Arrow's files, its streams, and Feather."""
    pyarrow = library("pyarrow", source, "Arrow")
    feather = library("pyarrow.feather", source, "Arrow")
    place = _place(source)
    try:
        try:
            reader = pyarrow.ipc.open_file(_source(pyarrow, place))
            tables: Iterator[Any] = map(reader.get_batch, range(reader.num_record_batches))
            names = reader.schema.names
        except pyarrow.ArrowInvalid:
            tables, names = _streamed(pyarrow, feather, place)
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(f"{source.name} is no Arrow file or damaged: {sentence(error)}") from error
    header = [str(name) for name in names]
    yield from _rows(source.name, header, _arrow_rows(tables, source), options, problems)


def _streamed(pyarrow: Any, feather: Any, place: Path | io.BytesIO) -> tuple[Iterator[Any], Any]:
    """A stream of batches or, if it is none, a file of Feather's first version."""
    try:
        reader = pyarrow.ipc.open_stream(_source(pyarrow, place))
    except pyarrow.ArrowInvalid:
        if isinstance(place, io.BytesIO):
            place.seek(0)
        table = feather.read_table(place)
        return iter(table.to_batches(max_chunksize=ROWS)), table.column_names
    return iter(reader), reader.schema.names


def _source(pyarrow: Any, place: Path | io.BytesIO) -> Any:
    if isinstance(place, io.BytesIO):
        place.seek(0)
        return place
    return pyarrow.memory_map(str(place))


def _place(source: Source) -> Path | io.BytesIO:
    """The file itself, so that it need not fit into memory; or its bytes."""
    if source.path is not None and source.path.suffix.lower() not in OPENERS:
        return source.path
    return io.BytesIO(whole(source))


def _arrow_rows(tables: Iterator[Any], source: Source) -> Iterator[tuple[int, list[Any]]]:
    number = 0
    while True:
        try:
            table = next(tables, None)
            if table is None:
                return
            columns = [column.to_pylist() for column in table.columns]
        except Exception as error:  # damage that is met only now
            where = f"{source.name}, after row {number}"
            raise InputError(f"{where}: is damaged: {sentence(error)}") from error
        for row in zip(*columns, strict=True):
            number += 1
            yield number, list(row)
