"""The engine `memory`: a NumPy array or a SciPy sparse matrix, one document per row.

Estimators use it for arrays and matrices (`as_corpus`). An index opened with engine="memory" is
weighted once and held as one matrix of double precision.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, Self, cast, runtime_checkable

import numpy as np

from likewise import _core
from likewise.corpus import Corpus, Csr, SparseVector
from likewise.engines.arrays import NUMPY
from likewise.engines.checks import (
    best_first,
    check_top,
    checked_ids,
    checked_vectors,
    rounding,
    spread_out,
)
from likewise.engines.cores import cores
from likewise.engines.rows import CoreRows
from likewise.engines.sparse import check_sparse
from likewise.errors import UsageError
from likewise.weighting import damped_rows, pivoted_rows, unit_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from likewise._core import CountArrays
    from likewise.corpus import Ids, Mask, Stored
    from likewise.weighting import Weighting

    Floats = NDArray[np.float64]
    Vectors = NDArray[np.floating]
    Outside = CountArrays | NDArray[np.float32]
    Weigh = Callable[[Any], Any]

ROUNDINGS = 4  # of a vector's weights and of a score, rounded up: sums are of double precision
WIDEST = 2**31 - 1  # columns: column numbers have four bytes
SPEED = 1e8  # entries that learning processes in a second, a low estimate


@runtime_checkable
class _Recognisable(Protocol):
    """A Corpus, recognised by its methods."""

    def scores(self, w: Any) -> Any: ...
    def weighted_sum(self, a: Any) -> Any: ...
    def top(self, w: Any, k: int) -> Any: ...


def is_corpus(X: object) -> bool:
    return isinstance(X, _Recognisable)


def as_corpus(X: Any, *, checked: bool = False) -> Corpus:
    """X itself if it is a Corpus, otherwise a Corpus of the array or sparse matrix X.

    checked: a sparse X has passed check_sparse, which reads all of it.
    """
    if isinstance(X, _Recognisable):
        return cast("Corpus", X)
    if isinstance(X, np.ndarray):
        return _dense(X)
    from scipy.sparse import issparse

    if not issparse(X):
        return _dense(np.asarray(X))
    if not checked:
        check_sparse(X)
    return _sparse(X)


def _dense(X: NDArray[Any]) -> DenseMatrix:
    if X.ndim != 2:
        raise UsageError(f"X must be a 2-D array with one document per row, not a {X.ndim}-D array")
    return DenseMatrix(np.ascontiguousarray(X, dtype=np.float64))


def _sparse(X: Any) -> SparseMatrix:
    if X.shape[1] > WIDEST:
        raise UsageError(f"X has {X.shape[1]} columns: a matrix may have at most {WIDEST}")
    return SparseMatrix(X, threads=cores())


class _Matrix:
    """The code that arrays and sparse matrices share.

    `weigh` weights outside rows like those of this corpus; `factors` are the column factors, 1 if
    there are none. Products of a sparse matrix with one vector are made by `threads`.
    """

    arrays = NUMPY
    speed = SPEED
    has_rows = True

    def __init__(
        self,
        matrix: Any,
        factors: Floats | None = None,
        weigh: Weigh | None = None,
        threads: int = 1,
    ) -> None:
        self._matrix, self._weigh, self._factors = matrix, weigh, factors
        self.threads = threads
        self._transposed = matrix.T

    @property
    def shape(self) -> tuple[int, int]:
        documents, terms = self._matrix.shape
        return int(documents), int(terms)

    @property
    def term_factors(self) -> Floats:
        return np.ones(self.shape[1]) if self._factors is None else self._factors

    @property
    def squares(self) -> Floats:
        raise NotImplementedError

    def scores(self, w: Vectors | SparseVector) -> Vectors:
        if isinstance(w, SparseVector):
            return self.scores(self._spread_out(w)).astype(np.float32)
        w = checked_vectors(w, self.shape, 1)
        scores: Vectors = self._matrix @ w
        return scores.astype(w.dtype, copy=False)

    def weighted_sum(self, a: Vectors) -> Vectors:
        a = checked_vectors(a, self.shape, 0)
        sums: Vectors = self._transposed @ a
        return sums.astype(a.dtype, copy=False)

    def fused(
        self, w: Vectors, weigh: Callable[..., Vectors], *along: Vectors
    ) -> tuple[Vectors, Vectors]:
        scores = self.scores(w)
        return scores, self.weighted_sum(weigh(scores, *along))

    def exact(self, ids: Ids, w: Vectors | SparseVector) -> Floats:
        dense = self._spread_out(w) if isinstance(w, SparseVector) else w
        chosen = self._matrix[checked_ids(ids, self.shape[0])]
        scores: Floats = chosen @ np.asarray(dense, np.float64)
        return scores

    def slack(self, w: Vectors | SparseVector) -> float:
        weights = w.weights if isinstance(w, SparseVector) else w
        return rounding(weights, float(np.sqrt(self.squares.max(initial=0.0))), ROUNDINGS)

    def top(
        self,
        w: Vectors | SparseVector,
        k: int,
        keep: Mask | None = None,
        *,
        positive: bool = False,
    ) -> list[tuple[int, float]]:
        check_top(k, keep, self.shape[0])
        dense = self._spread_out(w) if isinstance(w, SparseVector) else w
        scores = self.scores(np.asarray(dense, np.float64))
        found = np.arange(len(scores)) if keep is None else np.flatnonzero(keep)
        return best_first(found, scores[found], k, positive=positive)

    def take(self, ids: Ids) -> Self:
        chosen = self._matrix[checked_ids(ids, self.shape[0])]
        return type(self)(chosen, self._factors, self._weigh, self.threads)

    def judged(self) -> _core.Judged:
        return _core.Judged(self.shape[0])

    def row_access(self, ids: Ids) -> CoreRows:
        rows = CoreRows(np.ones(self.shape[1]), len(ids))
        rows.threads = self.threads
        self._add_to(rows, ids)
        rows.squares[:] = self.squares[ids]
        return rows

    def _add_to(self, rows: CoreRows, ids: Ids) -> None:
        raise NotImplementedError

    def _spread_out(self, w: SparseVector) -> Floats:
        return np.asarray(spread_out(w, self.shape[1]), np.float64)


class DenseMatrix(_Matrix):
    """Over a 2-D array of float64."""

    @cached_property
    def squares(self) -> Floats:
        lengths: Floats = np.einsum("ij,ij->i", self._matrix, self._matrix)
        return lengths

    def rows(self, ids: Ids) -> Csr:
        chosen = self._matrix[checked_ids(ids, self.shape[0])]
        row, column = np.nonzero(chosen)
        starts = np.searchsorted(row, np.arange(len(chosen) + 1))
        values = chosen[row, column]
        return Csr(starts.astype(np.int64), column.astype(np.int32), values, chosen.shape)

    def extended(self, rows: Outside) -> DenseMatrix:
        outside = np.asarray(rows, np.float64)
        weighed = outside if self._weigh is None else self._weigh(outside)
        return DenseMatrix(np.vstack([self._matrix, weighed]), self._factors, self._weigh)

    def _add_to(self, rows: CoreRows, ids: Ids) -> None:
        rows.rows.add_array(self._matrix, *_places(ids))


class SparseMatrix(_Matrix):
    """Over a sparse matrix that passed check_sparse, kept as CSR of float64."""

    def __init__(
        self,
        matrix: Any,
        factors: Floats | None = None,
        weigh: Weigh | None = None,
        threads: int = 1,
    ) -> None:
        rows = matrix.tocsr().astype(np.float64, copy=False)
        read = _doubles(rows, threads)
        if read.repeated:
            rows = rows.copy()
            rows.sum_duplicates()
            read = _doubles(rows, threads)
        super().__init__(rows, factors, weigh, threads)
        self._read = read

    @cached_property
    def squares(self) -> Floats:
        return self._read.squares

    def scores(self, w: Vectors | SparseVector) -> Vectors:
        if isinstance(w, SparseVector) or w.ndim != 1:
            return super().scores(w)
        w = checked_vectors(w, self.shape, 1)
        found = self._read.dot(np.ascontiguousarray(w, np.float64), self.threads)
        return found.astype(w.dtype, copy=False)

    def weighted_sum(self, a: Vectors) -> Vectors:
        if a.ndim != 1:
            return super().weighted_sum(a)
        a = checked_vectors(a, self.shape, 0)
        sums = self._read.weighted_sum(np.ascontiguousarray(a, np.float64), self.threads)
        return sums.astype(a.dtype, copy=False)

    def rows(self, ids: Ids) -> Csr:
        """Columns ascend: sorted here, for nothing else needs the whole matrix so."""
        chosen = self._matrix[checked_ids(ids, self.shape[0])]
        chosen.sort_indices()
        columns = chosen.indices.astype(np.int32, copy=False)
        return Csr(chosen.indptr.astype(np.int64), columns, chosen.data, chosen.shape)

    def extended(self, rows: Outside) -> SparseMatrix:
        from scipy.sparse import csr_array, vstack

        outside = csr_array(rows) if isinstance(rows, np.ndarray) else _counts(rows, self.shape[1])
        weighed = outside if self._weigh is None else self._weigh(outside)
        whole = vstack([csr_array(self._matrix), weighed])
        return SparseMatrix(whole, self._factors, self._weigh)

    def _add_to(self, rows: CoreRows, ids: Ids) -> None:
        rows.rows.add_doubles(self._read, *_places(ids))


class MemoryCollection:
    """The live stored rows in one matrix; `counts` says whether they are counts."""

    def __init__(self, matrix: Any, *, counts: bool) -> None:
        self._matrix, self._are_counts = matrix, counts

    @cached_property
    def frequencies(self) -> NDArray[np.int64]:
        return np.bincount(self._matrix.indices, minlength=self._matrix.shape[1])

    def corpus(self, weighting: Weighting, col: Floats | None = None) -> DenseMatrix | SparseMatrix:
        documents, width = self._matrix.shape
        if col is None:
            own = weighting.columns(self.frequencies, documents) if self._are_counts else None
            col = np.ones(width) if own is None else own
        mean = len(self._matrix.data) / max(documents, 1) if self._are_counts else 0.0

        def weigh(rows: Any) -> Any:
            return _weighed(rows, weighting, col, mean, counts=self._are_counts)

        kind = DenseMatrix if isinstance(self._matrix, np.ndarray) else SparseMatrix
        return kind(weigh(self._matrix), col, weigh)

    def folded(self, *_: object, **__: object) -> None:
        """Latent spaces are products like others here."""

    def narrowed(self, ids: Ids, terms: NDArray[np.uint32]) -> MemoryCollection:
        chosen = self._matrix[checked_ids(ids, self._matrix.shape[0])]
        return MemoryCollection(chosen[:, terms.astype(np.int64)], counts=self._are_counts)


class MemoryEngine:
    def collection(self, stored: Sequence[Stored], width: int, threads: int) -> MemoryCollection:
        """`threads` is ignored: SciPy uses one."""
        from scipy.sparse import csr_array, vstack

        if any(isinstance(each.rows, np.ndarray) for each in stored):
            pieces = [_live(_dense_rows(each), each.live) for each in stored]
            return MemoryCollection(np.concatenate(pieces), counts=False)
        counts = all("counts" in each.rows for each in stored)
        rows = [_live(_stored_csr(each, width), each.live) for each in stored]
        return MemoryCollection(vstack([csr_array((0, width)), *rows], "csr"), counts=counts)


ENGINE = MemoryEngine()


def _weighed(rows: Any, weighting: Weighting, col: Floats, mean: float, *, counts: bool) -> Any:
    """row · col · f(stored) of dense or sparse rows."""
    if isinstance(rows, np.ndarray):
        scaled = rows * col
        squares = np.einsum("ij,ij->i", scaled, scaled)
        factors = unit_rows(squares) if weighting.norm == "unit" else np.ones(len(squares))
        return scaled * factors[:, None]
    from scipy.sparse import csr_array

    own = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    values = (weighting.f(rows.data) if counts else rows.data) * col[rows.indices]
    squares = _sums(own, values**2, rows.shape[0])
    factors = np.ones(rows.shape[0])
    if weighting.norm == "unit":
        factors = unit_rows(squares)
    elif weighting.norm == "damped":
        factors = damped_rows(squares, np.diff(rows.indptr).astype(np.float64), mean)
    elif weighting.norm == "pivoted":
        tokens = _sums(own, rows.data, rows.shape[0])
        factors = pivoted_rows(tokens, np.diff(rows.indptr).astype(np.float64), mean)
    return csr_array((values * factors[own], rows.indices, rows.indptr), rows.shape)


def _sums(own: Ids, values: Floats, size: int) -> Floats:
    return np.bincount(own, values, size).astype(np.float64)


def _stored_csr(stored: Stored, width: int) -> Any:
    """By the collection's columns."""
    from scipy.sparse import csr_array

    if stored.numbers is None:
        return _csr(stored.rows, width)
    own = _csr(stored.rows, stored.width)
    columns = stored.numbers[own.indices]
    matrix = csr_array((own.data, columns, own.indptr), (own.shape[0], width))
    matrix.sort_indices()
    return matrix


