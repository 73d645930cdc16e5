"""A segment's matrix and its products: f(counts), sparse values or dense values.

Row and column factors, deleted documents and other segments are handled by the corpus, not here.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from likewise import _core

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from likewise._core import CountArrays
    from likewise.corpus import Mask, SparseVector
    from likewise.engines.local.columns import Renumbered
    from likewise.weighting import Weighting

    Floats = NDArray[np.float64]
    Rows = NDArray[np.uint32]
    Vectors = NDArray[np.floating]
    Weigh = Callable[[int, int], None]


INVERTED = 1 << 24  # entries of which an inverted file is made in memory; others are scanned
DENSE = 4  # where one row in so many has a weight, all are summed up, by term


class Part(Protocol):
    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def entries(self) -> int: ...
    @property
    def factors(self) -> Floats | None:
        """What each row is to be multiplied by, if it is stored in other units."""

    @property
    def columns(self) -> Renumbered | None:
        """The numbers that its columns have in the corpus, if these are others."""

    def dot(self, x: Vectors, threads: int) -> Vectors: ...
    def dot_rows(self, ids: Rows, x: Vectors, threads: int) -> Vectors: ...
    def scores(self, x: Vectors, factors: Floats, y: Vectors, todo: _core.Pass) -> None:
        """Write dot(x), times a factor a row, to y, at the latest when `todo` runs."""

    def block_scores(
        self, x: Vectors, scales: Floats, factors: Floats, y: Vectors, threads: int
    ) -> None:
        """The same for a block whose rows are times a scale each."""

    def weighted_sum(self, a: Vectors, threads: int) -> Vectors: ...
    def add_block(self, a: Vectors, scales: Floats, total: Vectors, threads: int) -> None:
        """Add the weighted sum of rows for a block whose rows are times a scale each."""

    def add_sum(self, a: Vectors, scales: Floats, total: Floats, todo: _core.Pass) -> None:
        """Add the sum of rows, times a weight and a scale each, to `total`, in the same way."""

    def add_rows(self, ids: Rows, a: Floats, total: Floats) -> None:
        """Add some rows, times weights, to `total`: for few of them, one thread does it."""

    def fused(self, x: Floats, y: Floats, a: Floats, weigh: Weigh, threads: int) -> Floats:
        """Both products in one pass: y is written, and weigh(first, last) computes a from it."""

    def exact(self, ids: Rows, w: Floats | SparseVector) -> Floats: ...
    def add_scores(
        self, w: SparseVector, factors: NDArray[np.float32], scale: float, out: NDArray[np.float32]
    ) -> None:
        """Add all rows' products with a sparse vector, times their factors and the scale."""

    def squares(self, columns: Floats, threads: int) -> Floats:
        """Each row's squared length, columns scaled first."""

    def add_to(
        self,
        rows: _core.Rows,
        places: Rows,
        ids: Rows,
        scale: Floats,
        layer: int = 0,
        first: int = 0,
    ) -> None:
        """Let the core read some rows in place."""

    def postings(self, columns: NDArray[np.int32]) -> int | None:
        """How many entries these columns have; None if there is no inverted file."""

    def candidates(
        self,
        w: SparseVector,
        factors: NDArray[np.float32],
        keep: Mask | None,
        k: int,
        slack: float,
        positive: bool,
    ) -> Rows:
        """The rows that can be among the k best, by the inverted file."""


