"""Vectors that a model has made so far, on disk beside an index: an interruption loses little.

A header of one line of JSON, then a key of 64 bits and a vector for each text, in the order in
which they were made. The key is a digest of the text, so the vectors are good for whatever has
become of the documents meanwhile. What a crash has left half written is no vector of unit length.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Self

import msgspec
import numpy as np
from xxhash import xxh3_64_intdigest

from likewise.store.disk import writing
from likewise.store.lock import WriteLock

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from types import TracebackType

    from numpy.typing import NDArray

    Keys = NDArray[np.uint64]
    Rows = NDArray[np.float32]

FILE, LOCK = "embedding.part", "embedding.lock"
UNIT = 1e-3  # what the square of a vector's length may differ from 1


class Header(msgspec.Struct, frozen=True):
    """The model that makes the vectors."""

    name: str
    place: str
    probe: tuple[float, ...]
    dimensions: int


class Encoded:
    """`with Encoded(directory, header) as made:` goes on with what that model made, or begins."""

    def __init__(self, directory: Path, header: Header, *, again: bool) -> None:
        self._path, self._lock = directory / FILE, WriteLock(directory / LOCK)
        self._header, self._again = header, again

    def __enter__(self) -> Self:
        self._lock.__enter__()
        try:
            self._open()
        except BaseException:
            self._lock.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._file.close()
        self._lock.__exit__(kind, error, traceback)

    def __len__(self) -> int:
        return len(self._places)

    def add(self, keys: Keys, vectors: Rows) -> None:
        """Keep some vectors, at once."""
        records = np.empty(len(keys), self._type)
        records["key"], records["vector"] = keys, vectors
        with writing(self._path):
            self._file.write(records.tobytes())
            self._file.flush()
        first = self._records
        self._records += len(records)
        self._places.update(zip(keys.tolist(), range(first, self._records), strict=True))

    def __contains__(self, key: int) -> bool:
        return key in self._places

    def places(self, keys: Keys) -> NDArray[np.int64]:
        """Where the vectors of these texts are, -1 for what there is none of."""
        found = (self._places.get(key, -1) for key in keys.tolist())
        return np.fromiter(found, np.int64, len(keys))

    def vectors(self, places: NDArray[np.int64]) -> Rows:
        return np.array(self._mapped()["vector"][places], np.float32)

    def remove(self) -> None:
        """When all of them are in the index."""
        with suppress(OSError):  # it takes space but does no harm
            self._path.unlink(missing_ok=True)

    def _open(self) -> None:
        there = read_header(self._path.parent)
        line = msgspec.json.encode(self._header) + b"\n"
        self._type = np.dtype([("key", "<u8"), ("vector", "<f4", (self._header.dimensions,))])
        self._places: dict[int, int] = {}
        self._records = 0
        with writing(self._path):
            if there is None or not self._again:
                self._file = self._path.open("w+b")
                self._file.write(line)
                self._start = len(line)
                return
            self._file = self._path.open("r+b")
            self._start = len(self._file.readline())
            size = os.fstat(self._file.fileno()).st_size - self._start
            self._records = max(size, 0) // self._type.itemsize
            self._file.seek(self._start + self._records * self._type.itemsize)
            self._file.truncate()
        self._read_keys()

    def _read_keys(self, block: int = 8192) -> None:
        for first in range(0, self._records, block):
            some = self._mapped()[first : first + block]
            rows = some["vector"].astype(np.float64)
            whole = np.abs(np.einsum("ij,ij->i", rows, rows) - 1) < UNIT
            for place in np.flatnonzero(whole).tolist():
                self._places[int(some["key"][place])] = first + place

    def _mapped(self) -> NDArray[np.void]:
        if not self._records:
            return np.zeros(0, self._type)
        self._file.flush()
        return np.memmap(self._path, self._type, "r", self._start, (self._records,))


def read_header(directory: Path) -> Header | None:
    """The model whose work was interrupted, if any was."""
    try:
        with (directory / FILE).open("rb") as file:
            return msgspec.json.decode(file.readline(1 << 16), type=Header)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None


def keys_of(texts: Sequence[str]) -> Keys:
    found = (xxh3_64_intdigest(text.encode("utf-8", "surrogatepass")) for text in texts)
    return np.fromiter(found, np.uint64, len(texts))
