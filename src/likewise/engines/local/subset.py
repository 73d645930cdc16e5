"""A subset of a local corpus, renumbered: all documents but the examples, or a sample."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise import _core
from likewise.corpus import SparseVector
from likewise.engines.arrays import NUMPY
from likewise.engines.checks import best_by_scores
from likewise.engines.rows import KeptRows
from likewise.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from likewise._core import CountArrays
    from likewise.corpus import Csr, Ids, Mask
    from likewise.engines.local.corpus import LocalCorpus
    from likewise.engines.rows import CoreRows

    Vector = NDArray[np.floating]
    Vectors = NDArray[np.floating]

MOST = 4  # for at least 1/MOST of all documents, multiply all and select


class Subset:
    arrays = NUMPY
    has_rows = True

    def __init__(self, base: LocalCorpus, ids: NDArray[np.int64]) -> None:
        self._base, self._ids = base, ids
        self._accessed = KeptRows()

    @property
    def shape(self) -> tuple[int, int]:
        return len(self._ids), self._base.shape[1]

    @property
    def speed(self) -> float:
        return self._base.speed

    @property
    def threads(self) -> int:
        return self._base.threads

    @property
    def squares(self) -> NDArray[np.float64]:
        return self._base.squares_of(self._ids)

    @property
    def term_factors(self) -> NDArray[np.float64]:
        return self._base.term_factors

    def scores(self, w: Vectors | SparseVector) -> Vectors:
        if isinstance(w, SparseVector) or MOST * len(self._ids) >= self._base.shape[0]:
            return self._base.scores(w)[self._ids]
        return self._base.dot_rows(self._ids, w)

    def weighted_sum(self, a: Vectors) -> Vectors:
        a = np.asarray(a)
        if len(a) != len(self._ids):
            raise UsageError(f"{len(a)} weights for {len(self._ids)} documents")
        if a.ndim == 1 and MOST * len(self._ids) < self._base.shape[0]:
            sums = self._base.sum_rows(self._ids, a)
            return sums.astype(a.dtype if a.dtype == np.float32 else np.float64, copy=False)
        spread = np.zeros((self._base.shape[0], *a.shape[1:]), a.dtype)
        np.add.at(spread, self._ids, a)
        return self._base.weighted_sum(spread)

    def fused(
        self, w: Vector, weigh: Callable[..., Vector], *along: Vector
    ) -> tuple[Vector, Vector]:
        scores = self.scores(w)
        return scores, self.weighted_sum(weigh(scores, *along))

    def rows(self, ids: Ids) -> Csr:
        return self._base.rows(self._ids[ids])

    def take(self, ids: Ids) -> Subset:
        return Subset(self._base, self._ids[ids])

    def extended(self, rows: CountArrays | NDArray[np.float32]) -> Subset:
        whole = self._base.extended(rows)
        outside = np.arange(self._base.shape[0], whole.shape[0])
        return Subset(whole, np.concatenate([self._ids, outside]))

    def row_access(self, ids: Ids) -> CoreRows | None:
        return self._accessed(ids, lambda some: self._base.row_access(self._ids[some]))

    def judged(self) -> _core.Judged:
        return _core.Judged(len(self._ids))

    def add_layer(
        self, rows: CoreRows, ids: Ids, factor: float = 1.0, layer: int = 0, first: int = 0
    ) -> None:
        self._base.add_layer(rows, self._ids[ids], factor, layer, first)

    def exact(self, ids: Ids, w: Vector | SparseVector) -> NDArray[np.float64]:
        return self._base.exact(self._ids[ids], w)

    def slack(self, w: Vector | SparseVector) -> float:
        return self._base.slack(w)

    def top(
        self,
        w: Vector | SparseVector,
        k: int,
        keep: Mask | None = None,
        *,
        positive: bool = False,
    ) -> list[tuple[int, float]]:
        narrow = self._base.dense(w).astype(np.float32)
        return best_by_scores(self, narrow, w, k, keep, positive=positive)
