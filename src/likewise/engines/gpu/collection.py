"""Stored rows on a card. The host keeps them mapped, for what asks for a few documents."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from likewise.engines.gpu.corpus import GpuCorpus, Part
from likewise.engines.gpu.matrices import (
    Counts,
    DenseMatrix,
    SparseMatrix,
    loaded_dense,
    loaded_sparse,
)
from likewise.engines.local.collection import LocalCollection, LocalEngine
from likewise.engines.local.corpus import LocalCorpus
from likewise.engines.local.parts import CountMatrix
from likewise.engines.local.vectors import DensePart

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from likewise.corpus import Floats, Ids, Stored
    from likewise.engines.gpu.card import Card
    from likewise.engines.gpu.matrices import Matrix
    from likewise.engines.local.segments import Factors
    from likewise.weighting import Weighting

MOST_ENTRIES = 1 << 31  # of a partition: places in it are numbers of four bytes


class GpuCollection:
    has_rows = GpuCorpus.has_rows

    def __init__(self, card: Card, host: LocalCollection, most: int = MOST_ENTRIES) -> None:
        self._card, self._host, self._most = card, host, most

    @property
    def frequencies(self) -> NDArray[np.int64]:
        return self._host.frequencies

    def narrowed(self, ids: Ids, terms: NDArray[np.uint32]) -> GpuCollection:
        return GpuCollection(self._card, self._host.narrowed(ids, terms), self._most)

    def corpus(self, weighting: Weighting, col: Floats | None = None) -> GpuCorpus:
        factors = self._host.factors(weighting, col)
        parts, segments = [], []
        for run, stored in self._partitions:
            squares = self._squares(run, stored, factors)
            made = [
                factors.segment(matrix, live, self._host.threads, own)
                for (matrix, live), own in zip(run, squares, strict=True)
            ]
            rows = [segment.narrow(segment.row) for segment in made]
            lengths = [segment.narrow(segment.squares) for segment in made]
            there = (self._card.xp.asarray(np.concatenate(each)) for each in (rows, lengths))
            parts.append(Part(_seen(self._card, stored, weighting.f), *there))
            segments += made
        host = LocalCorpus(segments, factors, threads=self._host.threads)
        return GpuCorpus(self._card, host, factors, parts)

    @cached_property
    def _partitions(self) -> list[tuple[list[Any], Counts | Any]]:
        """Runs of matrices, and their live rows on the card."""
        found = []
        for run in _runs(self._host.matrices, self._most):
            if isinstance(run[0][0], DensePart):
                found.append((run, loaded_dense(self._card, run)))
            else:
                found.append((run, loaded_sparse(self._card, run, self._host.width)))
        return found

    def _squares(
        self, run: Sequence[Any], stored: Counts | Any, factors: Factors
    ) -> list[Floats | None]:
        """Squared lengths before row factors, of the rows of each matrix; 0 for deleted ones."""
        if not all(isinstance(matrix, CountMatrix) for matrix, _ in run):
            return [None] * len(run)  # of real numbers, by the host
        squared = SparseMatrix(stored, lambda counts: factors.weighting.f(counts) ** 2)
        ones = self._card.xp.ones(squared.height)
        found = self._card.arrays.host(squared.dot(self._card.xp.asarray(factors.col**2), ones))
        squares: list[Floats | None] = []
        for matrix, live in run:
            rows = matrix.shape[0]
            size = rows if live is None else len(live)
            whole = np.zeros(rows)
            whole[slice(None) if live is None else live], found = found[:size], found[size:]
            squares.append(whole)
        return squares


class GpuEngine:
    """`card` makes the card when it is first needed."""

    def __init__(self, card: Callable[[], Card]) -> None:
        self._card = card

    def collection(self, stored: Sequence[Stored], width: int, threads: int) -> GpuCollection:
        return GpuCollection(self._card(), LocalEngine().collection(stored, width, threads))


def _seen(card: Card, stored: Any, f: Callable[[NDArray[np.generic]], Floats]) -> Matrix:
    if isinstance(stored, Counts):
        return SparseMatrix(stored, f)
    return DenseMatrix(card, stored)


def _runs(matrices: Sequence[Any], most: int) -> list[list[Any]]:
    """Neighbours together, with at most so many entries if one has not more."""
    runs: list[list[Any]] = []
    total = 0
    for matrix, live in matrices:
        entries = int(matrix.arrays["starts"][-1]) if hasattr(matrix, "arrays") else 0
        if not runs or total + entries > most:
            runs.append([])
            total = 0
        runs[-1].append((matrix, live))
        total += entries
    return runs
