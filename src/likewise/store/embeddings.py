"""Embeddings of an index' documents, made by a model or brought, and how they get into it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import msgspec
import numpy as np

from likewise.document import as_text, key_of, values_of
from likewise.errors import UsageError
from likewise.readers.options import ReadOptions
from likewise.readers.records import names_of
from likewise.store.encoded import Header, keys_of
from likewise.store.manifest import ViewEntry
from likewise.store.segment import Segment
from likewise.store.transaction import Transaction
from likewise.store.view_files import kept_centre, write_centre, write_rows
from likewise.views import EMBEDDINGS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from likewise.store.encoded import Encoded
    from likewise.store.manifest import Manifest, SegmentEntry

    Numbers = NDArray[np.int64]
    Row = NDArray[np.float32]

BLOCK = 2048  # documents whose texts or vectors are in memory at a time


class Some(NamedTuple):
    """Neighbours in a segment: their places in it and their texts."""

    places: Numbers
    texts: list[str]


class Brought(NamedTuple):
    """How many documents were given a vector, and how many others kept or lost the one they had."""

    given: int
    kept: int = 0
    lost: int = 0


class Vectors(Protocol):
    """Unit vectors by their places; of made ones more are on disk than fit into memory."""

    def vectors(self, places: Numbers, /) -> Row: ...


class Texts:
    """What a model is given of documents: the fields that are analysed, one a line."""

    def __init__(self, fields: Sequence[str]) -> None:
        options = ReadOptions(fields=tuple(fields))
        self._names = [names_of(field, options) for field in options.fields]

    def of(self, record: bytes | memoryview) -> str:
        values = values_of(record)
        return joined([_text(values.get(key_of(values, names))) for names in self._names])

    def blocks(self, segment: Segment, *, missing: bool) -> Iterator[Some]:
        """The live documents, or those of them that have no embedding."""
        dead = segment.deleted_mask()
        for first in range(0, segment.documents, BLOCK):
            last = min(first + BLOCK, segment.documents)
            wanted = ~dead[first:last]
            if missing:
                wanted &= ~segment.view(EMBEDDINGS)[first:last].any(axis=1)
            places = first + np.flatnonzero(wanted)
            records = (segment.records(place, place + 1).data for place in places.tolist())
            yield Some(places, [self.of(record) for record in records])


def joined(texts: Sequence[str]) -> str:
    """A document's fields as one text."""
    return "\n".join(filter(None, texts)).strip()


def wanting(manifest: Manifest, *, missing: bool) -> list[SegmentEntry]:
    """The segments that have documents to embed."""
    return [s for s in manifest.segments if not missing or s.views[EMBEDDINGS].later]


def write(
    directory: Path, texts: Texts, made: Encoded, header: Header, *, missing: bool
) -> Manifest:
    """Put vectors made of all documents, or of those that had none, into the index.

    Documents that have come meanwhile, and are not among those made, have none.
    """
    with Transaction(directory) as change:
        view = change.manifest.views.get(EMBEDDINGS)
        if missing and (view is None or view.probe != header.probe):
            raise UsageError(f"{directory} got other embeddings meanwhile: embed again")
        found = {
            entry.file: _places(Segment(directory, entry), texts, made, missing=missing)
            for entry in wanting(change.manifest, missing=missing)
        }
        if view is None or not missing:
            centre = _mean(found.values(), made, header.dimensions)
            view = _new_view(change, header, centre)
        else:
            centre = kept_centre(directory, change.manifest)
        entries = [
            _filled(change, entry, found[entry.file], made, centre, keep=missing)
            if entry.file in found
            else entry
            for entry in change.manifest.segments
        ]
        documents = sum(entry.live - entry.views[EMBEDDINGS].later for entry in entries)
        change.views[EMBEDDINGS] = msgspec.structs.replace(
            view, documents=documents, model=header.place
        )
        return change.commit(entries, change.manifest.kind)


