"""Several indexes as shards of one: their terms numbered through, no id in two of them.

A shard is an ordinary index in a folder of the whole. The manifest of the whole lists the segments
of all shards, as they are when these are joined, so it is one generation of all of them.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from xxhash import xxh3_128_digest

from likewise.engines import DEFAULT
from likewise.errors import DuplicateError, UsageError
from likewise.store.arrays import joined
from likewise.store.container import ContainerWriter, removed_on_failure
from likewise.store.dictionary import NUMBERS
from likewise.store.shards import MOST_TERMS, ShardEntry, Sharding, folder_of
from likewise.store.snapshot import Snapshot
from likewise.store.sources import by_name
from likewise.store.strings import Flat, batches, flatten
from likewise.store.views import complete

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from likewise.store.manifest import SegmentEntry
    from likewise.store.sources import SourceCounts
    from likewise.store.transaction import Transaction

    Numbers = NDArray[np.uint32]
    Digest = Callable[[bytes], bytes]


class InTwoShardsError(DuplicateError):
    """A document is in two shards: for each its shard's folder, and its number there."""

    def __init__(self, message: str, id: str, places: Sequence[tuple[Path, int]]) -> None:
        super().__init__(message)
        self.id, self.places = id, places


def join(
    change: Transaction,
    folders: Sequence[str],
    *,
    kept: int | None = None,
    edited: Mapping[str, SegmentEntry] = {},
    sources: Sequence[SourceCounts] | None = None,
    no_id_twice: bool = False,
    threads: int = 1,
    engine: str = DEFAULT,
) -> list[SegmentEntry]:
    """Make the indexes in these folders shards behind the first `kept` that are there, by default
    all. Returns the segments of the whole, to be committed.

    `edited` are segments of any of them that are not as the manifests say, by their files;
    `sources` what was read from which file, if that is not what all shards say together.
    """
    there = Snapshot.open(change.directory)
    known = there.manifest.sharding.shards if there.manifest.sharding else ()
    terms = there.terms if kept is None else [*(s.first for s in known), there.terms][kept]
    known = known[:kept]
    shards = [Snapshot.open(change.directory / folder) for folder in folders]
    every = shards if kept == 0 else [there, *shards]
    filled = [shard for shard in every if shard.segments]
    _refuse_others(filled)
    if not no_id_twice:
        _refuse_same_ids(every)
    numbering, entries = Numbering(), [*known]
    numbering.add(flatten(there.term_names(range(terms))))
    for folder, shard in zip(folders, shards, strict=True):
        first, numbers = numbering.terms, numbering.add(_terms(shard))
        file, size = _write(change, numbers)
        entries.append(ShardEntry(folder, shard.generation, shard.terms, first, file, bytes=size))
        if numbering.terms > MOST_TERMS:
            raise UsageError(f"{change.directory} would have more than {MOST_TERMS:,} terms")
    for shard in filled:
        change.roots |= shard.manifest.roots
    if sources is None:
        counted = chain.from_iterable(shard.manifest.sources for shard in every)
        sources = tuple(by_name(counted).values())
    begun = filled[0].manifest if filled else change.manifest
    change.sparse = begun.sparse
    change.manifest = msgspec.structs.replace(
        change.manifest,
        sharding=Sharding(len(entries), tuple(entries), numbering.terms),
        sources=tuple(sources),
        probe=begun.probe,
        kind=change.manifest.kind or begun.kind,
        identity=change.manifest.identity or begun.identity,
    )
    owners = {shard.folder for shard in known}
    stay = [entry for entry in there.manifest.segments if folder_of(entry.file) in owners]
    new = (
        inside(folder, entry)
        for folder, shard in zip(folders, shards, strict=True)
        for entry in shard.manifest.segments
    )
    segments = [edited.get(entry.file, entry) for entry in (*stay, *new)]
    return complete(change, segments, threads, engine)


def _refuse_others(shards: Sequence[Snapshot]) -> None:
    """Shards must hold the same kind of documents, analysed in the same way."""
    for shard in shards[1:]:
        for what in ("kind", "settings", "probe", "sparse"):
            if getattr(shard.manifest, what) != getattr(shards[0].manifest, what):
                raise UsageError(
                    f"{shard.directory} and {shards[0].directory} differ in their {what}: "
                    "shards of one index are made in the same way"
                )


def _refuse_same_ids(shards: Sequence[Snapshot]) -> None:
    """The hashes of ids, which are there already, tell which ids are to be compared."""
    hashes, owners, places = [], [], []
    for number, shard in enumerate(shards):
        for first, segment in zip(shard.firsts, shard.segments, strict=False):
            own = segment.ids.columns()[2]
            live = own if segment.live is None else own[segment.live]
            hashes.append(live)
            owners.append(np.full(len(live), number, np.uint32))
            places.append(first + np.arange(len(live)))
    if not hashes:
        return
    hashed, owner, place = map(np.concatenate, (hashes, owners, places))
    order = np.argsort(hashed, kind="stable")  # equal ones by shard
    edges = np.flatnonzero(np.append(True, hashed[order][1:] != hashed[order][:-1]))
    several = np.minimum.reduceat(owner[order], edges) < np.maximum.reduceat(owner[order], edges)
    ends = np.append(edges[1:], len(order))
    again: list[tuple[tuple[int, int], tuple[int, int], str]] = []
    for start, end in zip(edges[several].tolist(), ends[several].tolist(), strict=True):
        again += _same_ids(shards, [(int(owner[i]), int(place[i])) for i in order[start:end]])
    if again:
        later, earlier, id = min(again)
        others = f" (and {len(again) - 1:,} more)" if len(again) > 1 else ""
        places = [(shards[shard].directory, number) for shard, number in (earlier, later)]
        raise InTwoShardsError(
            f"document {id!r} is in {places[0][0]} and again in {places[1][0]}{others}", id, places
        )


