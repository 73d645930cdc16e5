"""What an index holds, in numbers: for `Index.info` and whoever shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from likewise.store.container import FORMAT
from likewise.store.sources import by_name
from likewise.store.views import is_stale, later
from likewise.views import LATENT

if TYPE_CHECKING:
    from likewise.store.manifest import Manifest
    from likewise.store.snapshot import Snapshot
    from likewise.store.sources import SourceCounts


class ViewInfo(NamedTuple):
    """A view beside the words; `later` documents came after it was made.

    Embeddings have a `source`; where a model made them, `model` says where that is, if anywhere.
    """

    dimensions: int
    documents: int
    later: int
    stale: bool
    bytes: int
    source: str = ""
    model: str = ""
    by_model: bool = False


class Info(NamedTuple):
    """What an index holds; sizes are in bytes."""

    path: str
    kind: str
    documents: int
    deleted: int
    terms: int
    segments: int
    generation: int
    bytes_on_disk: int
    bytes_of_records: int
    settings: dict[str, Any]
    views: dict[str, ViewInfo]
    notes: tuple[str, ...] = ()  # what is not as it should be
    format: int = FORMAT  # the oldest of its files
    title: str = ""  # as people call it, if otherwise than its folder
    archived: bool = False
    sources: tuple[SourceCounts, ...] = ()  # the files that were read, by name
    shards: int = 0  # indexes that it consists of, if it was divided


def info_of(snapshot: Snapshot) -> Info:
    manifest, segments = snapshot.manifest, snapshot.segments
    views = views_of(snapshot)
    return Info(
        path=str(snapshot.directory),
        kind=manifest.kind or "empty",
        documents=len(snapshot),
        deleted=sum(len(segment.deleted) for segment in segments),
        terms=snapshot.terms,
        segments=len(segments),
        generation=snapshot.generation,
        bytes_on_disk=_bytes(manifest) + sum(views[name].bytes for name in manifest.views),
        bytes_of_records=sum(segment.records.size for segment in segments),
        settings=dict(manifest.settings),
        views=views,
        notes=(snapshot.drift.note(str(snapshot.directory)),) if snapshot.drift else (),
        format=min((segment.format for segment in segments), default=FORMAT),
        title=manifest.title,
        archived=manifest.archived,
        sources=tuple(by_name(manifest.sources).values()),
        shards=manifest.sharding.count if manifest.sharding else 0,
    )


def views_of(snapshot: Snapshot) -> dict[str, ViewInfo]:
    """Each view beside the words that documents have a part in, by its name."""
    manifest = snapshot.manifest
    sparse = {name: _sparse_view(snapshot, name) for name in manifest.sparse}
    sparse = {name: view for name, view in sparse.items() if view.documents}
    return sparse | {name: _view(manifest, name) for name in manifest.views}


def _sparse_view(snapshot: Snapshot, name: str) -> ViewInfo:
    """Documents without a title have no part in the view of titles."""
    width, documents = snapshot.manifest.sparse[name].width, 0
    for segment in snapshot.segments:
        rows = segment.sparse_view(name, width)
        filled = rows["starts"][1:] > rows["starts"][:-1]
        documents += int(np.count_nonzero(filled if segment.live is None else filled[segment.live]))
    size = sum(segment.sparse[name].bytes for segment in snapshot.manifest.segments)
    return ViewInfo(width, documents, later=0, stale=False, bytes=size)


def _view(manifest: Manifest, name: str) -> ViewInfo:
    view, new = manifest.views[name], later(manifest, name)
    learned = name == LATENT
    return ViewInfo(
        dimensions=view.dimensions,
        documents=view.documents if learned else manifest.documents - new,
        later=new,
        stale=is_stale(manifest) if learned else new > 0,
        bytes=view.bytes + sum(segment.views[name].bytes for segment in manifest.segments),
        source=view.source,
        model=view.model,
        by_model=bool(view.probe),
    )


def _bytes(manifest: Manifest) -> int:
    """Of segments, their deletions, their sparse views and the numbers of shards' terms."""
    deletions = sum(s.deletions.bytes for s in manifest.segments if s.deletions)
    sparse = sum(rows.bytes for s in manifest.segments for rows in s.sparse.values())
    numbers = sum(shard.bytes for shard in manifest.sharding.shards) if manifest.sharding else 0
    return deletions + sparse + numbers + sum(segment.bytes for segment in manifest.segments)
