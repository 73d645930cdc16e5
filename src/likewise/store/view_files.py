"""The files of views beside the words: rows, one file a segment, and what was learned."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.errors import StoreError
from likewise.store.container import Container
from likewise.store.container_writer import ContainerWriter, given_up_on_failure
from likewise.store.disk import REBUILD
from likewise.store.manifest import ViewEntry, ViewRows
from likewise.views import EMBEDDINGS, LATENT
from likewise.views.latent import LatentModel

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from numpy.typing import NDArray

    from likewise.store.manifest import Manifest, SegmentEntry
    from likewise.store.transaction import Transaction

ROWS, MODEL, CENTRE = "view", "latent", "centre"


def open_views(directory: Path, entry: SegmentEntry) -> dict[str, Container]:
    """Each view's rows, checked to be of this segment's documents."""
    found = {}
    for name, rows in entry.views.items():
        file = Container(directory / rows.file, ROWS, rows.bytes)
        file.expect(documents=entry.documents)
        found[name] = file
    return found


def open_model(directory: Path, manifest: Manifest) -> Container | None:
    _check_views(directory, manifest)
    entry = manifest.views.get(LATENT)
    if entry is None or entry.file is None:
        return None
    file = Container(directory / entry.file, MODEL, entry.bytes)
    file.expect(dimensions=entry.dimensions)
    return file


def _check_views(directory: Path, manifest: Manifest) -> None:
    for name in manifest.views:
        for segment in manifest.segments:
            if name not in segment.views:
                raise StoreError(
                    f"{directory} is damaged, {segment.file} is not in its view {name!r}: {REBUILD}"
                )


def model_of(file: Container) -> LatentModel:
    return LatentModel(file.array("terms"), file.array("basis"), file.array("centre"))


def open_centre(directory: Path, manifest: Manifest) -> Container | None:
    """What was taken from all embeddings that a model made."""
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
    return file.array("centre")


def write_centre(change: Transaction, centre: NDArray[np.float32]) -> tuple[str, int]:
    """The name of the file, and its size."""
    name = change.new_file("model")
    writer = ContainerWriter(change.directory / name, CENTRE)
    with given_up_on_failure(writer):
        writer.array("centre", centre)
        return name, writer.close(dimensions=len(centre))


def write_model(change: Transaction, model: LatentModel, documents: int, seed: int) -> ViewEntry:
    name = change.new_file("model")
    writer = ContainerWriter(change.directory / name, MODEL)
    with given_up_on_failure(writer):
        writer.array("terms", model.terms)
        writer.array("basis", model.basis)
        writer.array("centre", model.centre)
        size = writer.close(dimensions=model.dimensions)
    return ViewEntry(model.dimensions, documents, seed, file=name, bytes=size)


def write_rows(
    change: Transaction,
    blocks: Iterable[NDArray[np.float32]],
    documents: int,
    *,
    later: int = 0,
) -> ViewRows:
    """Rows of one segment's documents, handed over some at a time."""
    name = change.new_file("view")
    writer = ContainerWriter(change.directory / name, ROWS)
    with given_up_on_failure(writer):
        writer.pieces("rows", np.dtype(np.float32).str, blocks)
        return ViewRows(name, writer.close(documents=documents), later)
