"""Embeddings of an index' documents, made by a model or brought, and how they get into it."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

import msgspec
import numpy as np
from xxhash import xxh3_64_intdigest

from likewise.document import as_text, key_of, values_of
from likewise.errors import UsageError
from likewise.readers.options import ReadOptions
from likewise.readers.records import names_of
from likewise.store.disk import WriteLock, writing
from likewise.store.manifest import ViewEntry
from likewise.store.segment import Segment, write_rows
from likewise.store.transaction import Transaction
from likewise.store.views import kept_centre, write_centre
from likewise.views import EMBEDDINGS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from likewise.store.manifest import Manifest, SegmentEntry

    Keys = NDArray[np.uint64]
    Numbers = NDArray[np.int64]
    Rows = NDArray[np.float32]

FILE, LOCK = "embedding.part", "embedding.lock"
UNIT = 1e-3  # what the square of a vector's length may differ from 1
BLOCK = 2048  # documents whose texts or vectors are in memory at a time


class Header(msgspec.Struct, frozen=True):
    """The model that makes the vectors."""

    name: str
    place: str
    probe: tuple[float, ...]
    dimensions: int


class Encoded:
    """Vectors that a model has made so far, on disk beside an index: an interruption loses little.

    `with Encoded(directory, header) as made:` goes on with what that model made, or begins. The
    file has a header of one line of JSON, then a key of 64 bits and a vector for each text, in the
    order in which they were made. The key is a digest of the text, so the vectors are good for
    whatever has become of the documents meanwhile. What a crash has left half written is no vector
    of unit length.
    """

    def __init__(self, directory: Path, header: Header, *, again: bool) -> None:
        self._path, self._lock = directory / FILE, WriteLock(directory / LOCK)
        self._header, self._again = header, again

    def __enter__(self) -> Self:
        self._lock.__enter__()
        try:
            self._open()
        except BaseException:
            self._lock.__exit__()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()
        self._lock.__exit__(*error)

    def __len__(self) -> int:
        return len(self._places)

    def add(self, keys: Keys, vectors: Rows) -> None:
        """Keep some vectors, at once."""
        records = np.empty(len(keys), self._type)
        records["key"], records["vector"] = keys, vectors
        with writing(self._path):
            self._file.write(records.tobytes())
            self._file.flush()
        first = self._records
        self._records += len(records)
        self._places.update(zip(keys.tolist(), range(first, self._records), strict=True))

    def __contains__(self, key: int) -> bool:
        return key in self._places

    def places(self, keys: Keys) -> NDArray[np.int64]:
        """Where the vectors of these texts are, -1 for what there is none of."""
        found = (self._places.get(key, -1) for key in keys.tolist())
        return np.fromiter(found, np.int64, len(keys))

    def vectors(self, places: NDArray[np.int64]) -> Rows:
        return np.array(self._mapped()["vector"][places], np.float32)

    def remove(self) -> None:
        """When all of them are in the index."""
        with suppress(OSError):  # it takes space but does no harm
            self._path.unlink(missing_ok=True)

    def _open(self) -> None:
        there = read_header(self._path.parent)
        line = msgspec.json.encode(self._header) + b"\n"
        self._type = np.dtype([("key", "<u8"), ("vector", "<f4", (self._header.dimensions,))])
        self._places: dict[int, int] = {}
        self._records = 0
        with writing(self._path):
            if there is None or not self._again:
                self._file = self._path.open("w+b")
                self._file.write(line)
                self._start = len(line)
                return
            self._file = self._path.open("r+b")
            self._start = len(self._file.readline())
            size = os.fstat(self._file.fileno()).st_size - self._start
            self._records = max(size, 0) // self._type.itemsize
            self._file.seek(self._start + self._records * self._type.itemsize)
            self._file.truncate()
        self._read_keys()

    def _read_keys(self, block: int = 8192) -> None:
        for first in range(0, self._records, block):
            some = self._mapped()[first : first + block]
            rows = some["vector"].astype(np.float64)
            whole = np.abs(np.einsum("ij,ij->i", rows, rows) - 1) < UNIT
            for place in np.flatnonzero(whole).tolist():
                self._places[int(some["key"][place])] = first + place

    def _mapped(self) -> NDArray[np.void]:
        if not self._records:
            return np.zeros(0, self._type)
        self._file.flush()
        return np.memmap(self._path, self._type, "r", self._start, (self._records,))


def read_header(directory: Path) -> Header | None:
    """The model whose work was interrupted, if any was."""
    try:
        with (directory / FILE).open("rb") as file:
            return msgspec.json.decode(file.readline(1 << 16), type=Header)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None


def keys_of(texts: Sequence[str]) -> Keys:
    found = (xxh3_64_intdigest(text.encode("utf-8", "surrogatepass")) for text in texts)
    return np.fromiter(found, np.uint64, len(texts))


class TextBlock(NamedTuple):
    """Neighbouring documents of a segment: their places in it and their texts."""

    places: Numbers
    texts: list[str]


class Brought(NamedTuple):
    """How many documents were given a vector, and how many others kept or lost the one they had."""

    given: int
    kept: int = 0
    lost: int = 0


class Vectors(Protocol):
    """Unit vectors by their places; of made ones more are on disk than fit into memory."""

    def vectors(self, places: Numbers, /) -> Rows: ...


class Texts:
    """What a model is given of documents: the fields that are analysed, one a line."""

    def __init__(self, fields: Sequence[str]) -> None:
        options = ReadOptions(fields=tuple(fields))
        self._names = [names_of(field, options) for field in options.fields]

    def of(self, record: bytes | memoryview) -> str:
        values = values_of(record)
        return joined([_text(values.get(key_of(values, names))) for names in self._names])

    def blocks(self, segment: Segment, *, missing: bool) -> Iterator[TextBlock]:
        """The live documents, or those of them that have no embedding."""
        dead = segment.deleted_mask()
        for first in range(0, segment.documents, BLOCK):
            last = min(first + BLOCK, segment.documents)
            wanted = ~dead[first:last]
            if missing:
                wanted &= ~segment.view(EMBEDDINGS).at(slice(first, last)).any(axis=1)
            places = first + np.flatnonzero(wanted)
            yield TextBlock(places, [segment.read(place, self.of) for place in places.tolist()])


def joined(texts: Sequence[str]) -> str:
    """A document's fields as one text."""
    return "\n".join(filter(None, texts)).strip()


