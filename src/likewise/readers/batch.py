"""Batches of documents: what every reader produces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from xxhash import xxh3_64_intdigest

from likewise._core import line_ends

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from likewise._core import Lines, Texts


@dataclass(slots=True, kw_only=True)
class Records:
    """Documents as JSON objects, one after another, each ending in a newline.

    `ends` says where each record ends. `lines` is each document's line (or other `unit`) in its
    source, 0 where the source is one document.
    """

    ids: list[str]
    records: bytes
    ends: NDArray[np.uint64]
    sources: list[str]
    lines: NDArray[np.int64]
    unit: str = "line"

    def __len__(self) -> int:
        return len(self.ids)

    def place(self, i: int) -> str:
        """Where document i comes from, for messages: "papers.jsonl, line 12"."""
        return place(self.sources[i], int(self.lines[i]), self.unit)

    def record(self, i: int) -> bytes:
        start = int(self.ends[i - 1]) if i else 0
        return self.records[start : int(self.ends[i])]


@dataclass(slots=True, kw_only=True)
class Batch(Records):
    """Documents with, for each field analysed, one text a document ("" where it has none).

    `scanned` is what is where in the records, if a reader knows it, and `hashes` are those of ids.
    """

    texts: Sequence[Sequence[str] | Texts]
    scanned: Lines | None = None
    hashes: NDArray[np.uint64] | None = None


@dataclass(slots=True, kw_only=True)
class SparseBatch(Records):
    """Documents with the non-zeros of row i at starts[i]:starts[i+1]; columns as numbered there."""

    starts: NDArray[np.int64]
    columns: NDArray[np.int64]
    values: NDArray[np.float32]


@dataclass(slots=True, kw_only=True)
class DenseBatch(Records):
    """Documents with one row of `values` each."""

    values: NDArray[np.float32]


VectorBatch = SparseBatch | DenseBatch
AnyBatch = Batch | SparseBatch | DenseBatch


def place(source: str, line: int, unit: str = "line") -> str:
    return f"{source}, {unit} {line}" if line else source


def hashes_of(texts: Texts, strings: Sequence[str]) -> NDArray[np.uint64]:
    """XXH3 of texts, which are these strings; the core leaves out long ones."""
    hashes, longer = texts.hashes()
    for i in longer.tolist():
        hashes[i] = xxh3_64_intdigest(strings[i].encode("utf-8", "surrogatepass"))
    return hashes


def pack(values: Iterable[dict[str, Any]]) -> tuple[bytes, NDArray[np.uint64]]:
    """Dictionaries as records, and where each ends."""
    records = msgspec.json.Encoder().encode_lines(values)
    return records, line_ends(records).astype(np.uint64)


def merge(batches: Sequence[Batch]) -> Batch:
    """Batches as one, in order."""
    if len(batches) == 1:
        return batches[0]
    shifts = np.cumsum([0, *(len(batch.records) for batch in batches[:-1])], dtype=np.uint64)
    return Batch(
        ids=[id for batch in batches for id in batch.ids],
        texts=[
            [text for texts in field for text in texts]
            for field in zip(*(batch.texts for batch in batches), strict=True)
        ],
        records=b"".join(batch.records for batch in batches),
        ends=np.concatenate([b.ends + shift for b, shift in zip(batches, shifts, strict=True)]),
        sources=[source for batch in batches for source in batch.sources],
        lines=np.concatenate([batch.lines for batch in batches]),
        unit=batches[0].unit,
    )
