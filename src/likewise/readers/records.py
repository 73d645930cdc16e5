"""From the values of documents to batches: columns and their roles, ids, texts, records.

Readers that parse documents one by one hand `Entry` values to `batches`. Those that have lines of
JSON use `RecordDecoder`, which decodes only the keys that are analysed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import msgspec
import numpy as np

from likewise.document import (
    EMPTY,
    ID_NAMES,
    NAMES,
    as_text,
    content_id,
    id_text,
    key_of,
    values_of,
)
from likewise.errors import InputError, UsageError
from likewise.readers.batch import Batch, place
from likewise.readers.fieldnames import (
    COLUMNS,
    OWN_IDS,
    WEB_OF_SCIENCE,
    WEB_OF_SCIENCE_TELLS,
    squeezed,
)
from likewise.readers.mapping import Mapper, lasting_id

if TYPE_CHECKING:
    from likewise.readers.options import ReadOptions
    from likewise.readers.problems import Problems

MOST_LISTED = 12  # columns that a message names
LONGEST_SHOWN = 60  # characters of a name in a message
Scalar = str | int | float
Getters = list[Callable[[Any], Any]]
T = TypeVar("T")
# The names of columns that are a document's id, title and text.
COLUMN_NAMES = {
    "id": (*ID_NAMES, *OWN_IDS),
    "title": (*NAMES["title"], *COLUMNS["title"]),
    "text": (*NAMES["text"], *COLUMNS["abstract"]),
}
TAG_NAMES = {
    "id": (),  # ID are keywords there
    "title": WEB_OF_SCIENCE["title"],
    "text": WEB_OF_SCIENCE["abstract"],
}


def find_columns(header: Sequence[str], options: ReadOptions, source: str) -> dict[str, str]:
    """The column of each role; options decide, then names, whatever their case."""
    by_name = {squeezed(column): column for column in reversed(header)}
    found: dict[str, str] = {}
    for role, column in options.columns.items():
        match = column if column in header else by_name.get(squeezed(column))
        if match is None:
            raise InputError(f"{source}: there is no column {column!r} among {listed(header)}")
        found[role] = match
    usual = TAG_NAMES if set(header) >= WEB_OF_SCIENCE_TELLS else COLUMN_NAMES
    for role, names in _names_by_role(options, usual).items():
        free = (by_name[name] for name in map(squeezed, names) if name in by_name)
        match = next((column for column in free if column not in found.values()), None)
        if role not in found and match is not None:
            found[role] = match
    needed = {"text"}.intersection(options.fields) or set(options.fields)
    if needed.isdisjoint(found):
        raise InputError(
            f"{source}: none of the columns {listed(header)} is {_needed(options)}; "
            "say which it is with --text-column (in Python, text_column)"
        )
    return found


def _names_by_role(
    options: ReadOptions, usual: Mapping[str, tuple[str, ...]]
) -> dict[str, tuple[str, ...]]:
    """A field that is analysed under its own name is not another role's column."""
    own = {field: (field,) for field in options.fields if field not in NAMES}
    others = {
        role: tuple(name for name in names if name == role or name not in options.fields)
        for role, names in usual.items()
    }
    return own | others


def _needed(options: ReadOptions) -> str:
    if "text" in options.fields:
        return "named like a text"
    return f"named like a field that is analysed ({listed(options.fields)})"


def rename(columns: Sequence[str], by_role: Mapping[str, str]) -> list[str]:
    """Each column's key in the record: its role, or its own name made unique."""
    roles = {column: role for role, column in by_role.items()}
    taken = set(by_role)
    used: dict[str, int] = {}
    names: list[str] = []
    for number, column in enumerate(columns, 1):
        names.append(roles.pop(column, "") or _unique(column or f"column_{number}", taken, used))
        taken.add(names[-1])
    return names