def _csr(rows: Any, width: int) -> Any:
    """Stored rows as a SciPy CSR matrix, columns ascending."""
    from scipy.sparse import csr_array

    if "counts" in rows:
        return _counts(rows, width)
    starts, columns = rows["starts"].astype(np.int64), rows["columns"].astype(np.int64)
    matrix = csr_array(
        (rows["values"].astype(np.float64), columns, starts), (len(starts) - 1, width)
    )
    matrix.sort_indices()
    return matrix


def _counts(rows: Any, width: int) -> Any:
    from scipy.sparse import csr_array

    documents = len(rows["starts"]) - 1
    read = _core.Counts(rows, width).entries(np.arange(documents, dtype=np.uint32))
    starts, columns, counts = read
    return csr_array((counts.astype(np.float64), columns, starts), (documents, width))


def _dense_rows(stored: Stored) -> Floats:
    rows = np.asarray(stored.rows, np.float64)
    return rows if stored.factors is None else rows * stored.factors[:, None]


def _live(rows: Any, live: NDArray[np.uint32] | None) -> Any:
    return rows if live is None else rows[live]


def _places(ids: Ids) -> tuple[NDArray[np.uint32], NDArray[np.uint32], Floats]:
    """Positions, row numbers and factors of some rows, in the core's types."""
    return np.arange(len(ids), dtype=np.uint32), ids.astype(np.uint32), np.ones(len(ids))


def _doubles(rows: Any, threads: int) -> _core.Doubles:
    starts, columns = _unsigned(rows.indptr), _unsigned(rows.indices)
    return _core.Doubles(starts, columns, rows.data, rows.shape[1], threads)


def _unsigned(numbers: NDArray[np.integer]) -> NDArray[np.uint32]:
    """The same numbers as uint32, without a copy if they have four bytes."""
    if numbers.dtype == np.int32:
        return numbers.view(np.uint32)
    return numbers.astype(np.uint32)
