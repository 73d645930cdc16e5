"""X[i, j] = row[i] · f(stored)[i, j] · col[j] on a card.

All products are computed there, and vectors stay there. What is asked of a few documents (rows,
exact scores) the host answers by the local engine, of the same stored rows and factors: the k best
are found among candidates by scores in single precision, as there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from likewise.corpus import SparseVector
from likewise.engines.checks import (
    best_by_scores,
    check_top,
    checked_arrays,
    checked_ids,
    rounding,
    spread_out,
)
from likewise.engines.gpu.matrices import (
    DenseMatrix,
    Elsewhere,
    SparseMatrix,
    loaded_dense,
    loaded_sparse,
)
from likewise.engines.local.parts import CountMatrix
from likewise.engines.local.vectors import DensePart

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from likewise._core import CountArrays
    from likewise.corpus import Corpus, Csr, Floats, Ids, Mask, Vector, Vectors
    from likewise.engines.gpu.card import Card
    from likewise.engines.gpu.layout import Array
    from likewise.engines.gpu.matrices import Matrix
    from likewise.engines.local.corpus import LocalCorpus
    from likewise.engines.local.segments import Factors
    from likewise.engines.local.subset import Subset

ROUNDINGS = 6  # of a weight, of its product with a factor and of a score, twice: sums are of double
SPEED = 1e11  # entries that learning processes in a second, a low estimate


class Part(NamedTuple):
    """Some of the documents, their factors and their squared lengths."""

    matrix: Matrix
    factor: Array
    squares: Array


class GpuCorpus:
    speed = SPEED
    has_rows = False  # threads by the thousands cannot visit rows one after another

    def __init__(
        self, card: Card, host: LocalCorpus | Subset, factors: Factors, parts: Sequence[Part]
    ) -> None:
        self._card, self._host, self._factors, self._parts = card, host, factors, list(parts)
        self.arrays = card.arrays
        self.threads = host.threads
        self.term_factors = factors.col
        self._col = card.xp.asarray(factors.col)
        self.squares = self._joined([part.squares for part in self._parts])
        self._longest = float(self.squares.max()) ** 0.5 if self.squares.size else 0.0
        self._ends = np.cumsum([0, *(part.matrix.height for part in self._parts)])

    @property
    def shape(self) -> tuple[int, int]:
        return int(self._ends[-1]), len(self.term_factors)

    def scores(self, w: Vectors | SparseVector) -> Vectors:
        xp = self._card.xp
        if isinstance(w, SparseVector):
            w = xp.asarray(spread_out(w, self.shape[1])).astype(np.float32)
        w = checked_arrays(xp, w, self.shape, 1)
        scaled = (_as_column(self._col, w) * w).astype(w.dtype)
        return self._joined([part.matrix.dot(scaled, part.factor) for part in self._parts])

    def weighted_sum(self, a: Vectors) -> Vectors:
        xp = self._card.xp
        a = checked_arrays(xp, a, self.shape, 0)
        total = xp.zeros((self.shape[1], *a.shape[1:]))
        for i, part in enumerate(self._parts):
            part.matrix.add_sums(a[self._ends[i] : self._ends[i + 1]], part.factor, total)
        total *= _as_column(self._col, total)
        return total.astype(a.dtype, copy=False)

    def fused(
        self, w: Vector, weigh: Callable[..., Vector], *along: Vector
    ) -> tuple[Vector, Vector]:
        """In two passes: what would be read once on a host is here by document and by term."""
        scores = self.scores(w)
        return scores, self.weighted_sum(weigh(scores, *along))

    def rows(self, ids: Ids) -> Csr:
        return self._host.rows(checked_ids(ids, self.shape[0]))

    def exact(self, ids: Ids, w: Vector | SparseVector) -> Floats:
        return self._host.exact(ids, self._on_host(w))

    def slack(self, w: Vector | SparseVector) -> float:
        weights = w.weights if isinstance(w, SparseVector) else self.arrays.host(w)
        return rounding(weights, self._longest, ROUNDINGS)

    def top(
        self,
        w: Vector | SparseVector,
        k: int,
        keep: Mask | None = None,
        *,
        positive: bool = False,
    ) -> list[tuple[int, float]]:
        check_top(k, keep, self.shape[0])
        narrow = w if isinstance(w, SparseVector) else w.astype(np.float32)
        return best_by_scores(self, narrow, w, k, keep, positive=positive)

    def take(self, ids: Ids) -> Corpus:
        ids = checked_ids(ids, self.shape[0])
        matrices: list[Any] = [part.matrix for part in self._parts]
        if len(ids) <= self._card.few or any(isinstance(each, Elsewhere) for each in matrices):
            return self._host.take(ids)
        owner = np.searchsorted(self._ends, ids, "right") - 1
        first, *others = matrices
        matrix = first.chosen(others, owner, ids - self._ends[owner])
        there = self._card.xp.asarray(ids)
        factor = self._joined([part.factor for part in self._parts])[there]
        taken = Part(matrix, factor, self.squares[there])
        return GpuCorpus(self._card, self._host.take(ids), self._factors, [taken])

    def extended(self, rows: CountArrays | NDArray[np.float32]) -> GpuCorpus:
        """With outside documents after its own: weighted in the same way, not counted in df."""
        width, f = self.shape[1], self._factors.weighting.f
        matrix: Matrix
        if isinstance(rows, np.ndarray):
            dense = DensePart(rows)
            segment = self._factors.segment(dense, None, 1)
            matrix = DenseMatrix(self._card, loaded_dense(self._card, [(dense, None)]))
        else:
            counts = CountMatrix(rows, lambda: rows, width, trusted=False)
            segment = self._factors.segment(counts, None, 1)
            matrix = SparseMatrix(loaded_sparse(self._card, [(counts, None)], width), f)
        asarray = self._card.xp.asarray
        outside = Part(matrix, asarray(segment.row), asarray(segment.squares))
        host = self._host.extended(rows)
        return GpuCorpus(self._card, host, self._factors, [*self._parts, outside])

    def row_access(self, ids: Ids) -> None:
        return None

    def judged(self) -> None:
        return None

    def _joined(self, vectors: Sequence[Array]) -> Array:
        """One vector over all documents from those of the parts."""
        here = [self._card.brought(vector) for vector in vectors]
        return here[0] if len(here) == 1 else self._card.xp.concatenate(here)

    def _on_host(self, w: Vector | SparseVector) -> Any:
        return w if isinstance(w, SparseVector) else self.arrays.host(w)


def _as_column(factors: Array, like: Array) -> Array:
    """Factors shaped to scale the rows of a vector or a block."""
    return factors if like.ndim == 1 else factors[:, None]
