"""Segments of the local engine, with the factors of a weighting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from likewise import _core
from likewise.engines.local.columns import Inwards
from likewise.engines.local.parts import CountMatrix, CountPart
from likewise.weighting import DAMPING, damped_rows, pivoted_rows, unit_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from likewise.corpus import Mask
    from likewise.engines.local.parts import Part
    from likewise.weighting import Weighting

    Floats = NDArray[np.float64]
    Rows = NDArray[np.uint32]
    Counted = Sequence[tuple[CountMatrix, Rows | None]]  # each with its live rows
    Vector = NDArray[np.floating]

T = TypeVar("T", bound=np.generic)


@dataclass
class Segment:
    """A part, its rows' factors and squared lengths, and which of them are live (None: all)."""

    part: Part
    row: Floats
    squares: Floats
    live: Rows | None = None

    def __post_init__(self) -> None:
        self._row32: NDArray[np.float32] | None = None
        self.size = len(self.row) if self.live is None else len(self.live)
        self.mask: Mask | None = None
        if self.live is not None:
            self.mask = np.zeros(len(self.row), np.bool_)
            self.mask[self.live] = True

    @property
    def row32(self) -> NDArray[np.float32]:
        """The factors in single precision, which only postings need."""
        if self._row32 is None:
            self._row32 = self.row.astype(np.float32)
        return self._row32

    def narrow(self, values: NDArray[T]) -> NDArray[T]:
        return values if self.live is None else values[self.live]

    def widen(self, values: NDArray[T]) -> NDArray[T]:
        """From one value per live document to one per row, zero for deleted rows."""
        if self.live is None:
            return values
        out = np.zeros((len(self.row), *values.shape[1:]), values.dtype)
        out[self.live] = values
        return out

    def fuse(
        self,
        scaled: Floats,
        scores: Floats,
        weigh: Callable[..., Vector],
        along: Sequence[Vector],
        threads: int,
    ) -> Floats:
        """Write the live rows' scores; the sum of the rows times their weights."""
        rows = self.part.shape[0]
        products, weights = np.empty(rows), np.zeros(rows)

        def weigh_rows(first: int, last: int) -> None:
            own, live = self._live_between(first, last)
            scores[own] = products[live] * self.row[live]
            weights[live] = weigh(scores[own], *(a[own] for a in along)) * self.row[live]

        return self.part.fused(scaled, products, weights, weigh_rows, threads)

    def _live_between(self, first: int, last: int) -> tuple[slice, slice | Rows]:
        """The live rows of a range: their numbers among live rows, and in the segment."""
        if self.live is None:
            return slice(first, last), slice(first, last)
        own = slice(*np.searchsorted(self.live, [first, last]).tolist())
        return own, self.live[own]


@dataclass(frozen=True)
class Factors:
    """Column factors, and what is needed to compute a segment's row factors."""

    weighting: Weighting
    col: Floats
    mean_unique: float

    def segment(
        self,
        matrix: CountMatrix | Part,
        live: Rows | None,
        threads: int,
        squares: Floats | None = None,
    ) -> Segment:
        """`squares` are the rows' squared lengths before row factors, if they are known; they are
        overwritten by those after: fresh memory takes longer than what is computed here.
        """
        part = CountPart(matrix, self.weighting) if isinstance(matrix, CountMatrix) else matrix
        if squares is None:
            squares = part.squares(Inwards(self.col)(part), threads)
        own = part.factors
        row = self._rows(matrix, squares if own is None else squares * own**2, threads)
        row = row if own is None else row * own
        squares *= np.square(row)
        return Segment(part, row, squares, live)

    def segments(self, matrices: Counted, threads: int) -> list[Segment] | None:
        """Of rows of counts, by one pass of all threads; None if the core has no such norm."""
        damping = {"unit": 0.0, "damped": DAMPING}.get(self.weighting.norm)
        if damping is None:
            return None
        firsts = np.cumsum([0, *(matrix.shape[0] for matrix, _ in matrices)])
        whole = np.empty((2, int(firsts[-1])))  # at once, which the system gives in large pages
        todo, squared = _core.Pass(threads), Inwards(np.square(self.col))
        found = []
        for (matrix, live), first in zip(matrices, firsts.tolist(), strict=False):
            part = CountPart(matrix, self.weighting)
            squares, row = whole[:, first : first + matrix.shape[0]]
            part.add_row_factors(squared(part), (damping, self.mean_unique), squares, row, todo)
            found.append(Segment(part, row, squares, live))
        todo.run()
        return found

    def _rows(self, matrix: CountMatrix | Part, squares: Floats, threads: int) -> Floats:
        if self.weighting.norm == "unit":
            return unit_rows(squares)
        if isinstance(matrix, CountMatrix) and self.weighting.norm == "damped":
            return damped_rows(squares, matrix.unique, self.mean_unique)
        if isinstance(matrix, CountMatrix) and self.weighting.norm == "pivoted":
            return pivoted_rows(matrix.tokens(threads), matrix.unique, self.mean_unique)
        return np.ones(len(squares))
