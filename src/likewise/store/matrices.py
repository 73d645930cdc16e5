"""The kinds of matrix an index may hold, and how each is written, read and merged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from likewise import _core
from likewise.store.arrays import (
    concatenate_counts,
    concatenate_values,
    select_values,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likewise._core import CountArrays
    from likewise.store.arrays import ValueArrays
    from likewise.store.segment import Segment
    from likewise.store.segment_writer import SegmentWriter

M = TypeVar("M")


class Matrix(Protocol[M]):
    """What writing and merging segments need to know of a kind; M holds rows in memory."""

    def live_rows(self, segment: Segment) -> M: ...
    def concatenate(self, parts: Sequence[M]) -> M: ...
    def transpose(self, rows: M, width: int, threads: int) -> M | None: ...
    def write(self, writer: SegmentWriter, rows: M, inverted: M | None, width: int) -> None: ...


class CountMatrix:
    def live_rows(self, segment: Segment) -> CountArrays:
        if segment.live is None:
            return segment.rows
        return _core.Counts(segment.rows, segment.width).select(segment.live)

    def concatenate(self, parts: Sequence[CountArrays]) -> CountArrays:
        return concatenate_counts(parts)

    def transpose(self, rows: CountArrays, width: int, threads: int) -> CountArrays:
        return _core.Counts(rows, width).transpose(threads)

    def write(
        self, writer: SegmentWriter, rows: CountArrays, inverted: CountArrays | None, width: int
    ) -> None:
        writer.arrays("rows", rows)
        writer.array("lengths", row_sums(rows, width))
        writer.arrays("inverted", inverted or {})


class ValueMatrix:
    def live_rows(self, segment: Segment) -> ValueArrays:
        rows = segment.value_rows
        return rows if segment.live is None else select_values(rows, segment.live)

    def concatenate(self, parts: Sequence[ValueArrays]) -> ValueArrays:
        return concatenate_values(parts)

    def transpose(self, rows: ValueArrays, width: int, threads: int) -> ValueArrays:
        return transpose_values(rows, width)

    def write(
        self, writer: SegmentWriter, rows: ValueArrays, inverted: ValueArrays | None, width: int
    ) -> None:
        writer.arrays("rows", rows)
        writer.arrays("inverted", inverted or {})


class DenseMatrix:
    """Rows of one length; every document has every term, so there is nothing to invert."""

    def live_rows(self, segment: Segment) -> NDArray[np.float32]:
        return segment.dense if segment.live is None else segment.dense[segment.live]

    def concatenate(self, parts: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
        return np.concatenate(parts)

    def transpose(self, rows: NDArray[np.float32], width: int, threads: int) -> None:
        return None

    def write(
        self, writer: SegmentWriter, rows: NDArray[np.float32], inverted: object, width: int
    ) -> None:
        writer.array("dense", rows)


MATRICES: dict[str, Matrix[Any]] = {
    "text": CountMatrix(),
    "counts": CountMatrix(),
    "values": ValueMatrix(),
    "dense": DenseMatrix(),
}


def row_sums(rows: CountArrays, width: int) -> NDArray[np.uint32]:
    """Each row's counts added up: a document's tokens."""
    identity, large = np.arange(256.0), rows["large"].astype(np.float64)
    return _core.Counts(rows, width).dot(np.ones(width), identity, large).astype(np.uint32)


def transpose_values(rows: ValueArrays, width: int) -> ValueArrays:
    from scipy.sparse import csr_array

    shape = (len(rows["starts"]) - 1, width)
    columns, starts = rows["columns"].astype(np.int64), rows["starts"].astype(np.int64)
    turned = csr_array((rows["values"], columns, starts), shape=shape).tocsc()
    return {
        "starts": turned.indptr.astype(np.uint32),
        "columns": turned.indices.astype(np.uint32),
        "values": turned.data,
    }
