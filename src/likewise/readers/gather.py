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


def gather(
    entries: Iterable[Entry], options: ReadOptions, problems: Problems, unit: str = "line"
) -> Iterator[Batch]:
    """Batches of about options.batch_bytes; what cannot be kept as JSON is reported."""
    names = [names_of(field, options) for field in options.fields]
    made: list[_Made] = []
    size = 0
    for entry in entries:
        try:
            made.append(_make(entry, names))
        except (TypeError, ValueError, RecursionError) as error:
            problems.report(place(entry.source, entry.line, unit), str(error))
            continue
        size += len(made[-1].record)
        if size >= options.batch_bytes:
            yield _batch(made, unit)
            made, size = [], 0
    if made:
        yield _batch(made, unit)


def names_of(field: str, options: ReadOptions) -> tuple[str, ...]:
    """The keys a field is looked for under; none that is a field of its own."""
    names = NAMES.get(field, (field,)) if field not in options.columns else (field,)
    return tuple(name for name in names if name == field or name not in options.fields)


def _make(entry: Entry, names: Sequence[Sequence[str]]) -> _Made:
    values = entry.values
    texts = [as_text(values.get(key_of(values, keys))) for keys in names]
    id = id_text(values.get(key_of(values, ID_NAMES))) or content_id(texts)
    return _Made(entry, id, texts, msgspec.json.encode({**values, "id": id}) + b"\n")


def _batch(made: list[_Made], unit: str) -> Batch:
    return Batch(
        ids=[one.id for one in made],
        texts=[list(field) for field in zip(*(one.texts for one in made), strict=True)],
        records=b"".join(one.record for one in made),
        ends=np.cumsum([len(one.record) for one in made], dtype=np.uint64),
        sources=[one.entry.source for one in made],
        lines=np.array([one.entry.line for one in made], np.int64),
        unit=unit,
    )
