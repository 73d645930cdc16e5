"""The terms of an index by number and by name: of its segments or, where it has them, its shards.

Every shard numbers its terms in order of first appearance, as an index of its own does. A file says
which number each has among the terms of all shards, where the order is that of the shards: so terms
have the numbers that they would have if all documents were in one index.
"""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING

import numpy as np

from likewise.store import structure
from likewise.store.container import Container, read_together
from likewise.store.shards import folder_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from likewise.corpus import Stored
    from likewise.store.manifest import Manifest
    from likewise.store.segment import Segment
    from likewise.store.shards import ShardEntry
    from likewise.store.strings import StringTable

    Numbers = NDArray[np.uint32]

NUMBERS = "numbers"  # kind of file, and its section


class Dictionary:
    """Terms of segments that share one numbering: an index without shards, or a shard."""

    def __init__(self, segments: Sequence[Segment], terms: int) -> None:
        self.segments = segments
        self.first, self.end = 0, terms  # the numbers of terms that were first used here

    @property
    def numbers(self) -> Numbers | None:
        """The number of each term among those of all shards; None if it is the same."""
        return None

    @property
    def files(self) -> dict[str, Container]:
        return {}

    def tables(self, segment: Segment) -> list[StringTable]:
        """The terms of a segment's columns, in their order."""
        return [one.terms for one in self.segments if one.first_term <= segment.first_term]

    def find(self, terms: Sequence[bytes]) -> NDArray[np.int64]:
        """The numbers of terms, given in UTF-8; -1 for one that is not here."""
        found = np.full(len(terms), -1, np.int64)
        for segment in self.segments:
            local = segment.terms.find(terms)
            found[local >= 0] = segment.first_term + local[local >= 0]
        return found

    def names(self, numbers: NDArray[np.int64]) -> NDArray[np.object_]:
        """The terms of some numbers from `first` to before `end`."""
        found = np.empty(len(numbers), object)
        for segment in self.segments:
            first = segment.first_term
            here = (first <= numbers) & (numbers < segment.width)
            found[here] = segment.terms.strings(numbers[here] - first)
        return found

    def verify(self) -> None:
        """Check every byte of its own files."""


class ShardDictionary(Dictionary):
    """The terms of a shard by the numbers of all shards."""

    def __init__(
        self, directory: Path, segments: Sequence[Segment], entry: ShardEntry, end: int
    ) -> None:
        super().__init__(segments, end)
        self.first, self._entry = entry.first, entry
        self._file = Container(directory / entry.file, NUMBERS, entry.bytes)

    @cached_property
    def numbers(self) -> Numbers:
        structure.expect(self._file, NUMBERS, structure.NUMBER, (self._entry.terms,))
        numbers: Numbers = self._file.array(NUMBERS)
        self._file.once(NUMBERS, lambda: self._check(numbers))
        return numbers

    @property
    def files(self) -> dict[str, Container]:
        return {self._entry.file: self._file}

    def find(self, terms: Sequence[bytes]) -> NDArray[np.int64]:
        local = super().find(terms)
        found = np.full(len(terms), -1, np.int64)
        found[local >= 0] = self.numbers[local[local >= 0]]
        return found

    def names(self, numbers: NDArray[np.int64]) -> NDArray[np.object_]:
        return super().names(self._fresh[numbers - self.first])

    def verify(self) -> None:
        self._file.verify()
        _ = self.numbers

    @cached_property
    def _fresh(self) -> NDArray[np.int64]:
        """The terms that were first used here, by their own numbers."""
        return np.flatnonzero(self.numbers >= self.first)

    def _check(self, numbers: Numbers) -> None:
        fresh = numbers[numbers >= self.first]
        structure.require(len(fresh) == self.end - self.first, "it has other terms of its own")
        wanted = np.arange(self.first, self.end)
        structure.require(bool((fresh == wanted).all()), "its own terms are not in order")
        known = numbers[numbers < self.first]
        structure.require(len(np.unique(known)) == len(known), "two terms have one number")


def stored_rows(dictionaries: Iterable[Dictionary], threads: int = 1) -> list[Stored]:
    """The rows of all segments as engines take them, by the numbers of all terms.

    Their bytes are read here, by several threads; those of the inverted files, by as many, when the
    first of these is asked for.
    """
    pairs = [(one.numbers, segment) for one in dictionaries for segment in one.segments]
    segments = [segment for _, segment in pairs]
    counted = [segment for segment in segments if segment.family == "counts"]
    read_together([segment.to_score() for segment in segments], threads)
    structure.check_counts_together([segment.counted for segment in counted], threads)

    @cache
    def read_inverted() -> None:
        read_together([segment.to_invert() for segment in counted], threads)
        inverted = [segment.inverted_counts for segment in counted]
        structure.check_counts_together(inverted, threads)

    return [segment.stored(read_inverted)._replace(numbers=numbers) for numbers, segment in pairs]


def check_first_terms(segments: Iterable[Segment]) -> None:
    """Refuse segments whose terms are not numbered through, in an index or in each shard."""
    folder, terms = "", 0
    for segment in segments:
        if (own := folder_of(segment.entry.file)) != folder:
            folder, terms = own, 0
        if segment.first_term != terms:
            raise segment.damaged(f"its first term is {segment.first_term} instead of {terms}")
        terms = segment.width


def shards_of(manifest: Manifest) -> Iterator[tuple[ShardEntry, int]]:
    """Each shard, and the number after the last term that it was first to use."""
    if manifest.sharding is not None:
        yield from zip(manifest.sharding.shards, manifest.sharding.ends, strict=True)


def dictionaries(
    directory: Path, manifest: Manifest, segments: Sequence[Segment]
) -> list[Dictionary]:
    """Those of an index' shards, in their order; one where there are no shards."""
    owned: dict[str, list[Segment]] = {}
    for segment in segments:
        owned.setdefault(folder_of(segment.entry.file), []).append(segment)
    shards = [
        ShardDictionary(directory, owned.get(shard.folder, ()), shard, end)
        for shard, end in shards_of(manifest)
    ]
    return [*shards] or [Dictionary(segments, manifest.terms)]