def mapper(options: ReadOptions, roles: Iterable[str] = (), *, cells: bool = False) -> Mapper:
    """Gives canonical names to all but roles that are filled and what is analysed by its name."""
    filled = (*roles, *options.columns)
    return Mapper(options.fields, filled, cells=cells, id_column=options.id_column)


def _unique(name: str, taken: set[str], used: dict[str, int]) -> str:
    """The name, or with the next number that is free; `used` has the last one of each name."""
    unique, number = name, used.get(name, 1)
    while unique in taken:
        number += 1
        unique = f"{name}_{number}"
    used[name] = number
    return unique


def listed(header: Sequence[str]) -> str:
    """The names of columns; of many, the first ones and how many more there are."""
    names = ", ".join(cut(name) for name in header[:MOST_LISTED])
    more = len(header) - MOST_LISTED
    return f"{names} and {more:,} more" if more > 0 else names


def cut(value: str) -> str:
    """A text that somebody gave, in quotes; the beginning of a long one."""
    return repr(value if len(value) <= LONGEST_SHOWN else f"{value[: LONGEST_SHOWN - 1]}…")


def names_of(field: str, options: ReadOptions) -> tuple[str, ...]:
    """The keys under which a field is looked for; none that is a field of its own."""
    names = NAMES.get(field, (field,)) if field not in options.columns else (field,)
    return tuple(name for name in names if name == field or name not in options.fields)


def texts_of(values: Mapping[str, Any], options: ReadOptions) -> list[str]:
    """What is analysed of a record: one text for each field."""
    return _texts(values, [names_of(field, options) for field in options.fields])


def _texts(values: Mapping[str, Any], names: Sequence[Sequence[str]]) -> list[str]:
    return [as_text(values.get(key_of(values, keys))) for keys in names]


class Entry(NamedTuple):
    """One document's values, and where it comes from."""

    source: str
    line: int
    values: Mapping[str, Any]


class _Encoded(NamedTuple):
    entry: Entry
    id: str
    texts: list[str]
    record: bytes


def batches(entries: Iterable[Entry], options: ReadOptions, problems: Problems) -> Iterator[Batch]:
    """Batches of about options.batch_bytes; what cannot be kept as JSON is reported."""
    names = [names_of(field, options) for field in options.fields]
    ids = ("id",) if "id" in options.columns else ID_NAMES

    def encode(entry: Entry) -> _Encoded | None:
        try:
            encoded = _encode(entry, names, ids)
            problems.labels.add(entry.values)
            return encoded
        except (TypeError, ValueError, RecursionError) as error:
            problems.report(place(entry.source, entry.line), str(error))
            return None

    found = filter(None, map(encode, entries))
    for group in groups(found, lambda one: len(one.record), options.batch_bytes):
        yield _batch(group)


def groups(items: Iterable[T], size: Callable[[T], int], limit: int) -> Iterator[list[T]]:
    """Items in lists, each ended as soon as its sizes add up to the limit."""
    group: list[T] = []
    total = 0
    for item in items:
        group.append(item)
        total += size(item)
        if total >= limit:
            yield group
            group, total = [], 0
    if group:
        yield group


def _encode(entry: Entry, names: Sequence[Sequence[str]], ids: Sequence[str]) -> _Encoded:
    values = entry.values
    texts = _texts(values, names)
    id = id_text(values.get(key_of(values, ids))) or lasting_id(values) or content_id(texts)
    return _Encoded(entry, id, texts, msgspec.json.encode({**values, "id": id}) + b"\n")


def _batch(group: list[_Encoded]) -> Batch:
    return Batch(
        ids=[one.id for one in group],
        texts=[list(field) for field in zip(*(one.texts for one in group), strict=True)],
        records=b"".join(one.record for one in group),
        ends=np.cumsum([len(one.record) for one in group], dtype=np.uint64),
        sources=[one.entry.source for one in group],
        lines=np.array([one.entry.line for one in group], np.int64),
    )


