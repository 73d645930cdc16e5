"""Saving what can be saved of a damaged index into a new one, and saying what is lost.

Documents whose blocks are whole are read and analysed anew; vectors that are not made of text are
taken where they are whole. Nothing is taken that a checksum does not vouch for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from likewise import _core
from likewise.engines import DEFAULT
from likewise.errors import StoreError, UsageError
from likewise.readers.batch import Batch, DenseBatch, SparseBatch
from likewise.store import MEMORY
from likewise.store.adding import Adding
from likewise.store.arrays import select_entries, select_values
from likewise.store.checking import Report, check, manifest_of
from likewise.store.kinds import kind_of
from likewise.store.lost_manifest import rebuilt
from likewise.store.matrices import transpose_values
from likewise.store.reindexing import RecordTexts
from likewise.store.remains import Remains
from likewise.store.shards import SHARDS
from likewise.store.transaction import Transaction, create
from likewise.store.views import kept_centre, learn, with_blocks, write_centre
from likewise.text import Analyzer, AnalyzerSettings, probe
from likewise.views import EMBEDDINGS, LATENT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from likewise.readers.batch import AnyBatch
    from likewise.store.blocks import Chunk
    from likewise.store.manifest import Manifest, SegmentEntry
    from likewise.store.segment import Segment

    Numbers = NDArray[np.int64]

BLOCK = 8192  # documents whose vectors are in memory at a time


class Saved(NamedTuple):
    """What `save` did: documents in the new index, and those lost, by id where that is known.

    `renamed` documents had lost their ids and have new ones. `notes` say what else is not as it
    was.
    """

    report: Report
    documents: int
    lost: int
    lost_ids: tuple[str, ...]
    renamed: tuple[str, ...]
    notes: tuple[str, ...]


def save(
    directory: Path,
    target: Path,
    *,
    memory: int = MEMORY,
    threads: int = 1,
    engine: str = DEFAULT,
    settings: AnalyzerSettings | None = None,
    identity: str = "",
) -> Saved:
    """Make a new index of all that can be read of one that is damaged, which stays as it is.

    Where the manifest is lost, `settings` say how text was analysed, if its words do not tell that,
    and `identity` which collection it is.
    """
    report = check(directory)
    manifest, _ = manifest_of(directory)
    if manifest is not None and manifest.sharding is not None:
        raise UsageError(f"{directory} is in shards: save each of those in {directory / SHARDS}")
    notes: tuple[str, ...] = ()
    if manifest is None:
        manifest, notes = rebuilt(directory, settings)
    elif settings is not None:
        raise UsageError(
            f"{directory} still says how text was analysed: save it without settings, and change "
            "them with `likewise reindex`"
        )
    identity = manifest.identity or identity
    saving = Saving(directory, manifest)
    settings = saving.settings
    kept = msgspec.to_builtins(settings)
    create(target, kept, manifest.kind, manifest.latent, probe(settings), manifest.sparse)
    with Transaction(target) as change:
        change.roots = dict(manifest.roots)
        adding = Adding(change, Analyzer(settings), "replace", memory, threads, engine)
        try:
            for batch in saving.batches():
                adding.add(batch)
            entries = adding.finish()
        finally:
            adding.close()
        lost, ids = saving.lost()
        if EMBEDDINGS in manifest.views and entries:
            entries = _with_embeddings(change, directory, manifest, saving, entries)
        made = change.commit(entries, manifest.kind, identity or adding.identity)
    if LATENT in manifest.views and made.documents:
        learn(target, seed=manifest.views[LATENT].seed, threads=threads, engine=engine)
    notes = (*notes, *saving.notes)
    return Saved(report, made.documents, lost, ids, tuple(saving.renamed), notes)


def _with_embeddings(
    change: Transaction,
    directory: Path,
    manifest: Manifest,
    saving: Saving,
    entries: list[SegmentEntry],
) -> list[SegmentEntry]:
    """The documents' embeddings, as far as they are whole; without their centre none are."""
    view = manifest.views[EMBEDDINGS]
    try:
        centre = kept_centre(directory, manifest)
    except StoreError:
        saving.notes.append("the embeddings are lost, as their centre is damaged")
        return entries
    file, size = write_centre(change, centre)
    view = msgspec.structs.replace(view, file=file, bytes=size)
    change.views[EMBEDDINGS] = view
    rows = saving.rows(EMBEDDINGS, view.dimensions)
    found = with_blocks(change, EMBEDDINGS, entries, rows, some_later=True)
    having = sum(entry.live - entry.views[EMBEDDINGS].later for entry in found)
    change.views[EMBEDDINGS] = msgspec.structs.replace(view, documents=having)
    return found


