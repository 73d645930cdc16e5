"""Segments as the engine sees them, and the factors that a weighting gives them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from likewise.local.parts import CountMatrix, CountPart
from likewise.weighting import pivoted_rows, unit_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likewise.corpus import Mask, Vectors
    from likewise.local.parts import Part
    from likewise.weighting import Weighting

    Floats = NDArray[np.float64]
    Rows = NDArray[np.uint32]

T = TypeVar("T", bound=np.generic)


class Stored(NamedTuple):
    """A segment's matrix and which of its rows are live (None: all)."""

    matrix: CountMatrix | Part
    live: Rows | None


@dataclass
class Segment:
    """A part, its rows' factors and squared lengths, and which of them are live (None: all)."""

    part: Part
    row: Floats
    squares: Floats
    live: Rows | None = None

    def __post_init__(self) -> None:
        self.row32 = self.row.astype(np.float32)
        self.size = len(self.row) if self.live is None else len(self.live)
        self.mask: Mask | None = None
        if self.live is not None:
            self.mask = np.zeros(len(self.row), np.bool_)
            self.mask[self.live] = True

    def narrow(self, values: Vectors) -> Vectors:
        return values if self.live is None else values[self.live]

    def widen(self, values: NDArray[T]) -> NDArray[T]:
        """A value a live document to a value a row, zero for the deleted."""
        if self.live is None:
            return values
        out = np.zeros((len(self.row), *values.shape[1:]), values.dtype)
        out[self.live] = values
        return out


@dataclass(frozen=True)
class Factors:
    """Column factors, and all it takes to find a segment's row factors."""

    weighting: Weighting
    col: Floats
    mean_unique: float

    @classmethod
    def of(cls, stored: Sequence[Stored], width: int, weighting: Weighting) -> Factors:
        counts = [(m, live) for m, live in stored if isinstance(m, CountMatrix)]
        if len(counts) < len(stored):
            return cls(weighting, np.ones(width), 0.0)
        unique = [m.unique if live is None else m.unique[live] for m, live in counts]
        documents = sum(map(len, unique))
        mean = sum(float(each.sum()) for each in unique) / max(documents, 1)
        df = document_frequencies(counts, width)
        return cls(weighting, weighting.columns(df, documents), mean)

    def segment(self, stored: Stored, threads: int) -> Segment:
        matrix, live = stored
        part = CountPart(matrix, self.weighting) if isinstance(matrix, CountMatrix) else matrix
        squares = part.squares(self.col[: part.shape[1]], threads)
        row = self._rows(matrix, squares, threads)
        return Segment(part, row, squares * row**2, live)

    def _rows(self, matrix: CountMatrix | Part, squares: Floats, threads: int) -> Floats:
        if self.weighting.norm == "unit":
            return unit_rows(squares)
        if self.weighting.norm == "pivoted" and isinstance(matrix, CountMatrix):
            return pivoted_rows(matrix.tokens(threads), matrix.unique, self.mean_unique)
        return np.ones(len(squares))


def document_frequencies(
    counts: Sequence[tuple[CountMatrix, Rows | None]], width: int
) -> NDArray[np.int64]:
    """In how many live documents each term occurs."""
    df = np.zeros(width, np.int64)
    for matrix, live in counts:
        df[: matrix.width] += matrix.frequencies
        if live is not None:
            deleted = np.setdiff1d(np.arange(len(matrix.unique)), live).astype(np.uint32)
            _, columns, _ = matrix.rows.entries(deleted)
            df -= np.bincount(columns, minlength=width)
    return df
