"""Embeddings by a model: of the documents of an index, and of examples from outside it."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

import numpy as np

from likewise.errors import UsageError
from likewise.store.embeddings import (
    Encoded,
    Header,
    Texts,
    keys_of,
    read_header,
    segments_to_embed,
    write,
)
from likewise.store.kinds import kind_of
from likewise.store.views import later, later_in
from likewise.views import EMBEDDINGS
from likewise.views.finding import DEFAULT
from likewise.views.models import Source, load, load_again, loaded

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    from numpy.typing import NDArray

    from likewise.readers.reading import Progress
    from likewise.store.snapshot import Snapshot
    from likewise.views.models import Encoder, Encodes

AT_ONCE = 256  # documents per call of the model: some seconds of work


def make(
    snapshot: Snapshot,
    fields: Sequence[str],
    model: str | Encodes | None = None,
    progress: Progress | None = None,
    turn: AbstractContextManager[object] | None = None,
) -> int:
    """Embed the documents of an index with a model; returns how many were embedded.

    Documents that have a vector of this model keep it. Without `model`, it is the model of an
    interrupted run, the one that made the existing embeddings, or all-MiniLM-L6-v2. Vectors are
    saved to disk as they are made; the index changes once, at the end, inside `turn`.
    """
    if not kind_of(snapshot.manifest.kind).has_text:
        raise UsageError(f"{snapshot.directory} holds vectors, not text: give embeddings in a file")
    if not len(snapshot):
        raise UsageError(f"{snapshot.directory} is empty: add documents first")
    there = source_of(snapshot)
    if model is None and _is_complete(snapshot):
        return 0  # without loading the model
    encoder = load(model) if model is not None else _again(snapshot)
    missing = there is not None and there.is_like(encoder.source) and snapshot.centre is not None
    header = _header(encoder, there if missing else None)
    again = _is_from(read_header(snapshot.directory), encoder)
    texts = Texts(fields)
    with Encoded(snapshot.directory, header, again=again) as made:
        count = _encode(snapshot, texts, encoder, made, progress, missing=missing)
        if count or not missing:
            with turn or nullcontext():
                write(snapshot.directory, texts, made, header, missing=missing)
        made.remove()
    return count


def of_texts(
    snapshot: Snapshot, texts: Sequence[str], *, may_load: bool = True
) -> tuple[NDArray[np.float32] | None, str]:
    """Embeddings of texts from outside an index, or None and the reason."""
    source, centre = source_of(snapshot), snapshot.centre
    without = "examples from outside the index have no embedding"
    if source is None or centre is None:
        return None, f"{without}: those of the index came from a file ({_named(snapshot)})"
    if not may_load and loaded(source) is None:
        return None, f"{without}: loading the model would exceed the budget"
    try:
        rows = load_again(source)(texts)
    except UsageError as error:  # do not show a server's folders to its users
        said = str(error).replace(source.place, source.name) if source.place else str(error)
        return None, f"{without}: {said}"
    return np.where(rows.any(axis=1, keepdims=True), rows - centre, 0), ""


def source_of(snapshot: Snapshot) -> Source | None:
    """The model that made the embeddings of an index; None if they came from a file."""
    view = snapshot.manifest.views.get(EMBEDDINGS)
    if view is None or not view.probe:
        return None
    return Source(view.source, view.model, view.probe)


def _is_complete(snapshot: Snapshot) -> bool:
    """Whether a model has embedded all documents and no other run was interrupted since."""
    made = source_of(snapshot) is not None and snapshot.centre is not None
    nothing = not later(snapshot.manifest, EMBEDDINGS) if made else False
    return nothing and read_header(snapshot.directory) is None


def _again(snapshot: Snapshot) -> Encoder:
    """The model to continue with if none is named."""
    interrupted = read_header(snapshot.directory)
    source = (
        Source(interrupted.name, interrupted.place, interrupted.probe)
        if interrupted
        else source_of(snapshot)
    )
    if source is None and EMBEDDINGS in snapshot.manifest.views:
        raise UsageError(
            f"embeddings of {snapshot.directory} came from a file ({_named(snapshot)}): "
            "name a model, or give them in a file"
        )
    if source is None:
        return load(DEFAULT)
    try:
        return load_again(source)
    except UsageError as error:
        raise UsageError(f"cannot make more embeddings like those of the index: {error}") from error


def _named(snapshot: Snapshot) -> str:
    return snapshot.manifest.views[EMBEDDINGS].source


def _header(encoder: Encoder, there: Source | None) -> Header:
    """The header of the model in use. The same model may round differently on other machines."""
    probe = encoder.source.probe if there is None else there.probe
    place = encoder.source.place or (there.place if there else "")
    return Header(encoder.name, place, probe, encoder.dimensions)


def _is_from(header: Header | None, encoder: Encoder) -> bool:
    if header is None or header.dimensions != encoder.dimensions:
        return False
    return Source(header.name, header.place, header.probe).is_like(encoder.source)


def _encode(
    snapshot: Snapshot,
    texts: Texts,
    encoder: Encoder,
    made: Encoded,
    progress: Progress | None,
    *,
    missing: bool,
) -> int:
    """Make the missing vectors, some at a time; returns how many documents were embedded."""
    wanted = {entry.file for entry in segments_to_embed(snapshot.manifest, missing=missing)}
    segments = [segment for segment in snapshot.segments if segment.entry.file in wanted]
    total = sum(later_in(s.entry) if missing else s.entry.live for s in segments)
    done = 0
    for segment in segments:
        for some in texts.blocks(segment, missing=missing):
            for first in range(0, len(some.texts), AT_ONCE):
                if progress:
                    progress(done, total)
                part = some.texts[first : first + AT_ONCE]
                new = {
                    k: t for k, t in zip(keys_of(part).tolist(), part, strict=True) if k not in made
                }
                if new:
                    made.add(np.fromiter(new, np.uint64, len(new)), encoder(list(new.values())))
                done += len(part)
    if progress:
        progress(done, total)
    return done
