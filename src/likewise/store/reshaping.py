"""Shards that change. What the manifest of the whole lists is never touched: a shard that grows, or
is merged, is made anew in another folder, where files that stay are linked. The next manifest of
the whole names that folder instead, and the other is removed. So whatever the moment at which a
writer is killed, the whole is as it was or as it should be.
"""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING

import msgspec

from likewise.errors import StoreError, UsageError
from likewise.store import titles
from likewise.store.disk import WriteLock, make_directory, writing
from likewise.store.joining import inside
from likewise.store.manifest import SEGMENTS, Manifest, read_manifest, write_manifest
from likewise.store.merging import is_merged, neighbours, rewritten
from likewise.store.segment import Segment, open_segments
from likewise.store.shards import folder_of
from likewise.store.tiers import plan
from likewise.store.transaction import LOCK, Transaction, in_shards
from likewise.store.views import with_rows_of
from likewise.views import EMBEDDINGS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from likewise.store.kinds import Kind
    from likewise.store.manifest import Deletions, SegmentEntry, ViewRows
    from likewise.store.shards import ShardEntry


def segments_of(shard: ShardEntry, entries: Iterable[SegmentEntry]) -> list[SegmentEntry]:
    """Those of a shard among the segments of the whole."""
    return [entry for entry in entries if folder_of(entry.file) == shard.folder]


def has_room(change: Transaction) -> bool:
    """Whether what is added goes to the last shard: until that is as large as the largest, if
    nobody has changed it as an index of its own.
    """
    divided = change.manifest.sharding
    if divided is None or len(divided.shards) < 2:
        return False
    *others, last = (
        sum(entry.live for entry in segments_of(shard, change.manifest.segments))
        for shard in divided.shards
    )
    return last < max(others) and _is_as_joined(change, divided.shards[-1])


def _is_as_joined(change: Transaction, shard: ShardEntry) -> bool:
    try:
        return read_manifest(change.directory / shard.folder).generation == shard.generation
    except StoreError:
        return False


@contextmanager
def anew(change: Transaction, shard: ShardEntry) -> Iterator[tuple[str, Transaction]]:
    """The folder in which a shard is made anew, and a change of it; it has no segments yet."""
    folder, old = change.new_shard(), change.directory / shard.folder
    path = change.directory / folder
    with WriteLock(old / LOCK):
        there = read_manifest(old)
        if there.generation != shard.generation:
            raise UsageError(
                f"{old} was changed as an index of its own since the whole was made, which would "
                "be lost: index the documents anew"
            )
        with writing(path):
            shutil.rmtree(path, ignore_errors=True)
            make_directory(path / SEGMENTS)
        empty = msgspec.structs.replace(
            there, segments=(), views={}, sparse=dict(change.sparse), roots=change.roots, made=""
        )
        write_manifest(path, empty)
        with Transaction(path) as inner:
            yield folder, inner


def linked(change: Transaction, inner: Transaction, entry: SegmentEntry) -> SegmentEntry:
    """A segment of the whole as one of a new shard, without copying its files."""
    file = f"{SEGMENTS}/{entry.file.rpartition('/')[2]}"
    _link(change, inner, entry.file, file)
    deletions, sparse = entry.deletions, {}
    if deletions is not None:
        name = inner.deletions_file(file)
        _link(change, inner, deletions.file, name)
        deletions = msgspec.structs.replace(deletions, file=name)
    for view, rows in entry.sparse.items():
        name = inner.new_file("view")
        _link(change, inner, rows.file, name)
        sparse[view] = msgspec.structs.replace(rows, file=name)
    return msgspec.structs.replace(entry, file=file, deletions=deletions, views={}, sparse=sparse)


def _link(change: Transaction, inner: Transaction, old: str, new: str) -> None:
    source, target = change.directory / old, inner.directory / new
    with writing(target):
        try:
            os.link(source, target)
        except OSError:  # not every file system has links
            shutil.copyfile(source, target)
            with target.open("rb") as file:
                os.fsync(file.fileno())


def grown(change: Transaction, shard: ShardEntry) -> tuple[str, dict[str, dict[str, ViewRows]]]:
    """A copy of a shard that documents can be added to: its folder, and the rows of views that the
    whole has of its segments, by their files there.
    """
    with anew(change, shard) as (folder, inner):
        there = segments_of(shard, change.manifest.segments)
        own = [linked(change, inner, entry) for entry in there]
        inner.manifest = msgspec.structs.replace(inner.manifest, sources=change.manifest.sources)
        inner.commit(own)
    return folder, {one.file: before.views for one, before in zip(own, there, strict=True)}