class CountMatrix:
    """The counts of a segment, by document and by term; all weightings share it."""

    def __init__(
        self,
        rows: CountArrays,
        inverted: Callable[[], CountArrays],
        width: int,
        *,
        trusted: bool,
        listed: Rows | None = None,
        stored: bool = True,
        columns: Renumbered | None = None,
        starts: Callable[[], Rows] | None = None,
        frequencies: Callable[[], NDArray[np.unsignedinteger]] | None = None,
    ) -> None:
        """`listed` are the terms of the inverted file's rows, if it does not have all. One that is
        not `stored` takes time and memory to make. All numbers of columns here are its own; if a
        corpus has others for them, `columns` says which. `starts`, if given, are those of the
        inverted file's rows, without the rest of it; where none is stored, `frequencies` tell in
        how many rows each column is.
        """
        self.arrays, self.inverted_arrays, self.listed = rows, inverted, listed
        self.stored, self.columns = stored, columns
        self._starts = starts or (lambda: inverted()["starts"])
        self.width, self._trusted = width, trusted
        self._known_frequencies = frequencies
        self._counted: NDArray[np.int64] | None = None  # no cached_property: those of Python 3.11
        self._unique: Floats | None = None  # are made one after another, also of several objects
        self.rows = _core.Counts(rows, width, trusted=trusted)

    @property
    def shape(self) -> tuple[int, int]:
        return self.rows.shape

    @property
    def invertible(self) -> bool:
        """Whether there is an inverted file, or one can be made within some memory."""
        return self.stored or len(self.arrays["columns"]) <= INVERTED

    @cached_property
    def inverted(self) -> _core.Counts:
        return _core.Counts(self.inverted_arrays(), self.rows.shape[0], trusted=self._trusted)

    @property
    def is_uncounted(self) -> bool:
        """Whether in how many documents each term is must be found by reading all of them."""
        return not self.stored and self._known_frequencies is None and self._counted is None

    def count(self) -> None:
        """Find it, if it is not known."""
        _ = self._frequencies

    def add_frequencies(self, df: NDArray[np.int64]) -> None:
        """Add the number of documents that contain each term, deleted ones included."""
        if self.stored:
            _core.add_row_sizes(self._starts(), self.listed, df)
        else:
            df[: self.width] += self._frequencies

    def postings(self, columns: NDArray[np.int32]) -> int:
        """How many documents contain these terms, added up."""
        rows = self.places(columns)[1]
        if not self.stored:
            return int(self._frequencies[rows].sum())
        starts = self._starts()
        return int(starts[rows + 1].sum(dtype=np.int64) - starts[rows].sum(dtype=np.int64))

    def places(self, columns: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Which of these terms have a row in the inverted file, and which it is."""
        if self.listed is None:
            known = np.flatnonzero(columns < self.width)
            return known, columns[known].astype(np.int64)
        rows = np.searchsorted(self.listed, columns)
        known = np.flatnonzero(rows < len(self.listed))
        known = known[self.listed[rows[known]] == columns[known]]
        return known, rows[known]

    @property
    def _frequencies(self) -> NDArray[np.int64]:
        """The number of documents that contain each term, where no inverted file tells."""
        if self._counted is None:
            known = self._known_frequencies
            self._counted = self.rows.frequencies() if known is None else known().astype(np.int64)
        return self._counted

    @property
    def entries(self) -> int:
        return int(self.arrays["starts"][-1])

    @property
    def unique(self) -> Floats:
        """The number of different terms of each document."""
        if self._unique is None:
            self._unique = np.diff(self.arrays["starts"]).astype(np.float64)
        return self._unique

    def tokens(self, threads: int) -> Floats:
        """The number of tokens of each document."""
        large = self.arrays["large"].astype(np.float64)
        ones = np.ones(self.width)
        return np.asarray(self.rows.dot(ones, np.arange(256.0), large, threads), np.float64)


class CountPart:
    factors = None

    def __init__(self, matrix: CountMatrix, weighting: Weighting) -> None:
        self.matrix, self.columns = matrix, matrix.columns
        self._rows = matrix.rows
        self._table = weighting.f(np.arange(256))
        self._large = weighting.f(matrix.arrays["large"])
        self._weighting = weighting

    @property
    def shape(self) -> tuple[int, int]:
        return self._rows.shape

    @property
    def entries(self) -> int:
        return self.matrix.entries

    @cached_property
    def _large_inverted(self) -> Floats:
        return self._weighting.f(self.matrix.inverted_arrays()["large"])

    def dot(self, x: Vectors, threads: int) -> Vectors:
        return self._rows.dot(x, self._table, self._large, threads)

    def dot_rows(self, ids: Rows, x: Vectors, threads: int) -> Vectors:
        if x.ndim == 2:
            chosen = self._rows.select(ids)
            part = CountPart(
                CountMatrix(chosen, lambda: chosen, self.matrix.width, trusted=True),
                self._weighting,
            )
            return part.dot(x, threads)
        return self._rows.dot_rows(ids, x, self._table, self._large, threads)

    def block_scores(
        self, x: Vectors, scales: Floats, factors: Floats, y: Vectors, threads: int
    ) -> None:
        self._rows.block_scores(x, scales, self._table, self._large, factors, y, threads)

    def add_block(self, a: Vectors, scales: Floats, total: Vectors, threads: int) -> None:
        if self.matrix.invertible:  # threads share terms: none adds to what another one adds to
            table, large = self._table, self._large_inverted
            listed = self.matrix.listed
            self.matrix.inverted.add_block(a, scales, table, large, listed, total, threads)
        else:
            total += self.weighted_sum(_core.scale_rows(a, scales, threads), threads)

    def weighted_sum(self, a: Vectors, threads: int) -> Vectors:
        weights = a if a.ndim == 2 else a.astype(np.float64, copy=False)
        return self._rows.weighted_sum(weights, self._table, self._large, threads)

    def scores(self, x: Vectors, factors: Floats, y: Vectors, todo: _core.Pass) -> None:
        todo.scores(self._rows, x, self._table, self._large, factors, y)

    def add_sum(self, a: Vectors, scales: Floats, total: Floats, todo: _core.Pass) -> None:
        if self.matrix.stored and DENSE * np.count_nonzero(a != 0) >= len(a):
            inverted, listed = self.matrix.inverted, self.matrix.listed
            table, large = self._table, self._large_inverted
            todo.add_products(inverted, a, scales, table, large, listed, total)
        else:
            weights = a.astype(np.float64, copy=False)
            todo.add_sums(self._rows, weights, scales, self._table, self._large, total)

    @property
    def is_listed(self) -> bool:
        """Whether there is an inverted file by the corpus' own columns."""
        return self.matrix.stored and self.columns is None

    def add_rows(self, ids: Rows, a: Floats, total: Floats) -> None:
        self._rows.add_rows(ids, a, self._table, self._large, total)

    def fused(self, x: Floats, y: Floats, a: Floats, weigh: Weigh, threads: int) -> Floats:
        return self._rows.fused(x, self._table, self._large, y, a, weigh, threads)

    def exact(self, ids: Rows, w: Floats | SparseVector) -> Floats:
        columns, weights = (None, w) if isinstance(w, np.ndarray) else (unsigned(w), w.weights)
        return self._rows.exact(ids, columns, weights, self._table, self._large)

    def add_scores(
        self, w: SparseVector, factors: NDArray[np.float32], scale: float, out: NDArray[np.float32]
    ) -> None:
        if not self.matrix.invertible:
            dense = np.zeros(self.matrix.width, np.float32)
            dense[w.columns] = w.weights
            out += np.float32(scale) * (self.dot(dense, 1) * factors)
            return
        rows, weights = self._asked(w)
        self.matrix.inverted.add_scores(
            rows, weights, factors, self._table, self._large_inverted, scale, out
        )

    def squares(self, columns: Floats, threads: int) -> Floats:
        return self._rows.squares(columns, self._table**2, self._large**2, threads)

    def add_row_factors(
        self,
        squared: Floats,
        damping: tuple[float, float],
        squares: Floats,
        row: Floats,
        todo: _core.Pass,
    ) -> None:
        """Write row factors, and squared lengths by these, when `todo` runs.

        The columns' factors are squared. `damping` is its amount and the mean of terms in a row.
        """
        table, large = self._table**2, self._large**2
        todo.add_row_factors(self._rows, squared, table, large, *damping, squares, row)

    def squares_by(self, squared: SparseVector) -> NDArray[np.float32]:
        """Each row's squared length by some columns alone, whose squared factors are given."""
        rows, weights = self._asked(squared)
        out, ones = np.zeros(self.shape[0], np.float32), np.ones(self.shape[0], np.float32)
        table, large = self._table**2, self._large_inverted**2
        self.matrix.inverted.add_scores(rows, weights, ones, table, large, 1.0, out)
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
        """Columns that have other numbers in the corpus are copied with those."""
        matrix, large = self._rows, self._large
        if self.columns is not None:
            numbers = np.ascontiguousarray(self.columns.numbers)
            chosen = matrix.select(ids, numbers)
            matrix = _core.Counts(chosen, int(numbers.max(initial=0)) + 1, trusted=True)
            large, ids = self._weighting.f(chosen["large"]), np.arange(len(ids), dtype=np.uint32)
        rows.add_counts(matrix, self._table, large, places, ids, scale, layer, first)

    def postings(self, columns: NDArray[np.int32]) -> int | None:
        return self.matrix.postings(columns) if self.matrix.invertible else None

    def candidates(
        self,
        w: SparseVector,
        factors: NDArray[np.float32],
        keep: Mask | None,
        k: int,
        slack: float,
        positive: bool,
    ) -> Rows:
        rows, weights = self._asked(w)
        return self.matrix.inverted.candidates(
            rows, weights, factors, keep, k, slack,
            self._table, self._large_inverted, positive,
        )  # fmt: skip

    def add_postings(
        self,
        postings: _core.Postings,
        factors: Floats,
        factors32: NDArray[np.float32],
        live: Rows | None,
    ) -> None:
        """Let the core search in it."""
        matrix = self.matrix
        postings.add(
            matrix.inverted, matrix.rows, self._table, self._large, self._large_inverted,
            factors, factors32, matrix.listed, live,
        )  # fmt: skip

    def _asked(self, w: SparseVector) -> tuple[Rows, Floats]:
        """The rows of the inverted file that a query asks for, and their weights."""
        known, rows = self.matrix.places(w.columns)
        return rows.astype(np.uint32), w.weights[known]


def unsigned(w: SparseVector) -> Rows:
    return w.columns.astype(np.uint32)
