"""Some documents of a local corpus, renumbered: all but the examples, or a sample."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise import _core
from likewise.arguments import best_first
from likewise.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likewise.corpus import Csr, Ids, Mask, SparseVector, Vector, Vectors
    from likewise.local.corpus import LocalCorpus

MOST = 4  # a view of at least 1/MOST of all documents is multiplied with them, then cut out


class View:
    def __init__(self, base: LocalCorpus, ids: NDArray[np.int64]) -> None:
        self._base, self._ids = base, ids

    @property
    def shape(self) -> tuple[int, int]:
        return len(self._ids), self._base.shape[1]

    def scores(self, w: Vectors) -> Vectors:
        if MOST * len(self._ids) >= self._base.shape[0]:
            return self._base.scores(w)[self._ids]
        return self._base.dot_rows(self._ids, w)

    def weighted_sum(self, a: Vectors) -> Vectors:
        a = np.asarray(a)
        if len(a) != len(self._ids):
            raise UsageError(f"{len(a)} weights for {len(self._ids)} documents")
        spread = np.zeros((self._base.shape[0], *a.shape[1:]), a.dtype)
        np.add.at(spread, self._ids, a)
        return self._base.weighted_sum(spread)

    def rows(self, ids: Ids) -> Csr:
        return self._base.rows(self._ids[ids])

    def take(self, ids: Ids) -> View:
        return View(self._base, self._ids[ids])

    @property
    def col(self) -> NDArray[np.float64]:
        return self._base.col

    def row_access(self, ids: Ids) -> tuple[_core.Rows, NDArray[np.float64]]:
        return self._base.row_access(self._ids[ids])

    def add_layer(
        self, rows: _core.Rows, ids: Ids, factor: float = 1.0, layer: int = 0, first: int = 0
    ) -> NDArray[np.float64]:
        return self._base.add_layer(rows, self._ids[ids], factor, layer, first)

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
        dense = self._base.dense(w)
        scores = self.scores(dense.astype(np.float32))
        found = _core.best(scores, keep, k, self._base.slack(w)).astype(np.int64)
        return best_first(found, self.exact(found, w), k, positive=positive)
