"""Strings with numbers: from a number to its string, and back by a sorted list of hashes."""

from __future__ import annotations

from functools import cached_property
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from xxhash import xxh3_64_intdigest

from likewise import _core
from likewise.store.arrays import joined, select_entries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from likewise._core import StringTables

    Rows = NDArray[np.uint32]
    Hash = Callable[[bytes], int]
    Arrays = Callable[[str], NDArray[Any]]
    Tables = dict[str, NDArray[Any]]  # of one StringTable


BATCH = 1 << 16  # strings
PARTS = ("text", "ends", "hashes", "order")  # arrays of a table


class Flat(NamedTuple):
    """Strings in UTF-8 one after another, and where each ends."""

    text: bytes
    ends: NDArray[np.unsignedinteger]


def encode(strings: Iterable[str]) -> list[bytes]:
    """UTF-8; a lone surrogate, which a str can hold, is kept as it is."""
    return [string.encode("utf-8", "surrogatepass") for string in strings]


def decode(data: bytes | memoryview) -> str:
    return str(data, "utf-8", "surrogatepass")


def flatten(strings: Iterable[str]) -> Flat:
    given = list(strings)
    if ascii_only := _core.joined(given):  # most often
        return Flat(*ascii_only)
    encoded = encode(given)
    lengths = np.fromiter(map(len, encoded), np.uint64, len(encoded))
    return Flat(b"".join(encoded), np.cumsum(lengths, dtype=np.uint64))


def unflatten(flat: Flat) -> list[str]:
    return [decode(string) for strings in batches(flat) for string in strings]


def table_arrays(
    flat: Flat, hash_of: Hash = xxh3_64_intdigest, known: NDArray[np.uint64] | None = None
) -> dict[str, NDArray[Any]]:
    """The four arrays of a StringTable; `known` are the strings' hashes, if somebody has them."""
    text = np.frombuffer(flat.text, np.uint8)
    if known is not None:
        return _arranged(text, flat.ends, short(known))
    if hash_of is xxh3_64_intdigest:
        return _arranged(text, flat.ends, short(_hashed(flat, text)))
    hashed = map(hash_of, chain.from_iterable(batches(flat)))
    hashes = np.fromiter(hashed, np.uint64, len(flat.ends))
    return _arranged(text, flat.ends, short(hashes))