def regrouped(
    change: Transaction,
    shard: ShardEntry,
    groups: Sequence[Sequence[Segment]],
    kind: Kind,
    views: Iterable[str],
) -> tuple[ShardEntry, list[SegmentEntry]]:
    """A shard whose segments are merged in groups, and their entries in the whole, with the rows
    of these views; a group of one that has nothing deleted stays as it is.
    """
    own, found = [], []
    with anew(change, shard) as (folder, inner):
        for group in groups:
            if len(group) == 1 and (group[0].live is None or not group[0].entry.live):
                own.append(linked(change, inner, group[0].entry))
                rows = group[0].entry.views
                found.append(msgspec.structs.replace(inside(folder, own[-1]), views=rows))
                continue
            entry = titles.with_rows_of(inner, rewritten(inner, list(group), kind), group)
            own.append(entry)
            whole = inside(folder, entry)
            for name in views:
                whole = with_rows_of(change, name, whole, group)
            found.append(whole)
        generation = inner.commit(own).generation
    return msgspec.structs.replace(shard, folder=folder, generation=generation), found


def small_regrouped(
    change: Transaction, entries: Sequence[SegmentEntry], kind: Kind
) -> list[SegmentEntry]:
    """The segments of all shards, of which small neighbours in one shard were merged."""
    shards, found = [], []
    for shard in shards_of(change):
        own = segments_of(shard, entries)
        groups = [own[group.start : group.stop] for group in plan(own)]
        if len(groups) < len(own):
            opened = [[Segment(change.directory, one) for one in group] for group in groups]
            shard, own = regrouped(change, shard, opened, kind, list(change.views))
        shards.append(shard)
        found += own
    replace_shards(change, shards)
    return found


def merged(change: Transaction, kind: Kind, max_entries: int) -> list[SegmentEntry] | None:
    """The segments of all shards once each is merged; None if there is nothing to do."""
    shards, found, changed = [], [], False
    for shard in shards_of(change):
        own = segments_of(shard, change.manifest.segments)
        groups = list(neighbours(open_segments(change.directory, own), max_entries)) if own else []
        if not all(map(is_merged, groups)):
            shard, own = regrouped(change, shard, groups, kind, [EMBEDDINGS])
            changed = True
        shards.append(shard)
        found += own
    replace_shards(change, shards)
    return found if changed else None


def shards_of(change: Transaction) -> tuple[ShardEntry, ...]:
    if change.manifest.sharding is None:
        raise in_shards(change.directory)
    return change.manifest.sharding.shards


def replace_shards(change: Transaction, shards: Sequence[ShardEntry]) -> None:
    """Let the next manifest name these folders; terms keep their numbers."""
    divided = change.manifest.sharding
    assert divided is not None
    terms = divided.terms if shards else 0
    change.manifest = msgspec.structs.replace(
        change.manifest,
        sharding=msgspec.structs.replace(divided, shards=tuple(shards), terms=terms),
    )


def _own(deletions: Deletions | None, start: str) -> Deletions | None:
    """What a shard itself has deleted; what the whole has is marked there."""
    if deletions is None or not deletions.file.startswith(start):
        return None
    return msgspec.structs.replace(deletions, file=deletions.file.removeprefix(start))


def derived(whole: Manifest, shard: ShardEntry) -> Manifest:
    """The manifest of a shard that has none, by what the whole says of it."""
    start = f"{shard.folder}/"
    own = [
        msgspec.structs.replace(
            entry,
            file=entry.file.removeprefix(start),
            deletions=_own(entry.deletions, start),
            views={},
            sparse={
                name: msgspec.structs.replace(rows, file=rows.file.removeprefix(start))
                for name, rows in entry.sparse.items()
                if rows.file.startswith(start)
            },
        )
        for entry in segments_of(shard, whole.segments)
    ]
    sparse = {n: v for n, v in whole.sparse.items() if all(n in entry.sparse for entry in own)}
    own = [
        msgspec.structs.replace(entry, sparse={name: entry.sparse[name] for name in sparse})
        for entry in own
    ]
    files = {file for entry in own for file in Manifest(segments=(entry,)).files}
    highest = max((int(file.rpartition("/")[2].partition(".")[0]) for file in files), default=0)
    return Manifest(
        whole.settings,
        generation=shard.generation,
        kind=whole.kind,
        segments=tuple(own),
        next_file=highest + 1,
        latent=0,
        probe=whole.probe,
        roots=whole.roots,
        sparse=sparse,
    )


def write_shards(directory: Path, whole: Manifest) -> None:
    """Give the shards of an index whose other files are there their manifests."""
    for shard in whole.sharding.shards if whole.sharding else ():
        with writing(directory / shard.folder):
            make_directory(directory / shard.folder / SEGMENTS)
        write_manifest(directory / shard.folder, derived(whole, shard))
