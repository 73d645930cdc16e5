"""A document: an id, a text, optionally a title, and other fields.

A document is kept as one JSON object, its record. The names below say which of a record's keys
are read as its id, title and text: the first that is not empty.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec
import xxhash

from likewise.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

ID_NAMES = ("id", "_id", "doc_id", "docid", "record_id", "key")
TITLE_NAMES = ("title", "primary_title")
TEXT_NAMES = (
    "text",
    "contents",
    "abstract",
    "content",
    "body",
    "notes_abstract",
    "abstract_note",
)
EMPTY: tuple[Any, ...] = (None, "", [])
NAMES = {"id": ID_NAMES, "title": TITLE_NAMES, "text": TEXT_NAMES}


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Document:
    """`Document(id, text, title, **fields)`; without an id, a hash of title and text is the id.

    `vector` is its embedding, if it brings one: for an index, or as an example.
    """

    id: str
    text: str
    title: str
    fields: dict[str, Any]
    vector: Any = field(compare=False)

    def __init__(
        self, id: str | int | None, text: str, title: str = "", *, vector: Any = None, **fields: Any
    ) -> None:
        self._fill(id, text, title, fields, vector)

    def _fill(
        self,
        id: str | int | None,
        text: str,
        title: str,
        fields: dict[str, Any],
        vector: Any = None,
    ) -> None:
        given = id_text(id) or content_id((_displayed(title), _displayed(text)))
        values = {"id": given, "text": text, "title": title, "fields": fields, "vector": vector}
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        title = f", title={brief(_displayed(self.title), 60)!r}" if self.title else ""
        count = len(self.fields)
        more = f", and {count} field{'s' if count > 1 else ''}" if count else ""
        text = brief(_displayed(self.text), 60)
        return f"Document({brief(self.id, 60)!r}, {text!r}{title}{more})"

    @classmethod
    def from_values(cls, values: Mapping[str, Any], id: str | None = None) -> Document:
        """The document of a record's values; `id` where it is known from elsewhere."""
        used = {role: key_of(values, names) for role, names in NAMES.items()}
        taken = {*NAMES, *used.values()}
        document = cls.__new__(cls)
        document._fill(
            id_text(values.get(used["id"])) if id is None else id,
            _displayed(values.get(used["text"])),
            _displayed(values.get(used["title"])),
            {key: value for key, value in values.items() if key not in taken},
        )
        return document

    @classmethod
    def from_record(cls, record: bytes | memoryview, id: str | None = None) -> Document:
        """The document kept as this JSON object."""
        return cls.from_values(values_of(record), id)

    def values(self) -> dict[str, Any]:
        """The values of the document's record."""
        title = {"title": self.title} if self.title else {}
        return {"id": self.id, **title, "text": self.text, **self.fields}


@dataclass(frozen=True, slots=True, repr=False)
class Text:
    """Raw text given as an example, where a plain str would be a document's id.

    `vector` is its embedding, by the model that made those of the index.
    """

    text: str
    vector: Any = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise UsageError(f"the text of an example is {brief(repr(self.text), 40)}: give a str")

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Text({brief(self.text, 60)!r})"


def brief(text: str, most: int) -> str:
    """A text of at most so many characters on one line, for a repr."""
    line = " ".join(text[: 4 * most].split())
    return line if len(line) <= most and len(text) <= 4 * most else f"{line[:most]}…"


def values_of(record: bytes | memoryview) -> dict[str, Any]:
    """The values of a record."""
    try:
        return msgspec.json.decode(record, type=dict[str, Any])
    except msgspec.DecodeError:  # a number beyond a double's range, which JSON does allow
        import json

        return dict(json.loads(bytes(record)))


class Titles(msgspec.Struct, gc=False):
    """Only a record's title: the rest of it is skipped."""

    title: Any = None
    primary_title: Any = None


_decode_titles = msgspec.json.Decoder(Titles).decode


def title_of(record: bytes | memoryview) -> str:
    """The title that Document.from_record(record) has."""
    try:
        titles = _decode_titles(record)
    except msgspec.DecodeError:
        return Document.from_record(record).title
    return title_from(titles)


def title_from(titles: Titles) -> str:
    """The title to display."""
    found = titles.title
    if isinstance(found, str) and found:
        return found
    return _displayed(found if found not in EMPTY else titles.primary_title)


def key_of(values: Mapping[str, Any], names: Sequence[str]) -> str:
    """The first of the names that has a value, or the first of all."""
    if values.get(names[0]) not in EMPTY:  # as in most
        return names[0]
    return next((name for name in names if values.get(name) not in EMPTY), names[0])


def as_text(value: Any) -> str:
    """A value as text: numbers as written, lists one item a line, null as empty."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, (list, tuple)):
        return "\n".join(map(as_text, value))
    raise TypeError(f"expected text, a number or a list of them, got {type(value).__name__}")


def _displayed(value: Any) -> str:
    """Text to display, also of a value that cannot be analysed."""
    try:
        return as_text(value)
    except TypeError:
        return msgspec.json.encode(value).decode()


def id_text(value: str | int | None) -> str:
    """An id as text, empty if there is none."""
    return "" if value is None else str(value)


def content_id(texts: Iterable[str]) -> str:
    """The id of a document that came without one: the same for the same texts."""
    joined = "\0".join(texts).encode("utf-8", "surrogatepass")
    return xxhash.xxh3_128_hexdigest(joined)
