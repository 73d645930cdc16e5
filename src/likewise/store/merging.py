"""Merging: the live documents of several segments in one file; what was deleted is dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.engines import DEFAULT
from likewise.store import titles
from likewise.store.arrays import MAX_ENTRIES, select_entries
from likewise.store.container import removed_on_failure
from likewise.store.kinds import kind_of
from likewise.store.segment import Segment, open_segments
from likewise.store.segment_writer import SegmentWriter
from likewise.store.strings import joined_tables
from likewise.store.tiers import plan
from likewise.store.transaction import Transaction, remove_shards
from likewise.store.views import is_stale, refreshed, with_rows_of
from likewise.views import EMBEDDINGS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from likewise.store.kinds import Kind
    from likewise.store.manifest import Manifest, SegmentEntry

    Numbers = NDArray[np.int64]
    Ends = NDArray[np.int64]


def merge(
    directory: Path,
    *,
    threads: int = 1,
    max_entries: int = MAX_ENTRIES,
    engine: str = DEFAULT,
) -> Manifest:
    """Make one segment of all, or as few as their size allows. Terms keep their numbers."""
    with Transaction(directory, shards=True) as change:
        manifest = change.manifest
        if manifest.kind is None or not manifest.segments:
            return manifest
        if manifest.sharding is not None:
            return _merge_shards(change, threads, max_entries, engine)
        segments = open_segments(directory, manifest.segments)
        if not manifest.documents:
            change.views = {}
            return change.commit([])
        groups = list(neighbours(segments, max_entries))
        if all(map(is_merged, groups)) and not is_stale(manifest):
            return manifest
        kind = kind_of(manifest.kind)
        entries = [_merged(change, group, kind) for group in groups]
        pairs = zip(entries, groups, strict=True)
        entries = [
            titles.with_rows_of(change, with_rows_of(change, EMBEDDINGS, entry, group), group)
            for entry, group in pairs
        ]
        return change.commit(refreshed(change, entries, threads, engine))


def _merge_shards(change: Transaction, threads: int, max_entries: int, engine: str) -> Manifest:
    from likewise.store import reshaping

    manifest = change.manifest
    if manifest.documents:
        kind = kind_of(manifest.kind)
        entries = reshaping.merged(change, kind, max_entries)
        if entries is None and not is_stale(manifest):
            return manifest
        change.commit(refreshed(change, entries or manifest.segments, threads, engine))
    else:  # as it was before its first documents
        change.views = {}
        reshaping.replace_shards(change, ())
        change.commit([])
    remove_shards(change.directory)
    return change.manifest


def merge_small(directory: Path) -> Manifest:
    """Merge small segments in groups, as additions do by themselves; see tiers.py."""
    with Transaction(directory, shards=True) as change:
        there, kind = change.manifest.segments, kind_of(change.manifest.kind)
        if change.manifest.sharding is None:
            entries = small_merged(change, there, kind)
        else:
            from likewise.store import reshaping

            entries = reshaping.small_regrouped(change, there, kind)
        if len(entries) < len(there):
            change.commit(entries)
            remove_shards(directory)
        return change.manifest


def small_merged(
    change: Transaction,
    entries: Sequence[SegmentEntry],
    kind: Kind,
    opened: Mapping[str, Segment] = {},
) -> list[SegmentEntry]:
    """Segments of which small neighbours were merged; rows of all views are carried over.

    `opened` are segments that are open already, by their files.
    """
    found = []
    for group in plan(entries):
        if len(group) == 1:
            found.append(entries[group[0]])
            continue
        some = entries[group.start : group.stop]
        segments = [Segment(change.directory, one, opened.get(one.file)) for one in some]
        entry = _merged(change, segments, kind)
        for name in change.views:
            entry = with_rows_of(change, name, entry, segments)
        entry = titles.with_rows_of(change, entry, segments)
        found.append(entry)
    return found


def neighbours(segments: list[Segment], max_entries: int) -> Iterator[list[Segment]]:
    """Neighbours that fit into one segment together."""
    group: list[Segment] = []
    size = 0
    for segment in segments:
        if group and size + segment.entries > max_entries:
            yield group
            group, size = [], 0
        group.append(segment)
        size += segment.entries
    yield group


def is_merged(group: list[Segment]) -> bool:
    return len(group) == 1 and group[0].live is None


def _merged(change: Transaction, group: list[Segment], kind: Kind) -> SegmentEntry:
    return group[0].entry if is_merged(group) else rewritten(change, group, kind)


def rewritten(change: Transaction, group: list[Segment], kind: Kind) -> SegmentEntry:
    """The live documents of neighbouring segments as a new one, without views."""
    width = group[-1].width
    writer = SegmentWriter(change.directory, change.segment_file())
    with removed_on_failure(writer):
        for segment in group:
            for _, records, ends in live_records(segment):
                writer.add_records(records, ends)
        writer.write(
            ids=lambda: joined_tables([(segment.ids, segment.live) for segment in group]),
            terms=lambda: joined_tables([(segment.terms, None) for segment in group]),
            matrix=lambda: kind.matrix.merge(writer.sections, group, width),
        )
        return writer.close(group[0].first_term, width)


def live_records(segment: Segment) -> Iterator[tuple[Numbers, bytes, Ends]]:
    """The live documents some at a time: their numbers, their records, and where each ends.

    Every record passes its checksum first, or damage would get one that is right.
    """
    deleted = segment.deleted_mask()
    for first, records, ends in segment.records.chunks():
        live = np.flatnonzero(~deleted[first : first + len(ends)])
        if len(live) == len(ends):
            yield live + first, records, ends
        else:
            starts = np.concatenate([np.zeros(1, np.int64), ends])
            selected, places = select_entries(starts, live)
            yield live + first, np.frombuffer(records, np.uint8)[places].tobytes(), selected[1:]
        segment.release()
