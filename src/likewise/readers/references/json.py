"""JSON that is not one object a line: an array of objects, or an object that holds one.

Objects of CSL-JSON, as Zotero and Pandoc write them, are told by their keys. The file is decoded
object by object, so that memory is that of the largest one.
"""

from __future__ import annotations

import json
import re
from contextlib import closing
from typing import TYPE_CHECKING, Any

from likewise.errors import InputError
from likewise.readers.batch import place
from likewise.readers.fieldnames import squeezed
from likewise.readers.lines import text_blocks
from likewise.readers.records import COLUMN_NAMES, Entry, listed, mapper, names_of
from likewise.readers.references import csl
from likewise.readers.references.roles import reference_batches

if TYPE_CHECKING:
    from collections.abc import Iterator

    from likewise.readers.batch import Batch
    from likewise.readers.options import ReadOptions
    from likewise.readers.problems import Problems
    from likewise.readers.streams import Source

LONGEST_OBJECT = 1 << 26  # characters
BLANK = re.compile(r"[ \t\r\n]*")
OPENING = re.compile(r"\[\s*(\S)")
NEXT = re.compile(r"\}\s*,?\s*(?=\{)")
HOLDERS = frozenset(
    {"records", "items", "data", "documents", "docs", "results", "articles", "references"}
    | {"entries", "papers", "studies", "publications", "hits", "rows", "works"}
)
TEXTS = frozenset(map(squeezed, (*COLUMN_NAMES["title"], *COLUMN_NAMES["text"])))
NO_OBJECT = "it is not an object, so it has no title or text"
SHAPE = "an array of objects, an object that holds such an array, or one object a line (.jsonl)"


def read_json(source: Source, options: ReadOptions, problems: Problems) -> Iterator[Batch]:
    entries = _entries(source, options, problems)
    yield from reference_batches(entries, source, options, problems)


def _entries(source: Source, options: ReadOptions, problems: Problems) -> Iterator[Entry]:
    mapped = mapper(options)
    texts = {name for field in options.fields for name in names_of(field, options)}
    for line, value in _Objects(source, problems).read():
        if csl.is_csl(value):
            yield Entry(source.name, line, csl.values_of(value))
            continue
        values = mapped(value)
        if options.columns or not texts.isdisjoint(values):
            yield Entry(source.name, line, values)
        else:
            keys = listed(list(value))
            problems.report(
                place(source.name, line),
                f"none of its keys ({keys}) is a text; "
                "name one with --text-column (in Python, text_column)",
            )