def segments_to_embed(manifest: Manifest, *, missing: bool) -> list[SegmentEntry]:
    """The segments that have documents to embed."""
    return [s for s in manifest.segments if not missing or s.views[EMBEDDINGS].later]


def write(
    directory: Path, texts: Texts, made: Encoded, header: Header, *, missing: bool
) -> Manifest:
    """Put vectors made of all documents, or of those that had none, into the index.

    Documents that have come meanwhile, and are not among those made, have none.
    """
    with Transaction(directory, shards=True) as change:
        view = change.manifest.views.get(EMBEDDINGS)
        if missing and (view is None or view.probe != header.probe):
            raise UsageError(f"{directory} got other embeddings meanwhile: embed again")
        found = {
            entry.file: _places(Segment(directory, entry), texts, made, missing=missing)
            for entry in segments_to_embed(change.manifest, missing=missing)
        }
        if view is None or not missing:
            centre = _mean(found.values(), made, header.dimensions)
            view = _new_view(change, header, centre)
        else:
            centre = kept_centre(directory, change.manifest)
        entries = [
            _filled(change, entry, found[entry.file], made, (view, centre), keep=missing)
            if entry.file in found
            else entry
            for entry in change.manifest.segments
        ]
        documents = sum(entry.live - entry.views[EMBEDDINGS].later for entry in entries)
        change.views[EMBEDDINGS] = msgspec.structs.replace(
            view, documents=documents, model=header.place
        )
        return change.commit(entries)


