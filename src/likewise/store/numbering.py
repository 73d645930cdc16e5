"""Terms as an index numbers them, out of a counter that knows none of its dictionary.

Only the terms that occur are looked up, so that adding a little to a large index costs little.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.store.arrays import select_entries
from likewise.store.strings import Flat, batches

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likewise._core import CountArrays, Counter
    from likewise.store.strings import StringTable

CHUNK = 1 << 20  # columns that are numbered anew at a time


class Numbered:
    """A counter's rows and terms in the numbers of an index, new terms after those it has."""

    def __init__(self, counter: Counter, known: Sequence[StringTable]) -> None:
        self._counter = counter
        self._known = known
        self._firsts = np.cumsum([0, *map(len, known)])
        self._numbers = np.zeros(0, np.uint32)  # of the counter's terms, in its order
        self.terms = int(self._firsts[-1])

    def drain(self) -> CountArrays:
        """The rows counted since the last time."""
        rows = self._counter.drain()
        if not self._known:
            self.terms = self._counter.terms
            return rows
        self._number_terms()
        columns = rows["columns"]
        for start in range(0, len(columns), CHUNK):
            chunk = columns[start : start + CHUNK]
            chunk[:] = self._numbers[chunk]
        return rows

    def terms_since(self, first: int) -> Flat:
        """The terms from number `first` on, which must be new ones."""
        if not self._known:
            return Flat(*self._counter.terms_since(first))
        fresh = np.flatnonzero(self._numbers >= first)
        begin = int(fresh[0]) if len(fresh) else len(self._numbers)
        text, ends = self._counter.terms_since(begin)
        starts = np.concatenate([np.zeros(1, np.uint64), ends])
        selected, places = select_entries(starts, fresh - begin)
        chosen = np.frombuffer(text, np.uint8)[places].tobytes()
        return Flat(chosen, selected[1:].astype(np.uint64))

    def _number_terms(self) -> None:
        """Give the counter's new terms the numbers they have, or the next ones."""
        new = Flat(*self._counter.terms_since(len(self._numbers)))
        self._numbers = np.concatenate([self._numbers, *map(self._numbers_of, batches(new))])

    def _numbers_of(self, terms: list[bytes]) -> NDArray[np.uint32]:
        numbers = np.empty(len(terms), np.uint32)
        missing = np.arange(len(terms))
        for first, table in zip(self._firsts, self._known, strict=False):
            local = table.find_encoded([terms[i] for i in missing.tolist()])
            numbers[missing[local >= 0]] = first + local[local >= 0]
            missing = missing[local < 0]
        numbers[missing] = np.arange(self.terms, self.terms + len(missing))
        self.terms += len(missing)
        return numbers
