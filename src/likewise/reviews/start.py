"""What a session began with, stored so that it goes on without the files it was given."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from likewise.document import Document, Text, values_of
from likewise.errors import InputError, StoreError, UsageError, sentence
from likewise.feedback import Start
from likewise.readers import Problems, ReadOptions, read
from likewise.search.examples import each
from likewise.search.keywords import parse

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from likewise.feedback.documents import Documents
    from likewise.search.examples import Example, Examples


class StoredExample(msgspec.Struct, frozen=True, omit_defaults=True):
    """One example: a document of the index by its id, raw text, or a document as it was given."""

    id: str | None = None
    text: str | None = None
    document: dict[str, Any] | None = None


class StoredStart(msgspec.Struct, frozen=True):
    words: str | None = None
    examples: tuple[StoredExample, ...] = ()
    unlike: tuple[StoredExample, ...] = ()

    def __bool__(self) -> bool:
        return self.words is not None or bool(self.examples) or bool(self.unlike)

    @property
    def ids(self) -> list[str]:
        """Documents of the index that it names."""
        return [one.id for one in (*self.examples, *self.unlike) if one.id is not None]


def stored(
    words: str | None, examples: Examples, unlike: Examples, fields: Sequence[str]
) -> StoredStart:
    """Read what was given; files are read now, since they may not be there later."""
    if words is not None and not words.strip():
        raise UsageError("the query is empty: give words, examples, or leave it out")
    if words is not None and (without := parse(words).without):
        raise UsageError(
            f"-{without[0]} does not leave records out of a review, which ranks all of them: "
            "give words without a minus"
        )
    options = ReadOptions(fields=tuple(fields))
    sides = (
        tuple(one for example in each(side) for one in _stored(example, options))
        for side in (examples, unlike)
    )
    return StoredStart(words, *sides)


def encode(start: StoredStart) -> str:
    try:
        return msgspec.json.encode(start).decode()
    except (TypeError, ValueError) as error:
        raise InputError(f"an example cannot be kept as JSON: {error}") from error


def decode(text: str, name: str) -> StoredStart:
    try:
        return msgspec.json.decode(text, type=StoredStart)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise StoreError(
            f"what session {name!r} began with is damaged ({sentence(error)}): "
            "put back a copy of the database, or begin another session"
        ) from error


def restored(start: StoredStart, documents: Documents) -> Start:
    """For the ranker; examples whose documents have left the index are passed over."""
    gone = set(start.ids).difference(documents.present(start.ids))
    sides = (
        [_example(one) for one in side if one.id not in gone]
        for side in (start.examples, start.unlike)
    )
    return Start(start.words, *sides)


def _stored(example: Example, options: ReadOptions) -> Iterator[StoredExample]:
    if isinstance(example, str):
        yield StoredExample(id=example)
    elif isinstance(example, Text):
        yield StoredExample(text=example.text)
    elif isinstance(example, Document):
        yield StoredExample(document=example.values())
    elif isinstance(example, Mapping):
        yield StoredExample(document=dict(example))
    elif isinstance(example, Path):
        yield from _read(example, options)
    else:
        raise UsageError(f"{example!r} is no example: give an id, a Path, Text(...) or a Document")


def _read(path: Path, options: ReadOptions) -> Iterator[StoredExample]:
    problems = Problems()
    for batch in read(path, options, problems):
        for i, id in enumerate(batch.ids):
            yield StoredExample(document={"id": id, **values_of(batch.record(i))})
    for problem in problems.listed:
        raise InputError(str(problem))


def _example(stored: StoredExample) -> Example:
    if stored.id is not None:
        return stored.id
    return Text(stored.text) if stored.text is not None else stored.document or {}