def _same_ids(
    shards: Sequence[Snapshot], found: Iterable[tuple[int, int]]
) -> Iterator[tuple[tuple[int, int], tuple[int, int], str]]:
    """Documents whose id one of an earlier shard has: where they are, where that is, the id."""
    known: dict[str, tuple[int, int]] = {}
    for shard, number in found:
        (id,) = shards[shard].ids([number])
        if id in known:
            yield (shard, number), known[id], id
        known.setdefault(id, (shard, number))


def _terms(shard: Snapshot) -> Flat:
    """All terms of an index, by number."""
    tables = [segment.terms.columns()[:2] for segment in shard.segments]
    text = b"".join(text.tobytes() for text, _ in tables)
    lengths = [np.diff(starts) for _, starts in tables]
    return Flat(text, np.cumsum(joined(lengths, np.int64)).astype(np.uint64))


def _write(change: Transaction, numbers: Numbers) -> tuple[str, int]:
    file = change.new_file(NUMBERS)
    writer = ContainerWriter(change.directory / file, NUMBERS)
    with removed_on_failure(writer):
        writer.array(NUMBERS, numbers)
        return file, writer.close()


def inside(folder: str, entry: SegmentEntry) -> SegmentEntry:
    """A segment of a shard, its files as seen from the whole. Dense views that a shard has alone
    are not those of the whole.
    """
    deletions = entry.deletions
    return msgspec.structs.replace(
        entry,
        file=f"{folder}/{entry.file}",
        deletions=deletions
        and msgspec.structs.replace(deletions, file=f"{folder}/{deletions.file}"),
        views={},
        sparse={
            name: msgspec.structs.replace(rows, file=f"{folder}/{rows.file}")
            for name, rows in entry.sparse.items()
        },
    )


class Numbering:
    """Numbers terms in order of first appearance over several dictionaries.

    A term is known by its hash of 128 bits: found by the first half, told from others by the
    second. Those whose first half another had before, hardly ever any, are kept apart.
    """

    def __init__(self, digest: Digest = xxh3_128_digest) -> None:
        self.terms = 0
        self._digest = digest
        self._halves = np.zeros((0, 2), np.uint64)  # first halves ascend
        self._numbers = np.zeros(0, np.uint32)
        self._apart: dict[bytes, int] = {}

    def add(self, terms: Flat) -> Numbers:
        """The numbers of a dictionary's terms, each of which is in it once."""
        digests = b"".join(map(self._digest, chain.from_iterable(batches(terms))))
        halves = np.frombuffer(digests, ">u8").reshape(-1, 2).astype(np.uint64)
        numbers = np.zeros(len(halves), np.uint32)
        places, seen = self._look_up(halves[:, 0])
        known = seen & (self._halves[places, 1] == halves[:, 1]) if len(self._halves) else seen
        numbers[known] = self._numbers[places[known]]
        fresh = ~known
        doubtful = fresh & seen
        doubtful[fresh] |= _seen_before(halves[fresh, 0])
        for i in np.flatnonzero(doubtful).tolist():
            there = self._apart.get(digests[16 * i : 16 * i + 16])
            if there is not None:
                numbers[i], fresh[i], doubtful[i] = there, False, False
        numbers[fresh] = np.arange(self.terms, self.terms + np.count_nonzero(fresh))
        self.terms += int(np.count_nonzero(fresh))
        for i in np.flatnonzero(doubtful).tolist():
            self._apart[digests[16 * i : 16 * i + 16]] = int(numbers[i])
        plain = fresh & ~doubtful
        self._keep(halves[plain], numbers[plain])
        return numbers

    def _look_up(self, firsts: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Where each would be, and whether it is there."""
        if not len(self._halves):
            return np.zeros(len(firsts), np.int64), np.zeros(len(firsts), np.bool_)
        places = np.minimum(np.searchsorted(self._halves[:, 0], firsts), len(self._halves) - 1)
        return places, self._halves[places, 0] == firsts

    def _keep(self, halves: NDArray[np.uint64], numbers: Numbers) -> None:
        order = np.argsort(halves[:, 0])
        at = np.searchsorted(self._halves[:, 0], halves[order, 0])
        self._halves = np.insert(self._halves, at, halves[order], axis=0)
        self._numbers = np.insert(self._numbers, at, numbers[order])


def _seen_before(values: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Which values an earlier one is equal to."""
    again = np.ones(len(values), np.bool_)
    again[np.unique(values, return_index=True)[1]] = False
    return again