class _Objects:
    """Decodes objects one by one out of text that arrives in pieces."""

    def __init__(self, source: Source, problems: Problems) -> None:
        self._source, self._problems = source, problems
        self._pieces = text_blocks(source, problems)
        self._text, self._at, self._line, self._counted = "", 0, 1, 0
        self._decode = json.JSONDecoder().raw_decode

    def read(self) -> Iterator[tuple[int, dict[str, Any]]]:
        with closing(self._pieces):  # whatever ends it, or the file would stay open
            yield from self._values()

    def _values(self) -> Iterator[tuple[int, dict[str, Any]]]:
        mark = self._mark()
        if mark == "[":
            self._at += 1
            yield from self._array()
        elif mark == "{":
            yield from self._object()
            while self._mark() == "{":  # one object a line, whatever the suffix says
                yield from self._record()
        elif mark:
            raise InputError(f"{self._source.name}: JSON must be {SHAPE}")
        if self._mark():
            self._report("there is more after the end of the JSON, which is left out")

    def _more(self) -> bool:
        """Read on; pieces double, so that a long object is not begun again and again."""
        wanted = max(1, len(self._text) - self._at)
        pieces = []
        for piece in self._pieces:
            pieces.append(piece)
            wanted -= len(piece)
            if wanted <= 0:
                break
        self._count(self._at)
        self._text = "".join([self._text[self._at :], *pieces])
        self._at = self._counted = 0
        return bool(pieces)

    def _count(self, at: int) -> None:
        self._line += self._text.count("\n", self._counted, at)
        self._counted = at

    def _mark(self) -> str:
        """The next character that is not blank, which stays to be read."""
        while True:
            self._at = BLANK.match(self._text, self._at).end()  # type: ignore[union-attr]
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def _report(self, message: str) -> None:
        self._count(self._at)
        self._problems.report(place(self._source.name, self._line), message)

    def _value(self) -> Any:
        """The value that begins here; a ValueError tells what is wrong with it."""
        while True:
            try:
                value, self._at = self._decode(self._text, self._at)
                return value
            except json.JSONDecodeError as error:
                cut = error.msg.startswith("Unterminated") or error.pos >= len(self._text) - 12
                if not cut or len(self._text) - self._at > LONGEST_OBJECT or not self._more():
                    raise
            except RecursionError as error:
                raise ValueError("it is nested too deeply") from error

    def _object(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """An object that is a record, or the records of one that holds them."""
        self._count(self._at)
        line, values = self._line, dict[str, Any]()
        self._at += 1
        held = False
        try:
            while (mark := self._mark()) and mark != "}":
                if mark == ",":
                    self._at += 1
                    continue
                key = self._value()
                if not isinstance(key, str) or self._mark() != ":":
                    raise ValueError("a key or a colon is missing")
                self._at += 1
                if self._mark() == "[" and squeezed(key) in HOLDERS and self._opens_records():
                    held = True
                    yield from self._array()
                else:
                    values[key] = self._value()
        except ValueError as error:
            self._report(f"not valid JSON: {_reason(error)}")
            self._at = len(self._text)
            while self._more():
                self._at = len(self._text)
            return
        self._at += 1
        if not held:
            yield from self._told(line, values)

    def _opens_records(self) -> bool:
        """Whether this array's first item is an object; its bracket is read then."""
        while (found := OPENING.match(self._text, self._at)) is None:
            if not self._more():
                return False
        if found[1] not in "{]":
            return False
        self._at = found.end() - 1
        return True

    def _told(self, line: int, values: dict[str, Any]) -> Iterator[tuple[int, dict[str, Any]]]:
        """The object itself if it has a text, or the one list of objects in it."""
        if TEXTS & {squeezed(key) for key in values}:
            yield line, values
            return
        lists = [v for v in values.values() if isinstance(v, list) and v and isinstance(v[0], dict)]
        if len(lists) != 1:
            keys = listed(list(values)) or "nothing"
            raise InputError(f"{self._source.name}: JSON must be {SHAPE}; this object has {keys}")
        for item in lists[0]:
            if isinstance(item, dict):
                yield line, item
            else:
                self._problems.report(place(self._source.name, line), NO_OBJECT)

    def _array(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """The objects of an array whose bracket has been read."""
        while (mark := self._mark()) and mark != "]":
            if mark == ",":
                self._at += 1
                continue
            yield from self._record()
        if not mark:
            self._report("the array does not end: the file is cut short")
        self._at += 1

    def _record(self) -> Iterator[tuple[int, dict[str, Any]]]:
        self._count(self._at)
        line = self._line
        try:
            value = self._value()
        except ValueError as error:
            self._report(f"not valid JSON: {_reason(error)}")
            self._skip()
            return
        if isinstance(value, dict):
            yield line, value
        else:
            self._problems.report(place(self._source.name, line), NO_OBJECT)

    def _skip(self) -> None:
        """Go on at the next object."""
        self._at += 1
        while (found := NEXT.search(self._text, self._at)) is None:
            self._at = max(self._at, len(self._text) - 64)
            if not self._more():
                self._at = len(self._text)
                return
        self._at = found.end()


def _reason(error: ValueError) -> str:
    return error.msg.lower() if isinstance(error, json.JSONDecodeError) else str(error)
