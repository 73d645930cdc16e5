"""Rows that the core reads in place: the result of `Corpus.row_access`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from likewise import _core

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likewise.corpus import Floats


class CoreRows:
    """Rows for the core; columns of several matrices can be side by side as layers."""

    nobody = _core.NOBODY

    def __init__(self, col: Floats, size: int, layers: int = 1) -> None:
        self.rows = _core.Rows(col, size, layers)
        self.squares: Floats = np.zeros(size)
        self.threads = 1

    def weighted_sum(self, weights: Floats) -> Floats:
        return self.rows.weighted_sum(np.ascontiguousarray(weights, np.float64))

    def descent(
        self,
        labels: Floats,
        margins: Floats,
        costs: Floats,
        alpha: Floats,
        w: Floats,
        *,
        squared: bool,
        bias: bool,
        seed: int,
    ) -> _core.Descent:
        return _core.Descent(
            self.rows, self.squares, labels, margins, costs, alpha, w,
            squared=squared, bias=bias, seed=seed, threads=self.threads,
        )  # fmt: skip

    def pairs(self, *, loss: str, threshold: bool, seed: int) -> _core.Pairs:
        return _core.Pairs(self.rows, loss=loss, threshold=threshold, seed=seed)

    def draws(
        self, upper: Floats, lower: Floats, *, gamma: float, seed: int, threads: int
    ) -> _core.Draws:
        sums = _running_sums(upper), _running_sums(lower)
        return _core.Draws(len(upper), len(lower), *sums, gamma=gamma, seed=seed, threads=threads)

    def combined(self, draws: Any, loss: str, regression: bool, total: float, steps: int) -> Floats:
        found = _core.combined(self.rows, self.squares, draws, loss, regression, total, steps)
        return found.reshape(2, -1)


def _running_sums(weights: Floats) -> NDArray[np.float64]:
    """Cumulative sums of the weights; empty if all are equal."""
    if weights.min() == weights.max():
        return np.zeros(0)
    sums: NDArray[np.float64] = np.cumsum(weights)
    return sums
