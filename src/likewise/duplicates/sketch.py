"""What finds pairs worth comparing without the records: keys of each document of a segment.

A segment never changes, so its sketch is made once, and kept beside the index where it is large:
224 bytes a document, mapped when they are needed. Documents that share a key are in one bucket.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from xxhash import xxh3_64_hexdigest, xxh3_64_intdigest

from likewise.duplicates import candidates
from likewise.duplicates.candidates import TEXTS, TITLES
from likewise.duplicates.facts import as_array
from likewise.errors import StoreError
from likewise.store.container import TRAILER, Container, ContainerWriter, removed_on_failure

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from numpy.typing import NDArray

    from likewise.duplicates.facts import Facts
    from likewise.store.segment import Segment
    from likewise.store.snapshot import Snapshot

SEED = 20_260_101
BY_VALUE = 3  # title, DOI, PMID
BANDS = BY_VALUE + TITLES.b + TEXTS.b
VERSION = 1  # of what a key is
FOLDER, SUFFIX, KIND = "duplicates", ".keys", "duplicates"
OURS = re.compile(r"\d+-[0-9a-f]{16}\.(keys|\d+\.new)")
FEWEST = 512  # documents of a segment whose sketch has a file of its own


class Sketch(NamedTuple):
    """Of each band the keys, ascending, and whose they are; 0 is no key.

    `order` is a hash of each document's content.
    """

    keys: NDArray[np.uint32]
    places: NDArray[np.uint32]
    order: NDArray[np.uint64]

    @property
    def documents(self) -> int:
        return len(self.order)

    @property
    def makes_sense(self) -> bool:
        """Whether it can be one at all, as far as that can be told at once."""
        shape = (BANDS, self.documents)
        if self.keys.shape != shape or self.places.shape != shape:
            return False
        ascending = bool((self.keys[:, 1:] >= self.keys[:, :-1]).all())
        return ascending and int(self.places.max(initial=0)) < max(self.documents, 1)

    def of(self, documents: NDArray[np.int64]) -> NDArray[np.uint32]:
        """The keys of some documents, in any order: one row a band."""
        if len(documents) == self.documents:
            return self.keys
        at = np.full(self.documents, -1, np.int64)
        at[documents] = np.arange(len(documents))
        found = np.zeros((BANDS, len(documents)), np.uint32)
        for band in range(BANDS):
            wanted = at[self.places[band]]
            here = wanted >= 0
            found[band, wanted[here]] = self.keys[band][here]
        return found

    def bucket(
        self, band: int, keys: NDArray[np.uint32]
    ) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
        """The documents that have one of these keys, which ascend, and which each has."""
        first = np.searchsorted(self.keys[band], keys, "left")
        counts = np.searchsorted(self.keys[band], keys, "right") - first
        ends = np.cumsum(counts)
        places = np.repeat(first - (ends - counts), counts) + np.arange(counts.sum())
        return self.places[band][places].astype(np.int64), np.repeat(keys, counts)


def make(snapshot: Snapshot, place: int, facts: Facts) -> Sketch:
    """The sketch of a segment; nothing in it depends on other documents."""
    titles = candidates.hashes_of(facts.titles)
    words = [candidates.together(candidates.title_sets(facts.titles))]
    terms = candidates.term_sets(snapshot, place)
    by_value = np.stack([titles, as_array(facts.dois), as_array(facts.pmids)])
    by_title = candidates.band_keys(words, TITLES, 2, SEED)
    by_text = candidates.band_keys(terms, TEXTS, candidates.FEWEST_TERMS, SEED + 1)
    whole = np.concatenate([by_value, by_title, by_text])
    short = (whole >> np.uint64(32)).astype(np.uint32) | (whole != 0)  # 0 stays no key
    places = np.argsort(short, axis=1, kind="stable").astype(np.uint32)
    return Sketch(np.take_along_axis(short, places, 1), places, titles ^ by_text[0])


def name_of(segment: Segment) -> str:
    """A name that no other segment has: the end of a file vouches for all that is in it."""
    content = segment.files()[segment.entry.file].content
    return f"{segment.path.stem}-{xxh3_64_hexdigest(content[-TRAILER.size :])}"


def read(directory: Path, name: str) -> Sketch | None:
    """The sketch that was kept under this name; None if there is none, or it is damaged."""
    try:
        file = Container(directory / FOLDER / f"{name}{SUFFIX}", KIND)
        if file.metadata.get("of") != _digest(name):
            return None
        found = Sketch(file.array("keys"), file.array("places"), file.array("order"))
    except StoreError:
        return None
    return found if found.makes_sense else None


def write(directory: Path, name: str, sketch: Sketch) -> Sketch:
    """Keep a sketch and return it mapped; where that is not allowed, return it as it is."""
    folder = directory / FOLDER
    temporary = folder / f"{name}.{os.getpid()}.new"
    if folder.is_symlink():  # whoever made the index does not say where else we write
        return sketch
    try:
        folder.mkdir(exist_ok=True)
        temporary.unlink(missing_ok=True)
        writer = ContainerWriter(temporary, KIND)
        with removed_on_failure(writer):
            for part, values in sketch._asdict().items():
                writer.array(part, values)
            writer.close(of=_digest(name))
        temporary.replace(folder / f"{name}{SUFFIX}")
    except (OSError, StoreError):
        return sketch
    return read(directory, name) or sketch


def clean(directory: Path, names: Collection[str]) -> None:
    """Remove what was kept of other segments than these."""
    folder, wanted = directory / FOLDER, {f"{name}{SUFFIX}" for name in names}
    if folder.is_symlink():
        return
    with suppress(OSError):
        for file in folder.iterdir():
            if file.name not in wanted and OURS.fullmatch(file.name):
                file.unlink(missing_ok=True)


def _digest(name: str) -> int:
    return xxh3_64_intdigest(f"{VERSION} {name}".encode()) >> 1  # a number that JSON readers take
