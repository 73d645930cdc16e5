"""Views beside the words: a dense vector for each document, in a latent space or an embedding.

Their rows are kept with every segment, in the same step as it; what was learned has a file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from likewise.engines import DEFAULT, engine_of
from likewise.engines.together import together
from likewise.errors import StoreError, UsageError
from likewise.store import structure
from likewise.store.container import Container, ContainerWriter, removed_on_failure
from likewise.store.dictionary import dictionaries, stored_rows
from likewise.store.disk import REBUILD
from likewise.store.kinds import kind_of
from likewise.store.manifest import ViewEntry
from likewise.store.segment import Segment, write_dense, write_rows
from likewise.store.transaction import Transaction
from likewise.views import EMBEDDINGS, LATENT, latent
from likewise.views.latent import LatentModel

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from likewise.corpus import Collection
    from likewise.store.manifest import Manifest, SegmentEntry, ViewRows
    from likewise.views.precision import DenseRows, Precision

MODEL, CENTRE = "latent", "centre"  # kinds of file
BLOCK = 8192  # documents whose rows are in memory at a time
AT_ONCE = 4  # segments folded in: one is written and on its way to the disk, another one computed
PAYS_FROM = 1000  # documents: fewer have too little to say about what goes with what
GROWTH = 2  # a space is learned anew when there are so many times the documents it is from


def wants_latent(manifest: Manifest) -> bool:
    """Whether a latent space is due: none is there where it pays, or the index has outgrown it."""
    if manifest.latent == 0 or not _has_counts(manifest):
        return False
    there = manifest.views.get(LATENT)
    if there is not None:
        return manifest.documents >= GROWTH * there.documents
    return manifest.documents >= (PAYS_FROM if manifest.latent is None else 1)


def is_stale(manifest: Manifest) -> bool:
    """Whether the latent space was learned from other documents than are there now."""
    there = manifest.views.get(LATENT)
    return there is not None and (
        there.documents != manifest.documents or later(manifest, LATENT) > 0
    )


def later(manifest: Manifest, name: str) -> int:
    """Documents that came after a view was made."""
    return sum(later_in(segment, name) for segment in manifest.segments)


def later_in(segment: SegmentEntry, name: str = EMBEDDINGS) -> int:
    """As many of a segment at most as are left of it."""
    return min(segment.views[name].later, segment.live)


def _has_counts(manifest: Manifest) -> bool:
    return manifest.kind is not None and kind_of(manifest.kind).has_counts


def learn(
    directory: Path,
    dimensions: int | None = None,
    *,
    seed: int = 0,
    threads: int = 1,
    engine: str = DEFAULT,
    precision: Precision = latent.PRECISION,
) -> Manifest:
    """Learn the latent space anew from all documents; `dimensions` also holds from now on."""
    if dimensions is not None and dimensions < 1:
        raise UsageError(f"a latent space of {dimensions} dimensions: ask for at least one")
    with Transaction(directory, shards=True) as change:
        manifest = change.manifest
        if not _has_counts(manifest):
            held = "nothing yet" if manifest.kind is None else manifest.kind
            raise UsageError(f"{directory} holds {held}: a latent space is learned from words")
        if dimensions is not None:
            change.manifest = msgspec.structs.replace(manifest, latent=dimensions)
        entries = _learned(change, manifest.segments, seed, threads, engine, precision)
        if LATENT not in change.views and LATENT not in manifest.views and dimensions is None:
            return manifest  # there was nothing to learn, as before
        return change.commit(entries)


def drop(directory: Path, name: str) -> Manifest:
    """Forget a view; no latent space is learned by itself from now on."""
    with Transaction(directory, shards=True) as change:
        change.views.pop(name, None)
        if name == LATENT:
            change.manifest = msgspec.structs.replace(change.manifest, latent=0)
        entries = [_without(entry, name) for entry in change.manifest.segments]
        return change.commit(entries)


def store_at(directory: Path, name: str, precision: Precision) -> Manifest:
    """Keep a view's rows at a precision from now on, those that are there included."""
    with Transaction(directory, shards=True) as change:
        view = change.views.get(name)
        if view is None:
            raise UsageError(f"{directory} has no {name}: there is nothing to keep as {precision}")
        if view.precision == precision:
            return change.manifest
        entries = []
        for entry in change.manifest.segments:
            blocks = _blocks(Segment(directory, entry), name, view.dimensions)
            later = entry.views[name].later
            rows = write_rows(change, blocks, entry.documents, precision, later=later)
            entries.append(_with(entry, name, rows))
        change.views[name] = msgspec.structs.replace(view, precision=precision)
        return change.commit(entries)


