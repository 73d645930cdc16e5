"""Parts of an index that other machines open: a shard each or, where there are none, a segment.

A part is known by the index' path, a generation and a number. With it goes what the manifest says
of its files, which is data, so that it opens the same files whatever was written since.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from likewise.store.dictionary import ShardDictionary, shards_of
from likewise.store.manifest import Manifest, SegmentEntry
from likewise.store.mirror import Remote, remote_of, shard_copy
from likewise.store.objects import Object  # noqa: TC001  # msgspec looks at it
from likewise.store.segment import Segment
from likewise.store.shards import ShardEntry, folder_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likewise.corpus import Stored
    from likewise.store.snapshot import Snapshot


class _Files(msgspec.Struct, frozen=True):
    segments: tuple[SegmentEntry, ...]
    shard: ShardEntry | None = None
    end: int = 0  # the number after the last term that it was first to use
    url: str = ""  # where the index is, if workers are to make copies of its files
    objects: dict[str, Object] = {}


@dataclass(frozen=True)
class Partition:
    """Rows of some documents; `view` is "" for their own vectors, `width` that of a view."""

    directory: str
    generation: int
    number: int
    documents: int
    files: bytes
    view: str = ""
    width: int = 0

    @property
    def name(self) -> str:
        return f"{self.directory} {self.generation} {self.number}"

    def of(self, view: str, width: int) -> Partition:
        """The same documents in another view."""
        return replace(self, view=view, width=width)

    def __call__(self) -> Sequence[Stored]:
        files = msgspec.json.decode(self.files, type=_Files)
        directory = shard_copy(files.url, files.objects) if files.url else Path(self.directory)
        segments = [Segment(directory, entry, None) for entry in files.segments]
        if self.view:
            return [self._viewed(segment) for segment in segments]
        numbers = None
        if files.shard is not None:
            numbers = ShardDictionary(directory, segments, files.shard, files.end).numbers
        return [segment.stored()._replace(numbers=numbers) for segment in segments]

    def _viewed(self, segment: Segment) -> Stored:
        if self.view in segment.entry.sparse:
            return segment.stored_sparse_view(self.view, self.width)
        return segment.stored_view(self.view, self.width)


def _with_objects(files: _Files, remote: Remote) -> _Files:
    names = Manifest(segments=files.segments).files | ({files.shard.file} if files.shard else set())
    found = {name: remote.objects[name] for name in sorted(names)}
    return msgspec.structs.replace(files, url=remote.url, objects=found)


def partitions(snapshot: Snapshot) -> list[Partition]:
    """Those of all documents, in their order."""
    manifest = snapshot.manifest
    files = [
        _Files(tuple(s for s in manifest.segments if folder_of(s.file) == shard.folder), shard, end)
        for shard, end in shards_of(manifest)
    ]
    if manifest.sharding is None:
        files = [_Files((entry,)) for entry in manifest.segments]
    if (remote := remote_of(snapshot.directory)) is not None:
        files = [_with_objects(each, remote) for each in files]
    place = str(snapshot.directory.absolute())
    return [
        Partition(
            place,
            snapshot.generation,
            number,
            sum(entry.live for entry in each.segments),
            msgspec.json.encode(each),
        )
        for number, each in enumerate(files)
    ]
