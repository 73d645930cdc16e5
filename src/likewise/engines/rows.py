"""Rows that the core reads in place: the result of `Corpus.row_access`."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from likewise import _core
from likewise.corpus import Csr

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from likewise.corpus import Floats, Ids


class CoreRows:
    """Rows for the core; columns of several matrices can be side by side as layers."""

    nobody = _core.NOBODY

    def __init__(self, col: Floats, size: int, layers: int = 1) -> None:
        self.rows = _core.Rows(col, size, layers)
        self.squares: Floats = np.zeros(size)
        self.threads, self._width = 1, len(col)
        self._places: NDArray[np.uint32] | None = None  # those of these rows among the core's

    def sized(self, size: int) -> Self:
        """As many, yet to be added, with the same factors of columns: these are checked once."""
        rows = copy(self)
        rows.rows, rows.squares = _core.Rows(self.rows, size), np.zeros(size)
        return rows

    def among(self, places: Ids) -> Self:
        """Some of them. The core keeps one copy for the descents of all."""
        own = places if self._places is None else self._places[places]
        some = copy(self)
        some._places, some.squares = own.astype(np.uint32), self.squares[places]
        return some

    def csr(self) -> Csr:
        """The rows themselves, all that were added."""
        starts, columns, values = self.rows.entries(self.threads)
        return Csr(starts, columns, values, (len(self.rows), self._width))

    def weighted_sum(self, weights: Floats) -> Floats:
        every = weights
        if self._places is not None:
            every = np.zeros(len(self.rows))
            every[self._places] = weights
        return self.rows.weighted_sum(np.ascontiguousarray(every, np.float64))

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
            squared=squared, bias=bias, seed=seed, threads=self.threads, places=self._places,
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


class KeptRows:
    """Access to some documents' rows, kept for whoever asks for some of them again."""

    def __init__(self) -> None:
        self._kept: tuple[Ids, CoreRows] | None = None

    def __call__(self, ids: Ids, make: Callable[[Ids], CoreRows | None]) -> CoreRows | None:
        """`make` makes it; `ids` ascend, or are not found again."""
        if self._kept is not None:
            known, rows = self._kept
            places = np.minimum(np.searchsorted(known, ids), len(known) - 1)
            if np.array_equal(known[places], ids):
                return rows if len(ids) == len(known) else rows.among(places)
        made = make(ids)
        if made is not None and len(ids):
            self._kept = ids, made
        return made


def _running_sums(weights: Floats) -> NDArray[np.float64]:
    """Cumulative sums of the weights; empty if all are equal."""
    if weights.min() == weights.max():
        return np.zeros(0)
    sums: NDArray[np.float64] = np.cumsum(weights)
    return sums
