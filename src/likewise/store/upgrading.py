"""Rewriting an index of an older format as this version writes it, as one new generation.

Segments stay apart, documents and terms keep their order, and views are carried over; what was
deleted is dropped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.store import titles
from likewise.store.container import FORMAT
from likewise.store.kinds import kind_of
from likewise.store.merging import rewritten
from likewise.store.segment import open_segments
from likewise.store.transaction import Transaction, in_shards
from likewise.store.views import model_of, open_model, with_rows_of, write_model
from likewise.views import LATENT, latent
from likewise.views.precision import packed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from likewise.store.manifest import Manifest
    from likewise.store.segment import Segment


def upgrade(directory: Path) -> Manifest:
    """Rewrite what is of an older format; an index of this one is left as it is."""
    with Transaction(directory, shards=True) as change:
        manifest = change.manifest
        segments = open_segments(directory, manifest.segments)
        if all(segment.format == FORMAT for segment in segments):
            return manifest
        if manifest.sharding is not None:
            raise in_shards(directory)
        if not manifest.documents:
            change.views = {}
            return change.commit([])
        _write_latent(change)
        entries = []
        for group in _with_documents(segments):
            entry = rewritten(change, group, kind_of(manifest.kind))
            for name in change.views:
                entry = with_rows_of(change, name, entry, group)
            entry = titles.with_rows_of(change, entry, group)
            entries.append(entry)
        return change.commit(entries)


def _with_documents(segments: Sequence[Segment]) -> list[list[Segment]]:
    """Each segment by itself; one without documents goes with a neighbour, for its terms."""
    groups: list[list[Segment]] = []
    for segment in segments:
        if groups and not (segment.entry.live and any(one.entry.live for one in groups[-1])):
            groups[-1].append(segment)
        else:
            groups.append([segment])
    return groups


def _write_latent(change: Transaction) -> None:
    """The latent space at the precision that is learned today."""
    file = open_model(change.directory, change.manifest)
    if file is None:
        return
    view = change.views[LATENT]
    model = model_of(file, change.manifest.terms)
    basis = packed(model.basis.at(slice(None)), latent.PRECISION)
    change.views[LATENT] = write_model(
        change, model._replace(basis=basis), view.documents, view.seed
    )
