"""Is an index whole? Every byte and every number is looked at, and what is damaged is told by what
it means: which documents cannot be read, and what can be made anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise import arguments
from likewise.errors import StoreError
from likewise.store.dictionary import ShardDictionary, shards_of
from likewise.store.lost_manifest import mended
from likewise.store.manifest import COPY, NAME, SEGMENTS, read_copy, read_manifest
from likewise.store.remains import Remains
from likewise.store.views import centre_of, model_of, open_centre, open_model
from likewise.views import EMBEDDINGS, LATENT, TITLES

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from likewise.store.manifest import Manifest
    from likewise.store.remains import Fault

SHOWN = 20  # ids of a sentence
MEANING = {
    "": "its header, its table of contents or what lies between its parts is damaged",
    "ids": "ids are damaged; saving finds those that their hashes confirm",
    "terms": "its words are damaged: search is not to be trusted",
    "rows": "its vectors are damaged: search is not to be trusted",
    "inverted": "its lists of documents by word are damaged: search is not to be trusted",
    "dense": "its vectors are damaged and lost: nothing else holds them",
    "columns": "its fields are damaged: filters are not to be trusted",
}


class Damage(NamedTuple):
    """A damaged part of an index: its file, what the damage means, and the error that tells it.

    `documents` cannot be read; `ids` are theirs, as far as they are known.
    """

    file: str
    meaning: str
    error: str
    documents: int = 0
    ids: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.file}: {self.meaning}"


class Report(NamedTuple):
    """What `check` has found; `documents` are those that the index should hold."""

    path: str
    documents: int
    damages: tuple[Damage, ...]

    @property
    def sound(self) -> bool:
        return not self.damages

    @property
    def lost(self) -> int:
        """Documents that cannot be read."""
        return sum(damage.documents for damage in self.damages)


def check(path: str | os.PathLike[str]) -> Report:
    """Look at every byte of an index; of a manifest that is damaged there may be a copy."""
    directory = arguments.path("path", path)
    while True:
        manifest, damages = manifest_of(directory)
        if manifest is None:
            return Report(str(directory), 0, damages)
        damages = (*damages, *_copy(directory), *_damages(directory, manifest))
        if not damages or manifest_of(directory)[0] == manifest:  # no writer came between
            return Report(str(directory), manifest.documents, damages)


def manifest_of(directory: Path) -> tuple[Manifest | None, tuple[Damage, ...]]:
    """The manifest or its copy, and what is wrong with it."""
    try:
        return read_manifest(directory), ()
    except StoreError as error:
        found, meaning = (
            read_copy(directory),
            f"the manifest is damaged; its copy, {COPY}, is whole",
        )
        if found is None:
            if not (directory / NAME).exists() and not any((directory / SEGMENTS).glob("*.seg")):
                raise  # there is no index
            found = mended(directory)
            meaning = "the manifest and its copy are damaged; " + (
                "its checksum tells what it was"
                if found
                else "saving looks for what the segments tell of it"
            )
        return found, (Damage(NAME, meaning, str(error)),)


def _copy(directory: Path) -> Iterator[Damage]:
    """The copy of the manifest must be the same, where there is one."""
    try:
        same = (directory / COPY).read_bytes() == (directory / NAME).read_bytes()
    except OSError:
        return  # an older version wrote none
    if not same:
        meaning = "the manifest and its copy differ; the next change writes both anew"
        yield Damage(COPY, meaning, f"{directory / COPY} differs from {NAME}")


def _damages(directory: Path, manifest: Manifest) -> Iterator[Damage]:
    for entry in manifest.segments:
        remains = Remains(directory, entry)
        yield from _of_documents(remains)
        if remains.live is None:
            yield _deletions(remains)
        for name, view in manifest.views.items():
            known = len(remains.faults)
            if remains.view(name, view.dimensions) is None:
                yield _of_view(name, remains.faults[known:], entry.live)
        for name, sparse in manifest.sparse.items():
            known = len(remains.faults)
            if remains.sparse_view(name, sparse.width) is None:
                yield _of_view(name, remains.faults[known:], entry.live)
    yield from _of_shards(directory, manifest)
    models: dict[str, Callable[[], object]] = {
        LATENT: lambda: _checked_model(directory, manifest),
        EMBEDDINGS: lambda: _checked_centre(directory, manifest),
    }
    for name, view in manifest.views.items():
        try:
            models[name]()
        except StoreError as error:
            yield Damage(view.file or "", VIEW_MEANING[name].format(""), str(error))


def _of_shards(directory: Path, manifest: Manifest) -> Iterator[Damage]:
    """What says which terms of the shards are the same."""
    for shard, end in shards_of(manifest):
        try:
            ShardDictionary(directory, (), shard, end).verify()
        except StoreError as error:
            meaning = f"{shard.folder} opens alone, but not with the others: index them anew"
            yield Damage(shard.file, meaning, str(error))


VIEW_MEANING = {
    LATENT: "the latent space{} is damaged: `likewise latent` makes it anew",
    TITLES: "the parts of titles{} are damaged: `likewise views --add titles` makes them anew",
    EMBEDDINGS: "the embeddings{} are damaged: `likewise embed` makes or brings them anew",
}


def _of_view(name: str, faults: Sequence[Fault], documents: int) -> Damage:
    meaning = VIEW_MEANING[name].format(f" of {documents:,} documents")
    return Damage(faults[0].file, meaning, faults[0].error)


def _of_documents(remains: Remains) -> Iterator[Damage]:
    """One for each damaged part of a segment's file; if documents are lost, it says which."""
    own = [fault for fault in remains.faults if fault.file == remains.entry.file]
    by_part = {fault.part: fault.error for fault in reversed(own)}
    live = np.ones(remains.entry.documents, np.bool_) if remains.live is None else remains.live
    lost = np.flatnonzero(live & ~remains.readable) if by_part else np.zeros(0, np.int64)
    ids = tuple(id for number in lost.tolist() if (id := remains.ids[number]) is not None)
    if len(lost):
        by_part.setdefault("records", own[0].error)
    for part, error in by_part.items():
        if part == "records":
            meaning = _lost(len(lost), int(live.sum()), ids)
            yield Damage(remains.entry.file, meaning, error, len(lost), ids)
        else:
            yield Damage(remains.entry.file, MEANING.get(part, f"{part} is damaged"), error)


def _lost(count: int, documents: int, ids: Sequence[str]) -> str:
    if not count:
        return "a copy or a table of the documents is damaged; all of them can be read"
    named = ", ".join(ids[:SHOWN]) + (", …" if len(ids) > SHOWN else "")
    said = f": {named}" if named else ", their ids are not known"
    return f"{count:,} of {documents:,} documents cannot be read{said}"


def _deletions(remains: Remains) -> Damage:
    entry = remains.entry
    fault = next(one for one in remains.faults if one.file.endswith(".del"))
    deleted = entry.documents - entry.live
    meaning = f"which {deleted:,} of {entry.documents:,} documents are deleted is not known"
    return Damage(fault.file, meaning, fault.error)


def _checked_model(directory: Path, manifest: Manifest) -> None:
    if (file := open_model(directory, manifest)) is not None:
        file.verify()
        model_of(file, manifest.terms)


def _checked_centre(directory: Path, manifest: Manifest) -> None:
    if (file := open_centre(directory, manifest)) is not None:
        file.verify()
        centre_of(file)
