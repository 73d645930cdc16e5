"""What a session began with, kept so that it can go on without the files it was given."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from likewise.document import Document, Text, values_of
from likewise.errors import InputError, StoreError, UsageError
from likewise.feedback import Start
from likewise.readers import Problems, ReadOptions, read
from likewise.search.examples import each

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from likewise.search.examples import Example, Examples
    from likewise.store.snapshot import Snapshot


class Kept(msgspec.Struct, frozen=True, omit_defaults=True):
    """One example: a document of the index by its id, raw text, or a document as it was given."""

    id: str | None = None
    text: str | None = None
    document: dict[str, Any] | None = None


class KeptStart(msgspec.Struct, frozen=True):
    words: str | None = None
    examples: tuple[Kept, ...] = ()
    unlike: tuple[Kept, ...] = ()

    def __bool__(self) -> bool:
        return self.words is not None or bool(self.examples) or bool(self.unlike)

    @property
    def ids(self) -> list[str]:
        """Documents of the index that it names."""
        return [one.id for one in (*self.examples, *self.unlike) if one.id is not None]


def keep(
    words: str | None, examples: Examples, unlike: Examples, fields: Sequence[str]
) -> KeptStart:
    """Read what was given; files are read now, since they may not be there later."""
    if words is not None and not words.strip():
        raise UsageError("the query is empty: give words, examples, or leave it out")
    options = ReadOptions(fields=tuple(fields))
    sides = (
        tuple(kept for example in each(side) for kept in _kept(example, options))
        for side in (examples, unlike)
    )
    return KeptStart(words, *sides)


def encode(start: KeptStart) -> str:
    try:
        return msgspec.json.encode(start).decode()
    except (TypeError, ValueError) as error:
        raise InputError(f"an example cannot be kept as JSON: {error}") from error


def decode(text: str, name: str) -> KeptStart:
    try:
        return msgspec.json.decode(text, type=KeptStart)
    except msgspec.MsgspecError as error:
        raise StoreError(f"what session {name!r} began with is damaged: {error}") from error


def begin(start: KeptStart, snapshot: Snapshot) -> Start:
    """For the ranker; examples whose documents have left the index are passed over."""
    ids = start.ids
    numbers = snapshot.numbers(ids).tolist()
    gone = {id for id, number in zip(ids, numbers, strict=True) if number < 0}
    sides = (
        [_example(one) for one in side if one.id not in gone]
        for side in (start.examples, start.unlike)
    )
    return Start(start.words, *sides)


def _kept(example: Example, options: ReadOptions) -> Iterator[Kept]:
    if isinstance(example, str):
        yield Kept(id=example)
    elif isinstance(example, Text):
        yield Kept(text=example.text)
    elif isinstance(example, Document):
        yield Kept(document=example.values())
    elif isinstance(example, Mapping):
        yield Kept(document=dict(example))
    elif isinstance(example, Path):
        yield from _read(example, options)
    else:
        raise UsageError(f"{example!r} is no example: give an id, a Path, Text(...) or a Document")


def _read(path: Path, options: ReadOptions) -> Iterator[Kept]:
    problems = Problems()
    for batch in read(path, options, problems):
        for i, id in enumerate(batch.ids):
            yield Kept(document={"id": id, **values_of(batch.record(i))})
    for problem in problems.listed:
        raise InputError(str(problem))


def _example(kept: Kept) -> Example:
    if kept.id is not None:
        return kept.id
    return Text(kept.text) if kept.text is not None else kept.document or {}
