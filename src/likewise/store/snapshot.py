"""One generation of an index, opened for reading: live documents numbered 0 … n−1 without gaps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.errors import StoreError
from likewise.store.disk import REBUILD
from likewise.store.manifest import read_manifest
from likewise.store.segment import Segment
from likewise.store.strings import encode

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from likewise.store.manifest import Manifest

ATTEMPTS = 3  # a writer may remove files between reading the manifest and opening them


class Snapshot:
    """Stays as it is whatever writers do: the files it maps outlive their names."""

    def __init__(self, directory: Path, manifest: Manifest, segments: list[Segment]) -> None:
        self.directory = directory
        self.manifest = manifest
        self.segments = segments
        counts = [segment.entry.live for segment in segments]
        self.firsts = np.cumsum([0, *counts])  # each segment's first document, and their number

    @classmethod
    def open(cls, directory: Path, earlier: Snapshot | None = None) -> Snapshot:
        """Open the newest generation, using again what `earlier` has opened already."""
        opened = {s.entry.file: s for s in earlier.segments} if earlier else {}
        for _ in range(ATTEMPTS):
            manifest = read_manifest(directory)
            try:
                segments = [Segment(directory, e, opened.get(e.file)) for e in manifest.segments]
            except FileNotFoundError as error:
                missing = error.filename
            else:
                return cls(directory, manifest, segments)
        raise StoreError(f"{missing} is missing: {REBUILD}")

    def __len__(self) -> int:
        return int(self.firsts[-1])

    @property
    def generation(self) -> int:
        return self.manifest.generation

    @property
    def terms(self) -> int:
        """Terms in the dictionary: the width of the matrix."""
        return self.manifest.terms

    def numbers(self, ids: Sequence[str]) -> NDArray[np.int64]:
        """The documents' numbers, -1 for an id that is not in the index."""
        found = np.full(len(ids), -1, np.int64)
        encoded = encode(ids)
        for first, segment in zip(self.firsts, self.segments, strict=False):
            local = segment.ids.find_encoded(encoded)
            before = np.searchsorted(segment.deleted, local)
            after = np.searchsorted(segment.deleted, local, "right")
            live = (local >= 0) & (before == after)
            found[live] = (first + local - before)[live]
        return found

    def ids(self, numbers: Iterable[int]) -> list[str]:
        return [segment.ids[local] for segment, local in map(self._locate, numbers)]

    def record(self, number: int) -> memoryview:
        """A document as it was given: one JSON object."""
        segment, local = self._locate(number)
        return segment.records(local, local + 1).data

    def term_numbers(self, terms: Sequence[str]) -> NDArray[np.int64]:
        """The terms' numbers, -1 for a term that no document has had."""
        found = np.full(len(terms), -1, np.int64)
        encoded = encode(terms)
        for segment in self.segments:
            local = segment.terms.find_encoded(encoded)
            found[local >= 0] = segment.first_term + local[local >= 0]
        return found

    def term_names(self, numbers: Iterable[int]) -> list[str]:
        ends = np.array([segment.width for segment in self.segments])
        named = []
        for number in numbers:
            segment = self.segments[int(np.searchsorted(ends, number, "right"))]
            named.append(segment.terms[int(number) - segment.first_term])
        return named

    def verify(self) -> None:
        """Check every byte of every file."""
        for segment in self.segments:
            segment.verify()

    def _locate(self, number: int) -> tuple[Segment, int]:
        if not 0 <= number < len(self):
            raise IndexError(f"document {number} of {len(self)}")
        place = int(np.searchsorted(self.firsts, number, "right")) - 1
        segment = self.segments[place]
        local = int(number) - int(self.firsts[place])
        return segment, local if segment.live is None else int(segment.live[local])
