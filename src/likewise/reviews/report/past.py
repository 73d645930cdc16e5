"""An index as it was when it had fewer documents, for a review that is made again.

Documents are added at the end and keep their order. So the first n are those of then, if the last
of them is the one that was the last: the others are left out as if they had been deleted, which
weights of words know nothing of. The files of the index are linked to, not copied.
"""

from __future__ import annotations

import tempfile
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from likewise.store.manifest import SEGMENTS, write_manifest
from likewise.store.segment import write_deletions
from likewise.store.snapshot import Snapshot

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from likewise.reviews.arrivals import Extent
    from likewise.search.generation import Generation
    from likewise.store.manifest import Manifest, SegmentEntry


class Past(AbstractContextManager["Past"]):
    """Generations of the past by their numbers, as far as their extent is known."""

    def __init__(self, now: Generation, extents: Mapping[int, Extent]) -> None:
        self._now, self._extents = now, extents
        self._made: dict[tuple[int, str], Generation] = {}
        self._scratch = tempfile.TemporaryDirectory(prefix="likewise-")

    def __exit__(self, *error: object) -> None:
        self._made.clear()
        self._scratch.cleanup()

    @property
    def newest(self) -> int:
        return self._now.snapshot.generation

    def at(self, generation: int) -> Generation:
        """The index of then; today's where the documents are the same, or nobody can tell."""
        extent = self._extents.get(generation)
        if extent is None or not self.is_known(generation) or extent.documents == len(self._now):
            return self._now
        key = (extent.documents, extent.last)
        if key not in self._made:
            self._made[key] = self._make(extent)
        return self._made[key]

    def is_known(self, generation: int) -> bool:
        """Whether the documents of then are there, and can be told from later ones."""
        extent = self._extents.get(generation)
        if extent is None or not extent.documents:
            return generation == self._now.snapshot.generation
        (number,) = self._now.snapshot.numbers([extent.last]).tolist()
        return int(number) == extent.documents - 1

    def _make(self, extent: Extent) -> Generation:
        place = Path(self._scratch.name) / f"{len(self._made)}.idx"
        snapshot = self._now.snapshot
        (place / SEGMENTS).mkdir(parents=True)
        entries = tuple(_first(snapshot, extent.documents, place))
        manifest = msgspec.structs.replace(snapshot.manifest, segments=entries)
        _link(snapshot.directory, place, manifest)
        write_manifest(place, manifest)
        return self._now.over(Snapshot.open(place))


def _first(snapshot: Snapshot, documents: int, place: Path) -> Iterator[SegmentEntry]:
    """The segments that hold the first documents; what is beyond them is marked as deleted."""
    for segment in snapshot.segments:
        entry = segment.entry
        if documents >= entry.live:
            yield entry
        elif documents > 0:
            live = np.flatnonzero(~segment.deleted_mask())
            left = np.ones(entry.documents, np.bool_)
            left[live[:documents]] = False
            gone = np.flatnonzero(left).astype(np.uint32)
            file = f"{entry.file.removesuffix('.seg')}.g{snapshot.generation + 1}.del"
            (place / file).parent.mkdir(parents=True, exist_ok=True)
            yield msgspec.structs.replace(entry, deletions=write_deletions(place, file, gone))
        documents -= entry.live


def _link(index: Path, place: Path, manifest: Manifest) -> None:
    for file in manifest.files:
        if not (place / file).exists():
            (place / file).parent.mkdir(parents=True, exist_ok=True)
            (place / file).symlink_to((index / file).resolve())
