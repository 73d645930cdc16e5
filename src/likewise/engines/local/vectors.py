"""Parts of vectors of real numbers: sparse or dense, read as precise as they are stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise import _core
from likewise.engines.local.parts import unsigned

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from likewise.corpus import Mask, SparseVector, ValueArrays
    from likewise.engines.local.parts import Floats, Part, Rows, Vectors, Weigh

BLOCK = 8192  # rows read into memory together


class _Scanned:
    """A part without an inverted file: the best rows are found by scoring all."""

    def postings(self, columns: NDArray[np.int32]) -> int | None:
        return None

    def candidates(
        self,
        w: SparseVector,
        factors: NDArray[np.float32],
        keep: Mask | None,
        k: int,
        slack: float,
        positive: bool,
    ) -> Rows:
        raise NotImplementedError("vectors have no inverted file")

    def scores(self: Part, x: Vectors, factors: Floats, y: Vectors, todo: _core.Pass) -> None:
        np.multiply(self.dot(x, todo.threads), factors, out=y, casting="same_kind")

    def block_scores(
        self: Part, x: Vectors, scales: Floats, factors: Floats, y: Vectors, threads: int
    ) -> None:
        y[:] = _core.scale_rows(
            np.ascontiguousarray(self.dot(_core.scale_rows(x, scales, threads), threads)),
            factors,
            threads,
        )

    def add_block(self: Part, a: Vectors, scales: Floats, total: Vectors, threads: int) -> None:
        total += self.weighted_sum(_core.scale_rows(a, scales, threads), threads)

    def add_sum(self: Part, a: Vectors, scales: Floats, total: Floats, todo: _core.Pass) -> None:
        todo.run()  # what came before is added first: sums depend on their order
        total += self.weighted_sum((a * scales).astype(a.dtype, copy=False), todo.threads)

    def add_scores(
        self: Part,
        w: SparseVector,
        factors: NDArray[np.float32],
        scale: float,
        out: NDArray[np.float32],
    ) -> None:
        dense = np.zeros(self.shape[1], np.float32)
        dense[w.columns] = w.weights
        out += np.float32(scale) * (self.dot(dense, 1).astype(np.float32, copy=False) * factors)


class ValuePart(_Scanned):
    factors = columns = None

    def __init__(
        self,
        starts: NDArray[np.uint32],
        columns: NDArray[np.uint32],
        values: NDArray[np.float32],
        width: int,
    ) -> None:
        self._matrix = _core.Values(starts, columns, values, width)
        self._starts, self._columns, self._values = starts, columns, values
        self.arrays: ValueArrays = {"starts": starts, "columns": columns, "values": values}

    @property
    def shape(self) -> tuple[int, int]:
        return self._matrix.shape

    @property
    def entries(self) -> int:
        return len(self._columns)

    def dot(self, x: Vectors, threads: int) -> Vectors:
        return self._matrix.dot(x, threads)

    def dot_rows(self, ids: Rows, x: Vectors, threads: int) -> Vectors:
        return self._matrix.dot(x, threads)[ids]

    def weighted_sum(self, a: Vectors, threads: int) -> Vectors:
        weights = a if a.ndim == 2 else a.astype(np.float64, copy=False)
        return self._matrix.weighted_sum(weights, threads)

    def fused(self, x: Floats, y: Floats, a: Floats, weigh: Weigh, threads: int) -> Floats:
        return self._matrix.fused(x, y, a, weigh, threads)

    def exact(self, ids: Rows, w: Floats | SparseVector) -> Floats:
        if isinstance(w, np.ndarray):
            return self._matrix.exact(ids, None, w)
        return self._matrix.exact(ids, unsigned(w), w.weights)

    def add_rows(self, ids: Rows, a: Floats, total: Floats) -> None:
        weights = np.zeros(self.shape[0])
        np.add.at(weights, ids, a)
        total += self._matrix.weighted_sum(weights)

    def squares(self, columns: Floats, threads: int) -> Floats:
        out = np.empty(len(self._starts) - 1)
        for rows in _blocks(len(out)):
            starts = self._starts[rows.start : rows.stop + 1].astype(np.int64)
            entries = slice(starts[0], starts[-1])
            scaled = columns[self._columns[entries]] * self._values[entries]
            owner = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
            out[rows] = np.bincount(owner, scaled**2, len(starts) - 1)
        return out

    def add_to(
        self,
        rows: _core.Rows,
        places: Rows,
        ids: Rows,
        scale: Floats,
        layer: int = 0,
        first: int = 0,
    ) -> None:
        rows.add_values(self._matrix, places, ids, scale, layer, first)


class DensePart(_Scanned):
    """Reads rows in place: a mapped matrix is never in memory as a whole.

    Rows of bytes have `factors`, which are not applied here.
    """

    columns = None

    def __init__(
        self, matrix: _core.DenseNumbers, factors: NDArray[np.float32] | None = None
    ) -> None:
        self.numbers = self._matrix = matrix
        self.factors = None if factors is None else factors.astype(np.float64)

    @property
    def shape(self) -> tuple[int, int]:
        rows, columns = self._matrix.shape
        return rows, columns

    @property
    def entries(self) -> int:
        return self._matrix.size

    def dot(self, x: Vectors, threads: int) -> Vectors:
        if x.ndim == 1:
            return _core.dense_dot(self._matrix, x, threads)
        out = np.empty((len(self._matrix), *x.shape[1:]), x.dtype)
        for rows in _blocks(len(self._matrix)):
            out[rows] = self._matrix[rows].astype(x.dtype, copy=False) @ x
        return out

    def dot_rows(self, ids: Rows, x: Vectors, threads: int) -> Vectors:
        if x.ndim == 1:
            return _core.dense_dot_rows(self._matrix, ids, x, threads)
        return self._matrix[ids].astype(x.dtype, copy=False) @ x

    def weighted_sum(self, a: Vectors, threads: int) -> Vectors:
        if a.ndim == 1:
            return _core.dense_weighted_sum(self._matrix, a.astype(np.float64), threads)
        out = np.zeros((self._matrix.shape[1], *a.shape[1:]))
        for rows in _blocks(len(self._matrix)):
            out += self._matrix[rows].astype(np.float64).T @ a[rows]
        return out

    def add_rows(self, ids: Rows, a: Floats, total: Floats) -> None:
        _core.dense_add_rows(self._matrix, ids, a, total)

    def fused(self, x: Floats, y: Floats, a: Floats, weigh: Weigh, threads: int) -> Floats:
        total = np.zeros(self.shape[1])
        for rows in _blocks(len(self._matrix)):
            block = self._matrix[rows]
            y[rows] = _core.dense_dot(block, x, threads)
            weigh(rows.start, rows.stop)
            total += _core.dense_weighted_sum(block, a[rows], threads)
        return total

    def exact(self, ids: Rows, w: Floats | SparseVector) -> Floats:
        if isinstance(w, np.ndarray):
            chosen, weights = self._matrix[ids], w
        else:
            chosen, weights = self._matrix[np.ix_(ids, w.columns)], w.weights
        sums: Floats = (chosen * weights).sum(axis=1)
        return sums

    def add_to(
        self,
        rows: _core.Rows,
        places: Rows,
        ids: Rows,
        scale: Floats,
        layer: int = 0,
        first: int = 0,
    ) -> None:
        rows.add_dense(self._matrix, places, ids, scale, layer, first)

    def squares(self, columns: Floats, threads: int) -> Floats:
        return _core.dense_squares(self._matrix, columns, threads)


def _blocks(rows: int) -> Iterator[slice]:
    for first in range(0, rows, BLOCK):
        yield slice(first, min(first + BLOCK, rows))