def bring(
    directory: Path,
    generation: int,
    numbers: Numbers,
    rows: Row,
    source: tuple[str, bool],
    *,
    replace: bool = False,
) -> Brought:
    """Put unit vectors into the index, of the documents with these numbers in a generation.

    They join vectors that were brought earlier, unless there is one for every document, or those
    have other dimensions or another source, which `source` has with whether a user has named it.
    """
    name, named = source
    with Transaction(directory) as change:
        manifest = change.manifest
        if manifest.generation != generation:
            raise UsageError(f"{directory} was changed meanwhile: bring the embeddings again")
        view = manifest.views.get(EMBEDDINGS)
        keep = (
            view is not None
            and not replace
            and not view.probe
            and view.dimensions == rows.shape[1]
            and len(numbers) < manifest.documents
            and (not named or view.source == name)
        )
        found = _places_of(directory, manifest.segments, numbers)
        others = 0 if view is None else sum(_having(directory, *one) for one in found)
        made = _Given(rows)
        if view is None or not keep:
            centre = _mean([places for _, places in found], made, rows.shape[1])
            view = _new_view(change, Header(name, "", (), rows.shape[1]), centre)
        elif view.file is None:
            raise UsageError(
                f"the embeddings of {directory} were brought without their centre, by an earlier "
                "version: bring those of all documents, or replace them (replace=True, --replace)"
            )
        else:
            centre = kept_centre(directory, manifest)
        entries = [_filled(change, *one, made, centre, keep=keep) for one in found]
        documents = sum(entry.live - entry.views[EMBEDDINGS].later for entry in entries)
        change.views[EMBEDDINGS] = msgspec.structs.replace(view, documents=documents)
        change.commit(entries, manifest.kind)
    return Brought(len(numbers), *((others, 0) if keep else (0, others)))


class _Given:
    """Vectors in memory."""

    def __init__(self, rows: Row) -> None:
        self._rows = rows

    def vectors(self, places: Numbers, /) -> Row:
        return self._rows[places]


def _places_of(
    directory: Path, segments: Sequence[SegmentEntry], numbers: Numbers
) -> list[tuple[SegmentEntry, Numbers]]:
    """Of each segment, where the vector of each document is among those given, or -1."""
    found, first = [], 0
    for entry in segments:
        segment = Segment(directory, entry)
        which = np.flatnonzero((first <= numbers) & (numbers < first + entry.live))
        live = numbers[which] - first
        places = np.full(entry.documents, -1, np.int64)
        places[live if segment.live is None else segment.live[live]] = which
        found.append((entry, places))
        first += entry.live
    return found


def _having(directory: Path, entry: SegmentEntry, places: Numbers) -> int:
    """How many live documents have an embedding, but for those that are given one."""
    segment, count = Segment(directory, entry), 0
    others = ~segment.deleted_mask() & (places < 0)
    for first in range(0, len(places), BLOCK):
        rows = segment.view(EMBEDDINGS)[first : first + BLOCK]
        count += int(np.count_nonzero(rows.any(axis=1) & others[first : first + BLOCK]))
    return count


def _new_view(change: Transaction, header: Header, centre: Row) -> ViewEntry:
    file, size = write_centre(change, centre)
    return ViewEntry(
        header.dimensions, 0, source=header.name, probe=header.probe, file=file, bytes=size
    )


def _places(segment: Segment, texts: Texts, made: Encoded, *, missing: bool) -> Numbers:
    """Where the vector of each document of a segment is among those made, or -1."""
    found = np.full(segment.documents, -1, np.int64)
    for some in texts.blocks(segment, missing=missing):
        found[some.places] = made.places(keys_of(some.texts))
    segment.release()
    return found


def _mean(found: Iterable[Numbers], made: Vectors, dimensions: int) -> Row:
    """A vector of only zeros says nothing, not even about the mean."""
    total, count = np.zeros(dimensions), 0
    for places in found:
        for first in range(0, len(places), BLOCK):
            some = places[first : first + BLOCK]
            rows = made.vectors(some[some >= 0])
            total += rows.sum(axis=0, dtype=np.float64)
            count += int(np.count_nonzero(rows.any(axis=1)))
    return (total / max(count, 1)).astype(np.float32)


def _filled(
    change: Transaction,
    entry: SegmentEntry,
    places: Numbers,
    made: Vectors,
    centre: Row,
    *,
    keep: bool,
) -> SegmentEntry:
    """A segment with its rows: those made and, to be kept, those that it had."""
    segment = Segment(change.directory, entry)
    without = ~segment.deleted_mask() & (places < 0)

    def blocks() -> Iterator[NDArray[np.float32]]:
        for first in range(0, max(len(places), 1), BLOCK):
            some = places[first : first + BLOCK]
            rows = np.zeros((len(some), len(centre)), np.float32)
            if keep:
                rows[:] = segment.view(EMBEDDINGS)[first : first + BLOCK]
                without[first : first + BLOCK] &= ~rows.any(axis=1)
            vectors = made.vectors(some[some >= 0])
            rows[some >= 0] = np.where(vectors.any(axis=1, keepdims=True), vectors - centre, 0)
            yield rows

    rows = write_rows(change, blocks(), entry.documents)
    rows = msgspec.structs.replace(rows, later=int(np.count_nonzero(without)))
    return msgspec.structs.replace(entry, views={**entry.views, EMBEDDINGS: rows})


def _text(value: Any) -> str:
    """What could not be analysed is nothing to a model, either."""
    try:
        return as_text(value)
    except TypeError:
        return ""
