"""Documents that a program hands over: Documents, dictionaries, or a DataFrame.

Each is written as a line of JSON and then read as one, so that a record is accepted or refused
alike whether it comes from a program or from a file. A DataFrame of pandas or polars is known by
its methods: neither package is imported.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from likewise.document import ID_NAMES, Document, key_of
from likewise.errors import UsageError
from likewise.readers.batch import Batch, place
from likewise.readers.problems import SOURCE
from likewise.readers.records import (
    Entry,
    RecordDecoder,
    find_columns,
    groups,
    mapper,
    rename,
)
from likewise.readers.streams import replace_lone_surrogates
from likewise.readers.values import NotPlainError, plain, plain_fields

if TYPE_CHECKING:
    from likewise.readers.mapping import Mapper
    from likewise.readers.options import ReadOptions
    from likewise.readers.problems import Problems


def read_documents(
    documents: Iterable[Any], options: ReadOptions, problems: Problems
) -> Iterator[Batch]:
    """Documents, or dictionaries with the names that a line of JSONL may have."""
    mapped = mapper(options)
    entries = (
        Entry(SOURCE, number, _values(document, number, options))
        for number, document in enumerate(documents, 1)
    )
    yield from _batches(entries, _Encoder(options, problems, "number", mapped), options)


def read_frame(frame: Frame, options: ReadOptions, problems: Problems) -> Iterator[Batch]:
    """The rows of a table; columns are found as in a CSV file."""
    roles = frame.roles(options)
    names, mapped = frame.fields(roles), mapper(options, roles, cells=True)
    entries = (
        Entry(frame.name, number, dict(zip(names, row, strict=True)))
        for number, row in enumerate(frame.rows(), 1)
    )
    yield from _batches(entries, _Encoder(options, problems, "row", mapped), options)


class Frame:
    """A table: the names of its columns, and its rows as tuples."""

    def __init__(
        self, name: str, columns: Iterable[Any], rows: Callable[[], Iterable[tuple[Any, ...]]]
    ) -> None:
        self.name = name
        self._columns = [_column(column, name) for column in columns]
        self._rows = rows

    def roles(self, options: ReadOptions) -> dict[str, str]:
        """The column of each role; an error lists them all if none is a text."""
        return find_columns(self._columns, options, self.name)

    def fields(self, roles: Mapping[str, str]) -> list[str]:
        """Each column's key in a record."""
        return rename(self._columns, roles)

    def rows(self) -> Iterator[tuple[Any, ...]]:
        return iter(self._rows())


def as_frame(given: Any) -> Frame | None:
    """A DataFrame of pandas or polars as a Frame; None for anything else."""
    columns = getattr(given, "columns", None)
    if columns is None or isinstance(given, type):
        return None
    name = type(given).__name__
    if callable(getattr(given, "itertuples", None)):
        table = _with_index(given)
        return Frame(name, table.columns, lambda: table.itertuples(index=False, name=None))
    if callable(getattr(given, "iter_rows", None)):
        return Frame(name, columns, given.iter_rows)
    return None


def _with_index(table: Any) -> Any:
    """The table with its index as columns if that has a name: ids are often kept there."""
    if all(name is None for name in table.index.names):
        return table
    try:
        return table.reset_index()
    except ValueError as error:
        raise UsageError(f"the DataFrame's index cannot become a column: {error}") from error


def _column(column: Any, table: str) -> str:
    if isinstance(column, (str, int)):
        return str(column)
    raise UsageError(f"the {table}'s column {column!r} is not named by text: rename its columns")


def _values(document: Any, number: int, options: ReadOptions) -> Mapping[Any, Any]:
    if isinstance(document, Document):
        return document.values()
    if isinstance(document, Mapping):
        if not options.columns:
            return document
        names = rename(list(document), options.columns)
        return dict(zip(names, document.values(), strict=True))
    raise UsageError(
        f"number {number} of the {SOURCE} is a {type(document).__name__}, "
        "not a Document or a dictionary"
        + (": give a table by itself, not in a list" if as_frame(document) else "")
    )


class _Encoded(NamedTuple):
    entry: Entry
    record: bytes
    document: Any


class _Encoder:
    """Writes documents as JSON one by one, or reports why one cannot be written."""

    def __init__(self, options: ReadOptions, problems: Problems, unit: str, mapped: Mapper) -> None:
        problems.given = True
        if problems.strict is None:
            problems.strict = True
        self._problems = problems
        self._unit = unit
        self._mapped = mapped
        # The columns named in the options have been renamed to their roles.
        renamed: dict[str, Any] = {f"{role}_column": role for role in options.columns}
        self._decoder = RecordDecoder(replace(options, **renamed))

    def encode(self, entry: Entry) -> _Encoded | None:
        where = place(entry.source, entry.line, self._unit)
        try:
            values = self._mapped(plain_fields(entry.values))
            record = self._record(values, entry.source, where)
            document = self._decoder.decode(record)
        except (NotPlainError, msgspec.ValidationError, RecursionError) as error:
            self._report(where, entry, str(error) or "it is nested too deeply")
            return None
        if self._decoder.blanks([document]) and self._decoder.lacks_text(record):
            keys = ", ".join(map(repr, entry.values))
            reason = f"none of its fields ({keys}) is a text: name the one that is by text_column"
            self._report(where, entry, reason)
            return None
        self._problems.labels.add(values)
        return _Encoded(entry, record, document)

    def batch(self, encoded: list[_Encoded]) -> Batch:
        documents = [one.document for one in encoded]
        ids, texts = self._decoder.ids_and_texts(documents, lambda i: encoded[i].record)
        return Batch(
            ids=ids,
            texts=texts,
            records=b"".join(one.record for one in encoded),
            ends=np.cumsum([len(one.record) for one in encoded], dtype=np.uint64),
            sources=[one.entry.source for one in encoded],
            lines=np.array([one.entry.line for one in encoded], np.int64),
            unit=self._unit,
        )

    def _record(self, values: dict[str, Any], source: str, where: str) -> bytes:
        try:
            return msgspec.json.encode(values) + b"\n"
        except UnicodeEncodeError:  # half of a surrogate pair, which Python's text can hold
            record, replaced = replace_lone_surrogates(json.dumps(values).encode())
            if replaced:
                self._problems.replace(source, where, replaced)
            return record + b"\n"

    def _report(self, where: str, entry: Entry, reason: str) -> None:
        self._problems.report(where, f"{_id(entry.values)}{reason}")


def _id(values: Mapping[Any, Any]) -> str:
    """A document's id, for a message that names its place too."""
    try:
        id = plain(values.get(key_of(values, ID_NAMES)))
    except (ValueError, TypeError, RecursionError):  # an array or NA has no truth value
        return ""
    return f"id {id!r}: " if isinstance(id, (str, int)) and id != "" else ""


def _batches(entries: Iterable[Entry], encoder: _Encoder, options: ReadOptions) -> Iterator[Batch]:
    encoded = filter(None, map(encoder.encode, entries))
    for group in groups(encoded, lambda one: len(one.record), options.batch_bytes):
        yield encoder.batch(group)
