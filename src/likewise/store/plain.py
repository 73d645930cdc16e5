"""Records of formats 1 and 2: lines one after another, with one checksum for all of them.

Reading one document does not verify it, as this would read all; format 3 has blocks.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from likewise._core import line_ends
from likewise.store import structure
from likewise.store.blocks import Chunk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from likewise.store.container import Container

CHUNK = 4096  # documents whose records are read at a time


class PlainRecords:
    """Read like RecordBlocks."""

    def __init__(self, file: Container, documents: int) -> None:
        self._file, self._documents = file, documents

    @property
    def size(self) -> int:
        return self._file.size("records")

    def one(self, number: int) -> memoryview:
        return self._between(number, number + 1).data

    def chunks(self) -> Iterator[Chunk]:
        """All documents in order, once their checksum is verified."""
        self.verify()
        for first in range(0, self._documents, CHUNK):
            last = min(first + CHUNK, self._documents)
            ends = self._ends[first:last].astype(np.int64)
            start = int(self._ends[first - 1]) if first else 0
            records = self._between(first, last).tobytes()
            if not np.array_equal(line_ends(records), ends - start):
                raise self._file.damaged("its records are not one a line")
            yield Chunk(first, records, ends - start)

    def verify(self) -> None:
        self._file.array("records")
        _ = self._ends

    @cached_property
    def _ends(self) -> NDArray[np.unsignedinteger]:
        return structure.ends(self._file, "records.ends", "records")

    def _between(self, first: int, last: int) -> NDArray[np.uint8]:
        start = int(self._ends[first - 1]) if first else 0
        stop = int(self._ends[last - 1]) if last else 0
        return self._file.unchecked("records")[start:stop]


def check_sections(file: Container, documents: int) -> None:
    """Refuse a segment whose records are not laid out like this."""
    structure.expect(file, "records", structure.BYTE, (None,))
    structure.expect(file, "records.ends", structure.LONG, (documents,))
