"""Stored rows on a card. The host keeps them mapped, for what asks for a few documents."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from likewise.engines.gpu.corpus import GpuCorpus, Part
from likewise.engines.gpu.matrices import (
    Counts,
    DenseMatrix,
    Elsewhere,
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
    from likewise.engines.gpu.matrices import F, Matrix
    from likewise.engines.local.segments import Factors
    from likewise.weighting import Weighting

MOST_ENTRIES = 1 << 31  # of a partition: places in it are numbers of four bytes


class GpuCollection:
    """Runs of the stored matrices, each on one of the cards; vectors lie on the first card."""

    def __init__(
        self, cards: Sequence[Card], host: LocalCollection, most: int = MOST_ENTRIES
    ) -> None:
        self._cards, self._host, self._most = cards, host, most

    @property
    def frequencies(self) -> NDArray[np.int64]:
        return self._host.frequencies

    def narrowed(self, ids: Ids, terms: NDArray[np.uint32]) -> GpuCollection:
        return GpuCollection(self._cards, self._host.narrowed(ids, terms), self._most)

    def folded(self, *_: object, **__: object) -> None:
        """Latent spaces are products like others here."""

    def corpus(self, weighting: Weighting, col: Floats | None = None) -> GpuCorpus:
        factors = self._host.factors(weighting, col)
        home = self._cards[0]
        parts, segments = [], []
        for partition in self._partitions:
            squares = partition.squares(factors)
            made = [
                factors.segment(matrix, live, self._host.threads, own)
                for (matrix, live), own in zip(partition.run, squares, strict=True)
            ]
            rows = np.concatenate([segment.narrow(segment.row) for segment in made])
            lengths = np.concatenate([segment.narrow(segment.squares) for segment in made])
            matrix = partition.seen(weighting.f)
            with partition.card.active():
                factor = partition.card.xp.asarray(rows)
            if partition.card is not home:
                matrix = Elsewhere(matrix, partition.card, home)
            parts.append(Part(matrix, factor, home.xp.asarray(lengths)))
            segments += made
        host = LocalCorpus(segments, factors, threads=self._host.threads)
        return GpuCorpus(home, host, factors, parts)

    @cached_property
    def _partitions(self) -> list[_Partition]:
        entries = sum(_entries(matrix) for matrix, _ in self._host.matrices)
        share = -(-entries // len(self._cards))
        runs = _runs(self._host.matrices, min(self._most, max(share, 1)))
        cards = [self._cards[i * len(self._cards) // len(runs)] for i in range(len(runs))]
        return [
            _Partition(card, run, self._host.width) for card, run in zip(cards, runs, strict=True)
        ]


class _Partition:
    """A run of matrices, and their live rows on a card."""

    def __init__(self, card: Card, run: list[Any], width: int) -> None:
        self.card, self.run = card, run
        self._stored: Counts | Any
        with card.active():
            if isinstance(run[0][0], DensePart):
                self._stored = loaded_dense(card, run)
            else:
                self._stored = loaded_sparse(card, run, width)

    def seen(self, f: F) -> Matrix:
        if isinstance(self._stored, Counts):
            return SparseMatrix(self._stored, f)
        return DenseMatrix(self.card, self._stored)

    def squares(self, factors: Factors) -> list[Floats | None]:
        """Squared lengths before row factors, of the rows of each matrix; 0 for deleted ones."""
        if not all(isinstance(matrix, CountMatrix) for matrix, _ in self.run):
            return [None] * len(self.run)  # of real numbers, by the host
        xp = self.card.xp
        with self.card.active():
            squared = SparseMatrix(self._stored, lambda counts: factors.weighting.f(counts) ** 2)
            sums = squared.dot(xp.asarray(factors.col**2), xp.ones(squared.height))
            found = self.card.arrays.host(sums)
        squares: list[Floats | None] = []
        for matrix, live in self.run:
            rows = matrix.shape[0]
            size = rows if live is None else len(live)
            whole = np.zeros(rows)
            whole[slice(None) if live is None else live], found = found[:size], found[size:]
            squares.append(whole)
        return squares


class GpuEngine:
    """`cards` makes them when they are first needed."""

    def __init__(self, cards: Callable[[], Sequence[Card]]) -> None:
        self._cards = cards

    def collection(self, stored: Sequence[Stored], width: int, threads: int) -> GpuCollection:
        return GpuCollection(self._cards(), LocalEngine().collection(stored, width, threads))


def _runs(matrices: Sequence[Any], most: int) -> list[list[Any]]:
    """Neighbours together, with at most so many entries if one has not more."""
    runs: list[list[Any]] = []
    total = 0
    for matrix, live in matrices:
        entries = _entries(matrix)
        if not runs or total + entries > most:
            runs.append([])
            total = 0
        runs[-1].append((matrix, live))
        total += entries
    return runs


def _entries(matrix: Any) -> int:
    """The stored numbers of a matrix; a dense one's rows, so that these are shared out, too."""
    return int(matrix.arrays["starts"][-1]) if hasattr(matrix, "arrays") else len(matrix.numbers)
