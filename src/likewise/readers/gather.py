"""Documents one by one into batches: the way of every reader but the fast one for JSONL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from likewise.document import ID_NAMES, NAMES, as_text, content_id, id_text, key_of
from likewise.readers.batch import Batch, place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from likewise.readers.options import ReadOptions
    from likewise.readers.problems import Problems


class Entry(NamedTuple):
    """One document's values, and where it comes from."""

    source: str
    line: int
    values: Mapping[str, Any]


class _Made(NamedTuple):
    entry: Entry
    id: str
    texts: list[str]
    record: bytes


def gather(entries: Iterable[Entry], options: ReadOptions, problems: Problems) -> Iterator[Batch]:
    """Batches of about options.batch_bytes; what cannot be kept as JSON is reported."""
    names = [names_of(field, options) for field in options.fields]
    ids = ("id",) if "id" in options.columns else ID_NAMES
    made: list[_Made] = []
    size = 0
    for entry in entries:
        try:
            made.append(_make(entry, names, ids))
        except (TypeError, ValueError, RecursionError) as error:
            problems.report(place(entry.source, entry.line), str(error))
            continue
        size += len(made[-1].record)
        if size >= options.batch_bytes:
            yield _batch(made)
            made, size = [], 0
    if made:
        yield _batch(made)


def names_of(field: str, options: ReadOptions) -> tuple[str, ...]:
    """The keys a field is looked for under; none that is a field of its own."""
    names = NAMES.get(field, (field,)) if field not in options.columns else (field,)
    return tuple(name for name in names if name == field or name not in options.fields)


def texts_of(values: Mapping[str, Any], options: ReadOptions) -> list[str]:
    """What is analysed of a record, a text for each field."""
    return _texts(values, [names_of(field, options) for field in options.fields])


def _texts(values: Mapping[str, Any], names: Sequence[Sequence[str]]) -> list[str]:
    return [as_text(values.get(key_of(values, keys))) for keys in names]


def _make(entry: Entry, names: Sequence[Sequence[str]], ids: Sequence[str]) -> _Made:
    values = entry.values
    texts = _texts(values, names)
    id = id_text(values.get(key_of(values, ids))) or content_id(texts)
    return _Made(entry, id, texts, msgspec.json.encode({**values, "id": id}) + b"\n")


def _batch(made: list[_Made]) -> Batch:
    return Batch(
        ids=[one.id for one in made],
        texts=[list(field) for field in zip(*(one.texts for one in made), strict=True)],
        records=b"".join(one.record for one in made),
        ends=np.cumsum([len(one.record) for one in made], dtype=np.uint64),
        sources=[one.entry.source for one in made],
        lines=np.array([one.entry.line for one in made], np.int64),
    )