def _hashed(flat: Flat, text: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """The core hashes short strings, which most are; what it leaves is hashed here."""
    hashes, longer = _core.hashes(text, flat.ends.astype(np.uint64, copy=False))
    for i in longer.tolist():
        start = int(flat.ends[i - 1]) if i else 0
        hashes[i] = xxh3_64_intdigest(flat.text[start : int(flat.ends[i])])
    return hashes


def short(hashes: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """The upper half: enough to look up by, as strings are compared anyway."""
    return (hashes >> np.uint64(32)).astype(np.uint32)


def narrow(ends: NDArray[np.unsignedinteger]) -> NDArray[np.unsignedinteger]:
    """The same in half the space, unless the text is too long for it."""
    return ends if len(ends) and int(ends[-1]) >= 2**32 else ends.astype(np.uint32)


def joined_tables(parts: Sequence[tuple[StringTable, Rows | None]]) -> dict[str, NDArray[Any]]:
    """The tables one after another, of each only the rows given (None: all)."""
    texts, lengths, hashes = [np.zeros(0, np.uint8)], [], []
    for table, rows in parts:
        text, starts, of_table = table.columns()
        if rows is not None:
            selected, places = select_entries(starts, rows)
            text, starts, of_table = text[places], selected, of_table[rows]
        texts.append(text)
        lengths.append(np.diff(starts).astype(np.uint64))
        hashes.append(of_table)
    ends = np.cumsum(joined(lengths, np.uint64), dtype=np.uint64)
    return _arranged(np.concatenate(texts), ends, joined(hashes, np.uint32))


def _arranged(
    text: NDArray[np.uint8], ends: NDArray[np.unsignedinteger], hashes: NDArray[np.uint32]
) -> dict[str, NDArray[Any]]:
    # With its place below it each hash is another number: those are sorted fastest.
    both = (hashes.astype(np.uint64) << np.uint64(32)) | np.arange(len(hashes), dtype=np.uint64)
    both.sort()
    return {
        "text": text,
        "ends": narrow(ends),
        "hashes": (both >> np.uint64(32)).astype(np.uint32),
        "order": both.astype(np.uint32),
    }


def hashes_of(strings: Sequence[bytes]) -> NDArray[np.uint64]:
    """As tables have them."""
    return np.fromiter(map(xxh3_64_intdigest, strings), np.uint64, len(strings))


def likely(ordered: NDArray[Any], hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
    """The places, among some hashes, of those that a table has, whose own are given in order."""
    if not len(ordered):
        return np.zeros(0, np.int64)
    if ordered.dtype == np.uint32:
        return _core.likely(ordered, hashes)
    after = np.searchsorted(ordered, hashes, "right")
    return np.flatnonzero((after > 0) & (ordered[after - 1] == hashes))


def batches(flat: Flat) -> Iterator[list[bytes]]:
    """Each string's UTF-8, some at a time: as many objects at once would take much memory."""
    start = 0
    for first in range(0, len(flat.ends), BATCH):
        stops = flat.ends[first : first + BATCH].tolist()
        yield [flat.text[a:b] for a, b in pairwise([start, *stops])]
        start = stops[-1]


class StringTable:
    """Four arrays, each fetched when it is needed: most look-ups touch the hashes only.

    Hashes have 32 bits; those of formats 1 and 2 have 64. A string may be in the table twice (a
    document that was replaced within its segment); the later one is found.
    """

    def __init__(self, arrays: Arrays, hash_of: Hash = xxh3_64_intdigest) -> None:
        self._arrays = arrays
        self._hash_of = hash_of

    def __len__(self) -> int:
        return len(self._hashes)

    def strings(self, numbers: NDArray[np.integer]) -> list[str]:
        """Several at once, which is faster."""
        return list(map(decode, self._each(numbers)))

    def all(self) -> list[str]:
        return unflatten(Flat(self._text.tobytes(), self._ends))

    def columns(self) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.uint32]]:
        """The text, where each string starts in it, and their hashes, by number."""
        hashes = np.empty(len(self), np.uint32)
        hashes[self._order] = self._hashes if self._is_short else short(self._hashes)
        starts = np.zeros(len(self) + 1, np.int64)
        starts[1:] = self._ends
        return self._text, starts, hashes

    def add_to(
        self, tables: StringTables, live: Rows | None = None, *, lookup: bool = False
    ) -> None:
        """Let the core read it behind other tables: all strings, or only those that are live."""
        hashes, order = (self._hashes, self._order) if lookup else (None, None)
        tables.add(self._text, self._ends, hashes, order, live, None)

    def find(
        self, strings: Sequence[bytes], hashes: NDArray[np.uint64] | None = None
    ) -> NDArray[np.int64]:
        """The number of each string, given in UTF-8, or -1; `hashes` if they are known."""
        if hashes is None:
            hashes = np.fromiter(map(self._hash_of, strings), np.uint64, len(strings))
        numbers = np.full(len(strings), -1, np.int64)
        places = likely(self._hashes, hashes)
        if len(places):
            there = [strings[i] for i in places.tolist()]
            numbers[places] = self._lookup.find(there, hashes[places].tolist())
        return numbers

    @property
    def hashes(self) -> NDArray[Any]:
        """Those of all strings, sorted."""
        return self._hashes

    @cached_property
    def _lookup(self) -> StringTables:
        tables = _core.StringTables()
        self.add_to(tables, lookup=True)
        return tables

    def _each(self, numbers: NDArray[np.integer]) -> Iterator[memoryview]:
        numbers = numbers.astype(np.int64)
        starts = np.where(numbers > 0, self._ends[numbers - 1], 0).tolist()
        stops, text = self._ends[numbers].tolist(), self._text.data
        return map(text.__getitem__, map(slice, starts, stops))

    @property
    def _is_short(self) -> bool:
        return self._hashes.dtype == np.uint32

    @cached_property
    def _text(self) -> NDArray[np.uint8]:
        return self._arrays("text")

    @cached_property
    def _ends(self) -> NDArray[Any]:
        return self._arrays("ends")

    @cached_property
    def _hashes(self) -> NDArray[Any]:
        return self._arrays("hashes")

    @cached_property
    def _order(self) -> NDArray[np.uint32]:
        return self._arrays("order")
