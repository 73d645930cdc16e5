"""A manifest that is damaged together with its copy: mended, or made anew from the segments.

What a mended one says is vouched for by its checksum. What the segments do not tell is said.
"""

from __future__ import annotations

import re
from contextlib import suppress
from itertools import chain, groupby, product
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from likewise.errors import StoreError
from likewise.store import structure
from likewise.store.container import Container
from likewise.store.manifest import (
    COPY,
    MOST,
    NAME,
    SEGMENTS,
    Deletions,
    Manifest,
    SegmentEntry,
    ViewEntry,
    decode_manifest,
    has_files,
)
from likewise.store.mending import MendedContainer, flipped
from likewise.store.remains import Remains, documents_in
from likewise.store.segment import DELETIONS, SEGMENT
from likewise.store.settings_told import Told, told
from likewise.store.views import CENTRE, MODEL
from likewise.views import LATENT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from likewise.store.manifest import KindName
    from likewise.text import AnalyzerSettings

LONGEST = 16 << 10  # bytes of a manifest in which each bit is tried
MOST_PLACES = 12  # where it differs from its copy, that are taken from either
FAMILIES: dict[str, KindName] = {"dense": "dense", "values": "values"}
NUMBERS = ("documents", "first_term", "terms")  # that a segment says of itself
DELETED = re.compile(r"(\d+)\.g(\d+)\.del")


class Rebuilt(NamedTuple):
    manifest: Manifest
    notes: tuple[str, ...]


def mended(directory: Path) -> Manifest | None:
    """The manifest as its checksum says it was: one bit was wrong, or its copy has the rest."""
    content, copy = (_content(directory / name) for name in (NAME, COPY))
    for changed in chain(_mixed(content, copy), _flipped(content)):
        with suppress(StoreError):
            return decode_manifest(directory / NAME, changed)
    for changed in _flipped(copy):
        with suppress(StoreError):
            found = decode_manifest(directory / COPY, changed)
            return found if has_files(directory, found) else None  # it may be of earlier
    return None


def _flipped(content: bytes) -> Iterator[bytes]:
    return flipped(content) if len(content) <= LONGEST else iter(())


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _mixed(one: bytes, other: bytes) -> Iterator[bytes]:
    """Where two of the same length differ, one place from this and the next from that one."""
    if len(one) != len(other):
        return
    parts = [
        (same, one[places[0] : places[-1] + 1], other[places[0] : places[-1] + 1])
        for same, group in groupby(range(len(one)), lambda at: one[at] == other[at])
        if (places := list(group))
    ]
    if sum(not same for same, _, _ in parts) <= MOST_PLACES:
        choices = ((a,) if same else (a, b) for same, a, b in parts)
        yield from map(b"".join, product(*choices))


def rebuilt(directory: Path, settings: AnalyzerSettings | None = None) -> Rebuilt:
    """What the files in the folder tell; `settings` where the caller knows how text was analysed.

    Raises a StoreError if they do not tell enough.
    """
    entries = _entries(directory)
    if not entries:
        raise StoreError(
            f"nothing of {directory} can be saved: its manifest is damaged, and so is its copy, "
            "and there is no segment that could be read"
        )
    known = [Remains(directory, entry) for entry in entries]
    kind, notes = _kind(known), []
    if kind is None:
        found = Told("text", settings) if settings else told(known)
        if found.settings is None and found.kind == "text":
            raise StoreError(
                f"the manifest of {directory} is damaged, and so is its copy, and its words do not "
                "tell how text was analysed: give --language, --fields, --stop-words and --bigrams "
                "as they were (in Python settings=AnalyzerSettings(…))"
            )
        kind, settings = found.kind, found.settings
    if settings:
        notes.append(f"text is analysed with {_said(settings)}")
    views, lost = _views(directory)
    notes.append("folders that were added are no longer known by name")
    notes.append("its own name, and what was read from which file, are no longer known")
    manifest = Manifest(
        msgspec.to_builtins(settings) if settings else {},
        kind=kind,
        segments=tuple(entries),
        views=views,
        latent=views[LATENT].dimensions if views else None,
    )
    return Rebuilt(manifest, (*notes, *lost))


def _said(settings: AnalyzerSettings) -> str:
    stop, pairs = settings.stop_words, settings.bigrams
    return (
        f"--language {settings.language} --fields {','.join(settings.fields)} "
        f"--{'' if stop else 'no-'}stop-words --{'' if pairs else 'no-'}bigrams"
    )


def _entries(directory: Path) -> list[SegmentEntry]:
    """Segments in their order: each begins with the terms after those of the one before."""
    found = []
    deletions = _deletions(directory)
    for path in sorted((directory / SEGMENTS).glob("*.seg")):
        size = path.stat().st_size
        file = _opened(path)
        if file is None:  # it can come anywhere: nobody asks for its terms
            documents, first, terms = documents_in(path), MOST, MOST
        else:
            documents, first, terms = (file.metadata[name] for name in NUMBERS)
        if documents:
            deleted = deletions.get(path.stem)
            entry = SegmentEntry(f"{SEGMENTS}/{path.name}", size, documents, terms, deleted)
            found.append((first, terms, entry))
    return [entry for _, _, entry in sorted(_newest(found), key=lambda one: one[:2])]


def _newest(found: Iterable[tuple[int, int, SegmentEntry]]) -> list[tuple[int, int, SegmentEntry]]:
    """Without those that a later one was merged from: no two bring the same terms."""
    kept: list[tuple[int, int, SegmentEntry]] = []
    for first, last, entry in sorted(found, key=lambda one: one[2].file, reverse=True):
        if not any(max(first, a) < min(last, b) for a, b, _ in kept):
            kept.append((first, last, entry))
    return kept


def _opened(path: Path) -> Container | None:
    for kind in (Container, MendedContainer):
        with suppress(StoreError):
            file = kind(path, SEGMENT)
            if set(NUMBERS) <= file.metadata.keys():
                return file
    return None


def _deletions(directory: Path) -> dict[str, Deletions]:
    """Of each segment the newest list of what was deleted."""
    newest: dict[str, tuple[int, Deletions]] = {}
    for path in (directory / SEGMENTS).glob("*.del"):
        if named := DELETED.fullmatch(path.name):
            segment, generation = named[1], int(named[2])
            try:
                count = Container(path, DELETIONS).size("deleted")
            except StoreError:
                count = 0  # `Remains` finds it damaged, and says so
            found = Deletions(f"{SEGMENTS}/{path.name}", path.stat().st_size, count)
            newest[segment] = max(newest.get(segment, (-1, found)), (generation, found), key=_first)
    return {segment: found for segment, (_, found) in newest.items()}


def _first(pair: tuple[int, Deletions]) -> int:
    return pair[0]


def _kind(known: Iterable[Remains]) -> KindName | None:
    """None for counts, which may be of text."""
    families = {structure.family_of(one.file) for one in known if one.file is not None}
    return next((FAMILIES[family] for family in families if family in FAMILIES), None)


def _views(directory: Path) -> tuple[dict[str, ViewEntry], list[str]]:
    """A latent space is learned anew; nothing says what embeddings were made by."""
    views, lost = {}, []
    for path in sorted((directory / SEGMENTS).glob("*.model")):
        for kind in (MODEL, CENTRE):
            with suppress(StoreError):
                dimensions = Container(path, kind).number("dimensions")
                if kind == MODEL:
                    views[LATENT] = ViewEntry(dimensions, 0)
                else:
                    lost.append(
                        "the embeddings are lost: `likewise embed` makes or brings them anew"
                    )
    return views, lost
