"""Pairs of documents worth comparing, by MinHash in bands: linear in the size of the index.

Two sets share a band of r hashes with probability J^r, J their Jaccard similarity, and one of b
bands with 1 − (1 − J^r)^b. Sets are the words of titles, and the terms of documents as the index
counts them. Documents of one bucket are put in an order of their content, and each is compared with
the next few: a bucket of m documents gives at most m · WINDOW pairs. Nothing depends on the order
of documents in the index: hashes are of the words themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from xxhash import xxh3_64_intdigest

from likewise.duplicates.titles import words_of
from likewise.store.packing import between

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from likewise.store.snapshot import Snapshot

    Hashes = NDArray[np.uint64]
    Keys = NDArray[np.uint32]

WINDOW = 6  # others in its bucket that a document is compared with
CHUNK = 8192  # documents hashed at a time
PAIR_BITS = 15  # of a 64-bit key, to tell pairs apart; the others are of a word's hash
FEWEST_TERMS = 8  # of a document whose terms are looked at


class Bands(NamedTuple):
    """b bands of r hashes each."""

    b: int
    r: int


TITLES = Bands(16, 4)
TEXTS = Bands(8, 5)


class Sets(NamedTuple):
    """Sets of hashes: that of document i is values[starts[i]:starts[i + 1]]."""

    values: Hashes
    starts: NDArray[np.int64]


class _Words(dict[str, int]):
    """The hash of each word, computed once."""

    def __missing__(self, word: str) -> int:
        found = self[word] = xxh3_64_intdigest(word.encode("utf-8", "surrogatepass"))
        return found


def title_sets(titles: Sequence[str]) -> Iterator[Sets]:
    known = _Words()
    for first in range(0, len(titles), CHUNK):
        sets = [dict.fromkeys(words_of(title)) for title in titles[first : first + CHUNK]]
        values = [known[word] for words in sets for word in words]
        starts = np.cumsum([0, *map(len, sets)], dtype=np.int64)
        yield Sets(np.array(values, np.uint64), starts)


def term_sets(snapshot: Snapshot, place: int) -> Iterator[Sets]:
    """The terms of each document of a segment, as the core counted them."""
    segment = snapshot.segments[place]
    hashes = np.concatenate(
        [
            np.zeros(0, np.uint64),
            *(table.columns()[2] for table in snapshot.term_tables(segment)),
        ]
    )
    rows = segment.rows
    columns, starts = rows["columns"], rows["starts"].astype(np.int64)
    for first in range(0, segment.documents, CHUNK):
        here = starts[first : min(first + CHUNK, segment.documents) + 1]
        yield Sets(hashes[between(columns, int(here[0]), int(here[-1]))], here - here[0])


def together(sets: Iterable[Sets]) -> Sets:
    values, lengths = [np.zeros(0, np.uint64)], [np.zeros(1, np.int64)]
    for some in sets:
        values.append(some.values)
        lengths.append(np.diff(some.starts))
    return Sets(np.concatenate(values), np.cumsum(np.concatenate(lengths)))


def shares(pairs: NDArray[np.int64], sets: Sets) -> NDArray[np.float64]:
    """How much of the larger set each pair has in common; 1 where one of them is empty."""
    some = 1 << PAIR_BITS
    parts = (pairs[first : first + some] for first in range(0, len(pairs), some))
    return np.concatenate([np.zeros(0), *(_shares(part, sets) for part in parts)])


def _shares(pairs: NDArray[np.int64], sets: Sets) -> NDArray[np.float64]:
    """Both sets of a pair in one sorted list: what they share stands there twice."""
    starts = sets.starts[pairs]
    lengths = sets.starts[pairs + 1] - starts
    flat, sizes = starts.ravel(), lengths.ravel()
    ends = np.cumsum(sizes)
    places = np.repeat(flat - (ends - sizes), sizes) + np.arange(ends[-1] if len(ends) else 0)
    pair = np.repeat(np.arange(len(pairs), dtype=np.uint64), lengths.sum(axis=1))
    keys = (pair << np.uint64(64 - PAIR_BITS)) | (sets.values[places] >> np.uint64(PAIR_BITS))
    keys.sort()
    twice = keys[1:][keys[1:] == keys[:-1]] >> np.uint64(64 - PAIR_BITS)
    common = np.bincount(twice.astype(np.int64), minlength=len(pairs))
    largest = np.maximum(lengths.max(axis=1, initial=0), 1)
    return np.where(lengths.min(axis=1, initial=1 << 30) > 0, common / largest, 1.0)


def band_keys(sets: Iterable[Sets], bands: Bands, fewest: int, seed: int) -> NDArray[np.uint64]:
    """A key a document and band; 0 where a document has too few values."""
    rng = np.random.default_rng(seed)
    factors = rng.integers(1, 2**63, (bands.b, bands.r), dtype=np.uint64) * 2 + 1
    mixers = rng.integers(1, 2**63, bands.r, dtype=np.uint64) * 2 + 1
    found = [np.zeros((bands.b, 0), np.uint64)]
    found += [_keys(some, factors, mixers, fewest) for some in sets]
    return np.concatenate(found, axis=1)


def _keys(sets: Sets, factors: Hashes, mixers: Hashes, fewest: int) -> Hashes:
    lengths = np.diff(sets.starts)
    keys = np.zeros((len(factors), len(lengths)), np.uint64)
    enough = np.flatnonzero(lengths >= fewest)
    if not len(enough):
        return keys
    filled = np.flatnonzero(lengths > 0)  # an empty set between others ends nothing
    place = np.searchsorted(filled, enough)
    starts = sets.starts[filled]
    for band, row in enumerate(factors):
        key = np.full(len(enough), band + 1, np.uint64)
        for factor, mixer in zip(row, mixers, strict=True):
            least = np.minimum.reduceat(sets.values * factor, starts)[place]
            key = (key ^ least) * mixer
            key ^= key >> np.uint64(29)
        keys[band, enough] = key | np.uint64(1)
    return keys


def pairs(documents: NDArray[np.int64], keys: Keys, order: Hashes) -> NDArray[np.int64]:
    """Pairs of documents that share a key, one of each pair of neighbours: i · 2³² + j, i < j.

    `order` is a hash of each document's content, which orders the documents of one bucket.
    """
    there = np.lexsort((documents, order, keys))
    found = list(_neighbours(documents[there], keys[there]))
    return np.concatenate([np.zeros(0, np.int64), *found])


def _neighbours(documents: NDArray[np.int64], keys: Keys) -> Iterator[NDArray[np.int64]]:
    for step in range(1, min(WINDOW, len(keys) - 1) + 1):
        same = keys[step:] == keys[:-step]
        a, b = documents[step:][same], documents[:-step][same]
        yield (np.minimum(a, b) << 32) | np.maximum(a, b)


def hashes_of(texts: Sequence[str]) -> Hashes:
    """A hash of each text, 0 for an empty one."""
    hashed = (xxh3_64_intdigest(t.encode("utf-8", "surrogatepass")) | 1 if t else 0 for t in texts)
    return np.fromiter(hashed, np.uint64, len(texts))