def complete(
    change: Transaction, entries: Sequence[SegmentEntry], threads: int, engine: str
) -> list[SegmentEntry]:
    """Give new segments their rows of every view: folded in, or 0 where nothing is known."""
    found = list(entries)
    for name, view in change.views.items():
        folding = _folding(change) if name == LATENT else None
        for i, entry in enumerate(found):
            if name in entry.views:
                continue
            if folding is not None:
                rows_there = _all_rows(change, Segment(change.directory, entry), threads, engine)
                blocks: Iterable[NDArray[np.float32] | DenseRows] = folding.blocks(
                    rows_there, entry.documents, view.precision
                )
            else:
                blocks = _zeros(entry.documents, view.dimensions)
            rows = write_rows(change, blocks, entry.documents, view.precision, later=entry.live)
            found[i] = _with(entry, name, rows)
    return found


def with_rows_of(
    change: Transaction, name: str, entry: SegmentEntry, group: Sequence[Segment]
) -> SegmentEntry:
    """A merged segment with the rows of a view that its documents had."""
    if name not in change.views or name in entry.views:
        return entry
    empty, view = 0, change.views[name]

    def blocks() -> Iterator[NDArray[np.float32]]:
        nonlocal empty
        for segment in group:
            for block in _live_blocks(segment, name, view.dimensions):
                empty += int(np.count_nonzero(~block.any(axis=1)))
                yield block

    rows = write_rows(change, blocks(), entry.documents, view.precision)
    later = sum(later_in(segment.entry, name) for segment in group)
    if name == EMBEDDINGS:
        later = min(later, empty)  # some of those without a vector may have been deleted
    return _with(entry, name, msgspec.structs.replace(rows, later=later))


def carried(
    change: Transaction, name: str, entries: Sequence[SegmentEntry], old: Sequence[Segment]
) -> list[SegmentEntry]:
    """New segments of the live documents of old ones, in the same order, with their rows."""
    dimensions = change.views[name].dimensions
    blocks = (block for segment in old for block in _live_blocks(segment, name, dimensions))
    some_later = any(later_in(segment.entry, name) for segment in old)
    return with_blocks(change, name, entries, blocks, some_later=some_later)


def with_blocks(
    change: Transaction,
    name: str,
    entries: Sequence[SegmentEntry],
    blocks: Iterator[NDArray[np.float32]],
    *,
    some_later: bool,
) -> list[SegmentEntry]:
    """New segments with the rows of their documents, which come in the same order."""
    dimensions, precision = change.views[name].dimensions, change.views[name].precision
    left, found = np.zeros((0, dimensions), np.float32), []
    for entry in entries:
        pieces: list[NDArray[np.float32]] = []
        wanted, empty = entry.documents, 0
        while wanted or not pieces:
            left = left if len(left) or not wanted else next(blocks)
            pieces.append(left[:wanted])
            empty += int(np.count_nonzero(~left[:wanted].any(axis=1)))
            left, wanted = left[wanted:], wanted - len(pieces[-1])
        later = empty if some_later else 0
        rows = write_rows(change, pieces, entry.documents, precision, later=later)
        found.append(_with(entry, name, rows))
    return found


def refreshed(
    change: Transaction, entries: Sequence[SegmentEntry], threads: int, engine: str
) -> list[SegmentEntry]:
    """Segments with a latent space learned from them, if there was one."""
    if LATENT not in change.views:
        return list(entries)
    return _learned(change, entries, change.views[LATENT].seed, threads, engine)


def open_model(directory: Path, manifest: Manifest) -> Container | None:
    """The file of the latent space, if there is one."""
    entry = manifest.views.get(LATENT)
    if entry is None or entry.file is None:
        return None
    file = Container(directory / entry.file, MODEL, entry.bytes)
    file.expect(dimensions=entry.dimensions)
    return file


def model_of(file: Container, terms: int) -> LatentModel:
    """What was learned, over a dictionary of so many terms."""
    dimensions = file.number("dimensions")
    known = structure.ascending(file, "terms", terms)
    basis = structure.dense_rows(file, "basis", (len(known), dimensions))
    return LatentModel(known, basis, structure.reals(file, "centre", (dimensions,)))


def open_centre(directory: Path, manifest: Manifest) -> Container | None:
    """The file of the mean that was taken from all embeddings, if there is one."""
    entry = manifest.views.get(EMBEDDINGS)
    if entry is None or entry.file is None:
        return None
    file = Container(directory / entry.file, CENTRE, entry.bytes)
    file.expect(dimensions=entry.dimensions)
    return file


def kept_centre(directory: Path, manifest: Manifest) -> NDArray[np.float32]:
    file = open_centre(directory, manifest)
    if file is None:
        raise StoreError(f"{directory} is damaged, its embeddings have no centre: {REBUILD}")
    return centre_of(file)


def centre_of(file: Container) -> NDArray[np.float32]:
    return structure.reals(file, "centre", (file.number("dimensions"),))


