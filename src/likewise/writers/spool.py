"""Rows whose columns are known before the first is written, without holding them in memory.

A table names its columns first, but documents may have fields of any names. So rows wait in a
temporary file until all were seen.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

import msgspec

from likewise.document import TEXT_NAMES, as_text
from likewise.writers.jsonl import as_line
from likewise.writers.record import BESIDE, FIRST, row

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import IO

    from likewise.writers.record import Record

ORDER = (*BESIDE[:2], "id", *BESIDE[2:], "title", *FIRST)
LARGEST = 2**63
MARKS = frozenset(",|\n")  # that separate keywords where there is no semicolon


class Spool:
    """`columns` are all names that rows have, each with the kinds of its values."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.columns: dict[str, set[str]] = {}

    def add(self, values: dict[str, Any]) -> None:
        for name, value in values.items():
            self.columns.setdefault(name, set()).add(kind(value))
        self._file.write(as_line(values))

    def rows(self) -> Iterator[dict[str, Any]]:
        self._file.seek(0)
        yield from map(_decode, self._file)

    def groups(self, size: int) -> Iterator[list[dict[str, Any]]]:
        """Rows in groups of about so many bytes."""
        self._file.seek(0)
        while lines := self._file.readlines(size):
            yield list(map(_decode, lines))


@contextmanager
def spooled(records: Iterable[Record], always: Iterable[str]) -> Iterator[Spool]:
    with TemporaryFile() as file:
        spool = Spool(file)
        spool.columns = {name: set() for name in ("id", *always, "title")}
        for record in records:
            spool.add(row(record))
        spool.columns = dict(sorted(spool.columns.items(), key=_place))
        yield spool


def _decode(line: bytes) -> dict[str, Any]:
    try:
        return msgspec.json.decode(line, type=dict[str, Any])
    except msgspec.DecodeError:  # a number that msgspec cannot hold
        return dict(json.loads(line))


def _place(column: tuple[str, set[str]]) -> tuple[int, int]:
    """Columns in their usual order; others between these and texts, as they were met."""
    name = column[0]
    if name in ORDER:
        return 0, ORDER.index(name)
    return (2, -TEXT_NAMES.index(name)) if name in TEXT_NAMES else (1, 0)


def kind(value: Any) -> str:
    """bool, int, float, str, null, object, or a list of texts or of others."""
    if isinstance(value, (list, tuple)):
        kinds = {kind(item) for item in value}
        return "texts" if kinds <= {"str"} else "list"
    if isinstance(value, int) and not -LARGEST <= value < LARGEST:
        return "object"
    return NAMES.get(type(value), "object")


NAMES = {bool: "bool", int: "int", float: "float", str: "str", type(None): "null"}


def cell(value: Any, name: str) -> str | int | float | bool | None:
    """A value as a cell: lists of texts separated by semicolons, other structures as JSON.

    A semicolon behind a single keyword says that a comma in it separates nothing.
    """
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, (list, tuple)):
        try:
            texts = list(map(as_text, value))
            alone = name == "keywords" and len(texts) == 1 and MARKS.intersection(texts[0])
            return f"{texts[0]};" if alone else "; ".join(texts)
        except TypeError:
            pass
    return as_line(value).decode().rstrip("\n")
