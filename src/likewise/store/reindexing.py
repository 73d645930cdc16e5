"""Analysing all stored documents anew, as one new generation: records stay, terms are made again.

Deleted documents are dropped, embeddings are carried over, and a latent space is learned again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from likewise.document import as_text, key_of, values_of
from likewise.engines import DEFAULT
from likewise.errors import UsageError
from likewise.readers.batch import Batch
from likewise.readers.options import ReadOptions
from likewise.readers.records import RecordDecoder, names_of
from likewise.store import MEMORY
from likewise.store.adding import Adding
from likewise.store.kinds import kind_of
from likewise.store.merging import live_records
from likewise.store.segment import open_segments
from likewise.store.transaction import Transaction
from likewise.store.views import carried, refreshed
from likewise.text import Analyzer, probe
from likewise.views import EMBEDDINGS, titles

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from likewise.readers.reading import Progress
    from likewise.store.manifest import Manifest
    from likewise.store.segment import Segment
    from likewise.text import AnalyzerSettings

UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def reindex(
    directory: Path,
    settings: AnalyzerSettings,
    *,
    memory: int = MEMORY,
    threads: int = 1,
    engine: str = DEFAULT,
    progress: Progress | None = None,
) -> Manifest:
    """Analyse all documents with today's analyzer of these settings, in one step."""
    with Transaction(directory, shards=True) as change:
        old = change.manifest
        if not kind_of(old.kind).has_text:
            raise UsageError(f"{directory} holds vectors, not text: there is nothing to analyse")
        if old.sharding is not None and old.sharding.shards:
            return _reindex_shards(change, settings, memory, threads, engine, progress)
        segments = open_segments(directory, old.segments)
        change.manifest = msgspec.structs.replace(
            old, settings=msgspec.to_builtins(settings), probe=probe(settings), segments=()
        )
        adding = Adding(change, Analyzer(settings), "error", memory, threads, engine)
        try:
            for batch in _batches(segments, settings.fields, progress):
                adding.add(batch)
            entries = adding.finish()
        finally:
            adding.close()
        if EMBEDDINGS in change.views:
            entries = carried(change, EMBEDDINGS, entries, segments)
        return change.commit(refreshed(change, entries, threads, engine))


def _reindex_shards(
    change: Transaction,
    settings: AnalyzerSettings,
    memory: int,
    threads: int,
    engine: str,
    progress: Progress | None,
) -> Manifest:
    """The same shard by shard, each in a new folder; documents stay in their shards."""
    from likewise.store.joining import join
    from likewise.store.reshaping import segments_of, shards_of
    from likewise.store.sharding import create_empty
    from likewise.store.transaction import remove_shards

    old = change.manifest
    change.manifest = msgspec.structs.replace(
        old, settings=msgspec.to_builtins(settings), probe=probe(settings), segments=()
    )
    told, folders = Told(progress, sum(entry.live for entry in old.segments)), []
    try:
        for shard in shards_of(change):
            segments = open_segments(change.directory, segments_of(shard, old.segments))
            folders.append(change.new_shard())
            create_empty(change.directory / folders[-1], change.manifest)
            with Transaction(change.directory / folders[-1]) as inner:
                adding = Adding(inner, Analyzer(settings), "error", memory, threads, engine)
                try:
                    for batch in _batches(segments, settings.fields, told):
                        adding.add(batch)
                    inner.commit(adding.finish(), old.kind, adding.identity)
                finally:
                    adding.close()
        every = open_segments(change.directory, old.segments)
        change.views = {}
        entries = join(change, folders, kept=0, sources=old.sources, no_id_twice=True)
        change.views = dict(old.views)
        if EMBEDDINGS in change.views:
            entries = carried(change, EMBEDDINGS, entries, every)
        return change.commit(refreshed(change, entries, threads, engine))
    finally:
        remove_shards(change.directory)


class Told:
    """Progress over several shards, each of which counts from 0."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress, self._total = progress, total
        self._before = self._last = 0

    def __call__(self, done: int, total: int) -> None:
        if done < self._last:
            self._before += self._last
        self._last = done
        if self._progress is not None:
            self._progress(self._before + done, self._total)


def _batches(
    segments: Sequence[Segment], fields: tuple[str, ...], progress: Progress | None
) -> Iterator[Batch]:
    """The live documents in their order, as a reader would give them."""
    texts = RecordTexts(fields)
    done, total = 0, sum(segment.entry.live for segment in segments)
    for segment in segments:
        for numbers, records, ends in live_records(segment):
            yield Batch(
                ids=segment.ids.strings(numbers),
                texts=texts(records, ends.tolist()),
                records=records,
                ends=ends.astype(np.uint64),
                sources=[segment.path.name] * len(numbers),
                lines=numbers + 1,
                unit="document",
            )
            done += len(numbers)
            if progress is not None:
                progress(done, total)


def titles_of(segment: Segment, fields: tuple[str, ...]) -> Iterator[list[str]]:
    """The titles of a segment's documents, deleted ones included, some at a time."""
    texts, place = RecordTexts(fields), fields.index(titles.FIELD)
    for _, records, ends in segment.records.chunks():
        yield texts(records, ends.tolist())[place]
        segment.release()


class RecordTexts:
    """What is analysed of records: a list of texts for each field."""

    def __init__(self, fields: tuple[str, ...]) -> None:
        self._options = ReadOptions(fields=fields)
        self._decoder = RecordDecoder(self._options)

    def __call__(self, records: bytes, ends: list[int]) -> list[list[str]]:
        try:
            documents = self._decoder.decode_lines(records)
        except UNREADABLE:  # a field that holds something else, or an odd number, in some record
            documents = []
        if len(documents) == len(ends):
            return self._decoder.texts(documents)
        starts = [0, *ends[:-1]]
        each = [self._one(records[a:b]) for a, b in zip(starts, ends, strict=True)]
        fields = list(zip(*each, strict=True)) or [() for _ in self._options.fields]
        return list(map(list, fields))

    def _one(self, record: bytes) -> list[str]:
        values = values_of(record)
        return [self._field(values, names_of(name, self._options)) for name in self._options.fields]

    @staticmethod
    def _field(values: dict[str, Any], names: Sequence[str]) -> str:
        try:
            return as_text(values.get(key_of(values, names)))
        except TypeError:  # a field that was not analysed before may hold no text
            return ""