def write_centre(change: Transaction, centre: NDArray[np.float32]) -> tuple[str, int]:
    """The name of the file, and its size."""
    name = change.new_file("model")
    writer = ContainerWriter(change.directory / name, CENTRE)
    with removed_on_failure(writer):
        writer.array("centre", centre)
        return name, writer.close(dimensions=len(centre))


def write_model(change: Transaction, model: LatentModel, documents: int, seed: int) -> ViewEntry:
    name = change.new_file("model")
    writer = ContainerWriter(change.directory / name, MODEL)
    with removed_on_failure(writer):
        writer.array("terms", model.terms)
        write_dense(writer, "basis", [model.basis], model.basis.precision)
        writer.array("centre", model.centre)
        size = writer.close(dimensions=model.dimensions)
    precision = model.basis.precision
    return ViewEntry(model.dimensions, documents, seed, file=name, bytes=size, precision=precision)


def _learned(
    change: Transaction,
    entries: Sequence[SegmentEntry],
    seed: int,
    threads: int,
    engine: str,
    precision: Precision = latent.PRECISION,
) -> list[SegmentEntry]:
    from likewise.engines.workers import Workers  # which searches need not import

    segments = [Segment(change.directory, _without(entry, LATENT)) for entry in entries]
    stored = stored_rows(dictionaries(change.directory, change.manifest, segments), threads)
    documents = sum(entry.live for entry in entries)
    width = max((_width(change, segment) for segment in segments), default=0)
    dimensions = change.manifest.latent or latent.DIMENSIONS
    collection = engine_of(engine).collection(stored, width, threads)
    model = latent.learn(
        collection, documents, dimensions, seed=seed, threads=threads, precision=precision
    )
    if not model.dimensions:  # no term is in several documents: there is no space
        change.views.pop(LATENT, None)
        return [segment.entry for segment in segments]
    folding = latent.Folding(model)

    def fold(segment: Segment, name: str) -> SegmentEntry:
        every = _all_rows(change, segment, threads, engine)
        blocks = folding.blocks(every, segment.documents, precision)
        rows = write_rows(change, blocks, segment.documents, precision, name=name)
        segment.release()
        return _with(segment.entry, LATENT, rows)

    named = [(segment, change.new_file("view")) for segment in segments]
    at_once = min(threads, AT_ONCE) if engine == DEFAULT else 1  # a card has one memory
    with Workers(1) as beside:  # the model is on its way to the disk meanwhile
        written = beside.submit(write_model, change, model, documents, seed)
        folded = together(lambda one: fold(*one), named, at_once)
        change.views[LATENT] = written.result()
    return folded


def _folding(change: Transaction) -> latent.Folding:
    model = open_model(change.directory, change.manifest)
    if model is None:
        raise StoreError(f"{change.directory} is damaged, its latent space has no file: {REBUILD}")
    return latent.Folding(model_of(model, change.manifest.terms))


def _all_rows(change: Transaction, segment: Segment, threads: int, engine: str) -> Collection:
    """A segment's documents, the deleted ones included."""
    (stored,) = stored_rows(dictionaries(change.directory, change.manifest, [segment]))
    width = _width(change, segment)
    return engine_of(engine).collection([stored._replace(live=None)], width, threads)


def _width(change: Transaction, segment: Segment) -> int:
    """How many terms its columns are among: of all shards, or up to and including the segment."""
    divided = change.manifest.sharding is not None
    return change.manifest.terms if divided else segment.width


def _zeros(documents: int, dimensions: int) -> Iterator[NDArray[np.float32]]:
    """Rows of documents of which nothing is known; at least one block, which has the width."""
    for first in range(0, max(documents, 1), BLOCK):
        yield np.zeros((min(BLOCK, documents - first), dimensions), np.float32)


def _blocks(segment: Segment, name: str, dimensions: int) -> Iterator[NDArray[np.float32]]:
    rows = segment.view(name, dimensions)
    for first in range(0, max(rows.height, 1), BLOCK):  # at least one block, which has the width
        yield rows.at(slice(first, first + BLOCK))


def _live_blocks(segment: Segment, name: str, dimensions: int) -> Iterator[NDArray[np.float32]]:
    deleted, first = segment.deleted_mask(), 0
    for block in _blocks(segment, name, dimensions):
        yield block if segment.live is None else block[~deleted[first : first + len(block)]]
        first += len(block)


def _with(entry: SegmentEntry, name: str, rows: ViewRows) -> SegmentEntry:
    return msgspec.structs.replace(entry, views={**entry.views, name: rows})


def _without(entry: SegmentEntry, name: str) -> SegmentEntry:
    views = {other: rows for other, rows in entry.views.items() if other != name}
    return msgspec.structs.replace(entry, views=views)
