"""Documents that a program hands over: Documents, dictionaries, or a table in memory.

Each is written as a line of JSON and then read as one, so that a record is taken or refused alike
whether it comes from a program or from a file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from likewise.document import ID_NAMES, Document, key_of
from likewise.errors import UsageError
from likewise.readers.batch import Batch, place
from likewise.readers.columns import rename
from likewise.readers.encoding import replace_lone_surrogates
from likewise.readers.frames import Frame, as_frame
from likewise.readers.gather import Entry
from likewise.readers.layout import Layout
from likewise.readers.values import NotPlainError, plain, plain_fields

if TYPE_CHECKING:
    from likewise.readers.options import ReadOptions
    from likewise.readers.problems import Problems

SOURCE = "documents given"


def read_given(
    documents: Iterable[Any], options: ReadOptions, problems: Problems
) -> Iterator[Batch]:
    """Documents, or dictionaries with the names that a line of JSONL may have."""
    entries = (
        Entry(SOURCE, number, _values(document, number, options))
        for number, document in enumerate(documents, 1)
    )
    yield from _batches(entries, _Taking(options, problems, "number"), options)


def read_frame(frame: Frame, options: ReadOptions, problems: Problems) -> Iterator[Batch]:
    """The rows of a table; columns are found as in a CSV file."""
    names = frame.fields(options)
    entries = (
        Entry(frame.name, number, dict(zip(names, row, strict=True)))
        for number, row in enumerate(frame.rows(), 1)
    )
    yield from _batches(entries, _Taking(options, problems, "row"), options)


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


class _Taken(NamedTuple):
    entry: Entry
    record: bytes
    document: Any


class _Taking:
    """Takes documents one by one, or reports why one cannot be taken."""

    def __init__(self, options: ReadOptions, problems: Problems, unit: str) -> None:
        problems.given = True
        if problems.strict is None:
            problems.strict = True
        self._problems = problems
        self._unit = unit
        # The columns named in the options have been renamed to what they hold.
        renamed: dict[str, Any] = {f"{role}_column": role for role in options.columns}
        self._layout = Layout(replace(options, **renamed))

    def take(self, entry: Entry) -> _Taken | None:
        where = place(entry.source, entry.line, self._unit)
        try:
            record = self._record(plain_fields(entry.values), entry.source, where)
            document = self._layout.decoder.decode(record)
        except (NotPlainError, msgspec.ValidationError, RecursionError) as error:
            self._report(where, entry, str(error) or "it is nested too deeply")
            return None
        if self._layout.blanks([document]) and self._layout.lacks_text(record):
            keys = ", ".join(map(repr, entry.values))
            reason = f"none of its fields ({keys}) is a text: name the one that is by text_column"
            self._report(where, entry, reason)
            return None
        return _Taken(entry, record, document)

    def batch(self, taken: list[_Taken]) -> Batch:
        documents = [one.document for one in taken]
        texts = self._layout.texts(documents)
        return Batch(
            ids=self._layout.ids(documents, texts),
            texts=texts,
            records=b"".join(one.record for one in taken),
            ends=np.cumsum([len(one.record) for one in taken], dtype=np.uint64),
            sources=[one.entry.source for one in taken],
            lines=np.array([one.entry.line for one in taken], np.int64),
            unit=self._unit,
        )

    def _record(self, values: dict[str, Any], source: str, where: str) -> bytes:
        try:
            return msgspec.json.encode(values) + b"\n"
        except UnicodeEncodeError:  # half a character, which Python's text can hold
            record, replaced = replace_lone_surrogates(json.dumps(values).encode())
            if replaced:
                self._problems.replace(source, where, replaced)
            return record + b"\n"

    def _report(self, where: str, entry: Entry, reason: str) -> None:
        self._problems.report(where, f"{_id(entry.values)}{reason}")


def _id(values: Mapping[Any, Any]) -> str:
    """What names a document beside its place."""
    try:
        id = plain(values.get(key_of(values, ID_NAMES)))
    except (ValueError, TypeError, RecursionError):  # an array or NA compares as no yes or no
        return ""
    return f"id {id!r}: " if isinstance(id, (str, int)) and id != "" else ""


def _batches(entries: Iterable[Entry], taking: _Taking, options: ReadOptions) -> Iterator[Batch]:
    """Batches of about options.batch_bytes."""
    waiting: list[_Taken] = []
    size = 0
    for taken in filter(None, map(taking.take, entries)):
        waiting.append(taken)
        size += len(taken.record)
        if size >= options.batch_bytes:
            yield taking.batch(waiting)
            waiting, size = [], 0
    if waiting:
        yield taking.batch(waiting)