def bring(
    directory: Path,
    generation: int,
    numbers: Numbers,
    rows: Rows,
    source: tuple[str, bool],
    *,
    replace: bool = False,
) -> Brought:
    """Put unit vectors into the index, of the documents with these numbers in a generation.

    They join vectors that were brought earlier, unless there is one for every document, or those
    have other dimensions or another source, which `source` has with whether a user has named it.
    """
    name, named = source
    with Transaction(directory, shards=True) as change:
        manifest = change.manifest
        if manifest.generation != generation:
            raise UsageError(f"{directory} was changed meanwhile: bring the embeddings again")
        view = manifest.views.get(EMBEDDINGS)
        keep = (
            view is not None
            and not replace
            and len(numbers) < manifest.documents
            and _is_like(view, rows.shape[1], name if named else None)
        )
        found = _places_of(directory, manifest.segments, numbers)
        others = 0 if view is None else sum(_having(directory, *one) for one in found)
        made = _InMemory(rows)
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
        entries = [_filled(change, *one, made, (view, centre), keep=keep) for one in found]
        documents = sum(entry.live - entry.views[EMBEDDINGS].later for entry in entries)
        change.views[EMBEDDINGS] = msgspec.structs.replace(view, documents=documents)
        change.commit(entries)
    return Brought(len(numbers), *((others, 0) if keep else (0, others)))


def _is_like(view: ViewEntry, dimensions: int, source: str | None) -> bool:
    """Whether a view holds vectors that were brought, of so many dimensions, from this source."""
    return not view.probe and view.dimensions == dimensions and source in (None, view.source)


class _InMemory:
    """Vectors in memory."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def vectors(self, places: Numbers, /) -> Rows:
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
        rows = segment.view(EMBEDDINGS).at(slice(first, first + BLOCK))
        count += int(np.count_nonzero(rows.any(axis=1) & others[first : first + BLOCK]))
    return count


def _new_view(change: Transaction, header: Header, centre: Rows) -> ViewEntry:
    """It keeps the precision of the one that it replaces."""
    file, size = write_centre(change, centre)
    there = change.views.get(EMBEDDINGS)
    return ViewEntry(
        header.dimensions,
        0,
        source=header.name,
        probe=header.probe,
        file=file,
        bytes=size,
        precision=there.precision if there else "float32",
    )


def _places(segment: Segment, texts: Texts, made: Encoded, *, missing: bool) -> Numbers:
    """Where the vector of each document of a segment is among those made, or -1."""
    found = np.full(segment.documents, -1, np.int64)
    for some in texts.blocks(segment, missing=missing):
        found[some.places] = made.places(keys_of(some.texts))
    segment.release()
    return found


def _mean(found: Iterable[Numbers], made: Vectors, dimensions: int) -> Rows:
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
    into: tuple[ViewEntry, Rows],
    *,
    keep: bool,
) -> SegmentEntry:
    """A segment with its rows of a view, which has a centre: those made and, to be kept, those
    that it had.
    """
    view, centre = into
    segment = Segment(change.directory, entry)
    without = ~segment.deleted_mask() & (places < 0)

    def blocks() -> Iterator[NDArray[np.float32]]:
        for first in range(0, max(len(places), 1), BLOCK):
            some = places[first : first + BLOCK]
            rows = np.zeros((len(some), len(centre)), np.float32)
            if keep:
                kept = segment.view(EMBEDDINGS, len(centre))
                rows[:] = kept.at(slice(first, first + BLOCK))
                without[first : first + BLOCK] &= ~rows.any(axis=1)
            vectors = made.vectors(some[some >= 0])
            rows[some >= 0] = np.where(vectors.any(axis=1, keepdims=True), vectors - centre, 0)
            yield rows

    rows = write_rows(change, blocks(), entry.documents, view.precision)
    rows = msgspec.structs.replace(rows, later=int(np.count_nonzero(without)))
    return msgspec.structs.replace(entry, views={**entry.views, EMBEDDINGS: rows})


def _text(value: Any) -> str:
    """What could not be analysed is nothing to a model, either."""
    try:
        return as_text(value)
    except TypeError:
        return ""