class RecordDecoder:
    """Decodes only the keys of a JSON object that matter: several times as fast as all of them."""

    def __init__(self, options: ReadOptions, others: Iterable[str] | None = None) -> None:
        """If `others` are given, `decode_lines` refuses objects with more keys than these."""
        columns = options.columns
        ids = (columns["id"],) if "id" in columns else ID_NAMES
        fields = [
            (columns[field],) if field in columns else names_of(field, options)
            for field in options.fields
        ]
        self.id_keys, self.field_keys = ids, fields
        self._text_keys = list(dict.fromkeys(key for keys in fields for key in keys))
        keys = list(dict.fromkeys([*ids, *self._text_keys]))
        attributes = {key: f"key{number}" for number, key in enumerate(keys)}

        def getters(keys: Sequence[str]) -> Getters:
            return [attrgetter(attributes[key]) for key in keys]

        self._ids = getters(ids)
        self._fields = [getters(keys) for keys in fields]
        self._texts = getters(self._text_keys)
        self.keys = frozenset(keys)
        decoder = _decoder(attributes, texts=set(self._text_keys))
        self.decode = decoder.decode
        if others is not None:
            decoder = _decoder(attributes, set(self._text_keys), [*{*others} - self.keys])
        self.decode_lines = decoder.decode_lines

    def ids_and_texts(
        self, documents: list[Any], record: Callable[[int], bytes]
    ) -> tuple[list[str], list[list[str]]]:
        """The documents' ids, and one list of texts for each field; `record` is asked if needed."""
        texts = self.texts(documents)
        ids = _column(documents, self._ids)
        if not set(map(type, ids)) <= {str}:
            ids = list(map(id_text, ids))
        if not all(ids):
            rows = zip(ids, zip(*texts, strict=True), strict=True)
            ids = [
                id or lasting_id(values_of(record(i))) or content_id(row)
                for i, (id, row) in enumerate(rows)
            ]
        return ids, texts

    def texts(self, documents: list[Any]) -> list[list[str]]:
        """One list of texts for each field."""
        columns = (_column(documents, getters) for getters in self._fields)
        return [
            column if set(map(type, column)) <= {str} else list(map(as_text, column))
            for column in columns
        ]

    def blanks(self, documents: list[Any]) -> list[int]:
        """The documents that have nothing in any field."""
        last = list(map(self._fields[-1][0], documents))
        if all(last):
            return []
        return [
            i
            for i, document in enumerate(documents)
            if not last[i] and not any(getter(document) for getter in self._texts)
        ]

    def lacks_text(self, record: bytes) -> bool:
        """Whether none of the fields is there, not even empty."""
        return values_of(record).keys().isdisjoint(self._text_keys)


def _decoder(
    attributes: dict[str, str], texts: set[str], others: Sequence[str] | None = None
) -> msgspec.json.Decoder[Any]:
    text = Scalar | list[Scalar] | None
    fields: list[Any] = [
        (attribute, text if key in texts else str | int | None, None)
        for key, attribute in attributes.items()
    ]
    keys = {attribute: key for key, attribute in attributes.items()}
    for number, key in enumerate(others or ()):
        fields.append((f"other{number}", msgspec.Raw, msgspec.Raw()))
        keys[f"other{number}"] = key
    closed = others is not None
    try:
        line = msgspec.defstruct(
            "Line", fields, rename=keys, gc=False, forbid_unknown_fields=closed
        )
    except ValueError as error:
        raise UsageError(f"cannot analyse all of the fields {', '.join(texts)}: {error}") from error
    return msgspec.json.Decoder(line)


def _column(documents: list[Any], getters: Getters) -> list[Any]:
    """Each document's first value that is not empty."""
    column = list(map(getters[0], documents))
    for getter in getters[1:]:
        if all(column):
            break
        others = map(getter, documents)
        column = [b if a in EMPTY else a for a, b in zip(column, others, strict=True)]
    return column
