"""Where each document of a run came from, in a few bytes a document, to name it in a message."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from likewise.readers.batch import place
from likewise.store.strings import decode, encode

if TYPE_CHECKING:
    from likewise.readers.batch import Records


class Places:
    """A line number a document, and a name wherever the source changes."""

    def __init__(self) -> None:
        self._lines = array("I")
        self._firsts = array("Q")  # the first document of each source
        self._names = bytearray()  # the sources' names, each with its unit
        self._ends = array("Q")
        self._last = ""

    def add(self, batch: Records) -> None:
        number = len(self._lines)
        for source, documents in groupby(batch.sources):
            self._begin(number, f"{batch.unit}\0{source}")
            number += sum(1 for _ in documents)
        lines = np.minimum(batch.lines, 2**32 - 1).astype(np.uint32)
        self._lines.frombytes(lines.tobytes())

    def __getitem__(self, number: int) -> str:
        """The place of the document that was added as this one, counted from 0."""
        at = bisect_right(self._firsts, number) - 1
        start = self._ends[at - 1] if at else 0
        unit, source = decode(bytes(self._names[start : self._ends[at]])).split("\0", 1)
        return place(source, self._lines[number], unit)

    def __len__(self) -> int:
        return len(self._lines)

    def _begin(self, number: int, name: str) -> None:
        if name == self._last:
            return
        self._firsts.append(number)
        self._names += encode([name])[0]
        self._ends.append(len(self._names))
        self._last = name