class Saving:
    """One damaged index on its way into a new one."""

    def __init__(self, directory: Path, manifest: Manifest) -> None:
        self.remains = [Remains(directory, entry) for entry in manifest.segments]
        self.settings = msgspec.convert(manifest.settings, AnalyzerSettings)
        self.renamed: list[str] = []
        self.notes: list[str] = []
        self._kind = kind_of(manifest.kind)
        self._texts = RecordTexts(self.settings.fields)
        self._taken: list[Numbers] = []  # of each segment
        self._features: list[int] = []  # of sparse vectors: the names of columns

    def batches(self) -> Iterator[AnyBatch]:
        """The documents that can be saved."""
        whole = True
        for remains in self.remains:
            whole = whole and self._has_names(remains)
            taken = [np.zeros(0, np.int64)]
            for chunk in remains.chunks() if self._has_vectors(remains, names=whole) else ():
                numbers = chunk.first + np.arange(len(chunk.ends))
                chosen = np.flatnonzero(wanted(remains)[numbers])
                if len(chosen):
                    taken.append(numbers[chosen])
                    yield self._batch(remains, chunk, chosen)
            self._taken.append(np.concatenate(taken))

    def lost(self) -> tuple[int, tuple[str, ...]]:
        """How many documents, and the ids of those that are known."""
        count, ids = 0, []
        for remains, taken in zip(self.remains, self._taken, strict=True):
            gone = wanted(remains)
            gone[taken] = False
            numbers = np.flatnonzero(gone).tolist()
            count += len(numbers)
            ids += [id for number in numbers if (id := remains.ids[number]) is not None]
            if remains.live is None:
                deleted = remains.entry.documents - remains.entry.live
                again = f"deleted documents of {remains.entry.file} may be there again"
                self.notes.append(f"{deleted:,} {again}")
        return count, tuple(ids)

    def rows(self, name: str, dimensions: int) -> Iterator[NDArray[np.float32]]:
        """A view's rows of the documents taken, 0 where they are damaged."""
        for remains, taken in zip(self.remains, self._taken, strict=True):
            rows = remains.view(name, dimensions)
            if rows is None and len(taken):
                self.notes.append(f"{len(taken):,} documents have lost their {name}")
            for first in range(0, len(taken), BLOCK):
                some = taken[first : first + BLOCK]
                empty = np.zeros((len(some), dimensions), np.float32)
                yield empty if rows is None else rows.at(some)

    def _has_names(self, remains: Remains) -> bool:
        """Whether the columns that a segment brought have names, as those of numbers must."""
        if self._kind.has_text or self._kind.name == "dense":
            return True
        if remains.segment is None or not remains.has("terms"):
            return False
        self._features += map(int, remains.segment.terms.all())
        return True

    def _has_vectors(self, remains: Remains, *, names: bool) -> bool:
        """Vectors of text are made anew; others must be whole."""
        if self._kind.has_text:
            return True
        if self._kind.name == "dense":
            return remains.has("dense")
        return names and (remains.has("rows") or remains.has("inverted"))

    def _batch(self, remains: Remains, chunk: Chunk, chosen: Numbers) -> AnyBatch:
        starts, places = select_entries(np.concatenate([[0], chunk.ends]), chosen)
        records = np.frombuffer(chunk.records, np.uint8)[places].tobytes()
        numbers = chunk.first + chosen
        common: dict[str, Any] = {
            "ids": [self._id(remains, number) for number in numbers.tolist()],
            "records": records,
            "ends": starts[1:].astype(np.uint64),
            "sources": [remains.entry.file] * len(numbers),
            "lines": numbers + 1,
            "unit": "document",
        }
        if remains.segment is None or self._kind.has_text:
            return Batch(**common, texts=self._texts(records, starts[1:].tolist()))
        if self._kind.name == "dense":
            return DenseBatch(**common, values=remains.segment.dense[numbers])
        from_rows = remains.has("rows")
        starts, columns, values = sparse_rows(remains.segment, numbers, from_rows=from_rows)
        features = np.array(self._features, np.int64)[columns]
        return SparseBatch(**common, starts=starts, columns=features, values=values)

    def _id(self, remains: Remains, number: int) -> str:
        found = remains.ids[number]
        if found is None:
            found = f"{remains.entry.file}:{number + 1}"
            self.renamed.append(found)
        return found


def wanted(remains: Remains) -> NDArray[np.bool_]:
    """The documents that the index held; if nobody can tell which were deleted, all."""
    every = np.ones(remains.entry.documents, np.bool_)
    return every if remains.live is None else remains.live.copy()


def sparse_rows(
    segment: Segment, numbers: Numbers, *, from_rows: bool
) -> tuple[NDArray[np.int64], NDArray[Any], NDArray[np.float32]]:
    """Starts, columns and values of some documents, from the rows or from the lists by column."""
    width, documents = segment.width, segment.documents
    if segment.family == "values":
        turned = None if from_rows else transpose_values(segment.value_inverted, documents)
        some = select_values(turned or segment.value_rows, numbers)
        return some["starts"].astype(np.int64), some["columns"], some["values"]
    if from_rows:
        counts = _core.Counts(segment.rows, width)
    else:
        counts = _core.Counts(_core.Counts(segment.inverted, documents).transpose(1), width)
    starts, columns, found = counts.entries(numbers.astype(np.uint32))
    return starts.astype(np.int64), columns, np.asarray(found, np.float32)
