"""A corpus in memory: a NumPy array or a SciPy sparse matrix, one document a row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from likewise.arguments import check_k, spread_out
from likewise.corpus import Corpus, Csr, SparseVector
from likewise.errors import UsageError
from likewise.sparse import check_sparse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likewise._core import Rows
    from likewise.corpus import Ids, Mask, Vector, Vectors

WIDEST = 2**31 - 1  # columns: their numbers have four bytes


@runtime_checkable
class _Recognisable(Corpus, Protocol):
    """A Corpus, told from a matrix by its methods."""


def is_corpus(X: object) -> bool:
    return isinstance(X, _Recognisable)


def as_corpus(X: Any) -> Corpus:
    """X itself where it is a Corpus, else a Corpus of the array or sparse matrix X."""
    if isinstance(X, _Recognisable):
        return X
    if isinstance(X, np.ndarray):
        return _dense(X)
    from scipy.sparse import issparse

    return _sparse(X) if issparse(X) else _dense(np.asarray(X))


def _dense(X: NDArray[Any]) -> DenseMatrix:
    if X.ndim != 2:
        raise UsageError(f"documents must be the rows of a 2-D array, not of a {X.ndim}-D one")
    return DenseMatrix(np.ascontiguousarray(X, dtype=np.float64))


def _sparse(X: Any) -> SparseMatrix:
    check_sparse(X)
    if X.shape[1] > WIDEST:
        raise UsageError(f"X has {X.shape[1]} columns: a matrix may have at most {WIDEST}")
    return SparseMatrix(X)


class _Matrix:
    """What `@` makes the same for arrays and sparse matrices."""

    def __init__(self, matrix: Any) -> None:
        self._matrix = matrix
        self._transposed = matrix.T

    @property
    def shape(self) -> tuple[int, int]:
        documents, terms = self._matrix.shape
        return int(documents), int(terms)

    def scores(self, w: Vectors) -> Vectors:
        scores: Vectors = self._matrix @ w
        return scores.astype(w.dtype, copy=False)

    def weighted_sum(self, a: Vectors) -> Vectors:
        sums: Vectors = self._transposed @ a
        return sums.astype(a.dtype, copy=False)

    def top(
        self,
        w: Vector | SparseVector,
        k: int,
        keep: Mask | None = None,
        *,
        positive: bool = False,
    ) -> list[tuple[int, float]]:
        check_k(k)
        if isinstance(w, SparseVector):
            w = spread_out(w, self.shape[1])
        scores = self.scores(w.astype(np.float64))
        kept = np.arange(len(scores)) if keep is None else np.flatnonzero(keep)
        if positive:
            kept = kept[scores[kept] > 0.0]
        best = kept[np.argsort(-scores[kept], kind="stable")[:k]]
        return [(int(i), float(scores[i])) for i in best]


class DenseMatrix(_Matrix):
    """Over a 2-D array of float64."""

    def rows(self, ids: Ids) -> Csr:
        chosen = self._matrix[ids]
        row, column = np.nonzero(chosen)
        starts = np.searchsorted(row, np.arange(len(chosen) + 1))
        values = chosen[row, column]
        return Csr(starts.astype(np.int64), column.astype(np.int32), values, chosen.shape)

    def take(self, ids: Ids) -> DenseMatrix:
        return DenseMatrix(self._matrix[ids])

    def row_access(self, ids: Ids) -> tuple[Rows, NDArray[np.float64]]:
        from likewise import _core

        rows = _core.Rows(np.ones(self.shape[1]), len(ids))
        rows.add_array(self._matrix, *_places(ids))
        return rows, np.einsum("ij,ij->i", self._matrix, self._matrix)[ids]


class SparseMatrix(_Matrix):
    """Over a sparse matrix of any format that check_sparse has seen, kept as CSR of float64."""

    def __init__(self, matrix: Any) -> None:
        rows = matrix.tocsr().astype(np.float64, copy=False)
        if not rows.has_canonical_format:
            rows = rows.copy()
            rows.sum_duplicates()
        super().__init__(rows)

    def rows(self, ids: Ids) -> Csr:
        chosen = self._matrix[ids]
        columns = chosen.indices.astype(np.int32, copy=False)
        return Csr(chosen.indptr.astype(np.int64), columns, chosen.data, chosen.shape)

    def take(self, ids: Ids) -> SparseMatrix:
        return SparseMatrix(self._matrix[ids])

    def row_access(self, ids: Ids) -> tuple[Rows, NDArray[np.float64]]:
        from likewise import _core

        matrix, terms = self._matrix, self.shape[1]
        rows = _core.Rows(np.ones(terms), len(ids))
        starts, columns = _unsigned(matrix.indptr), _unsigned(matrix.indices)
        rows.add_doubles(starts, columns, matrix.data, terms, *_places(ids))
        squared = type(matrix)((matrix.data**2, matrix.indices, matrix.indptr), matrix.shape)
        return rows, (squared @ np.ones(terms))[ids]


def _places(ids: Ids) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.float64]]:
    """Where some rows go, which they are, and their factors, as the core wants them."""
    return np.arange(len(ids), dtype=np.uint32), ids.astype(np.uint32), np.ones(len(ids))


def _unsigned(numbers: NDArray[np.integer]) -> NDArray[np.uint32]:
    """The same memory, where it has four bytes a number."""
    if numbers.dtype == np.int32:
        return numbers.view(np.uint32)
    return numbers.astype(np.uint32)
