"""From segments' matrices and a weighting to the Corpus a learner sees."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise.local.corpus import LocalCorpus, Segment
from likewise.local.parts import CountMatrix, CountPart
from likewise.weighting import pivoted_rows, unit_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likewise.local.parts import Part
    from likewise.weighting import Weighting

    Floats = NDArray[np.float64]


class Stored(NamedTuple):
    """A segment's matrix and which of its rows are live (None: all)."""

    matrix: CountMatrix | Part
    live: NDArray[np.uint32] | None


def assemble(
    stored: Sequence[Stored], width: int, weighting: Weighting, threads: int = 1
) -> LocalCorpus:
    col = _column_factors(stored, width, weighting)
    parts = [_part(matrix, weighting) for matrix, _ in stored]
    squares = [part.squares(col[: part.shape[1]], threads) for part in parts]
    rows = _row_factors(stored, squares, weighting, threads)
    lengths = [np.sqrt(s) * row for s, row in zip(squares, rows, strict=True)]
    segments = [
        Segment(part, row, live) for part, row, (_, live) in zip(parts, rows, stored, strict=True)
    ]
    longest = max((float(length.max(initial=0)) for length in lengths), default=0.0)
    return LocalCorpus(segments, col, longest=longest, threads=threads)


def document_frequencies(stored: Sequence[Stored], width: int) -> NDArray[np.int64]:
    """In how many live documents each term occurs."""
    df = np.zeros(width, np.int64)
    for matrix, live in stored:
        if isinstance(matrix, CountMatrix):
            df[: matrix.width] += matrix.frequencies
            if live is not None:
                deleted = np.setdiff1d(np.arange(len(matrix.unique)), live).astype(np.uint32)
                _, columns, _ = matrix.rows.entries(deleted)
                df -= np.bincount(columns, minlength=width)
    return df


def _part(matrix: CountMatrix | Part, weighting: Weighting) -> Part:
    return CountPart(matrix, weighting) if isinstance(matrix, CountMatrix) else matrix


def _column_factors(stored: Sequence[Stored], width: int, weighting: Weighting) -> Floats:
    if any(not isinstance(matrix, CountMatrix) for matrix, _ in stored):
        return np.ones(width)
    documents = sum(len(m.unique) if live is None else len(live) for m, live in _counts(stored))
    return weighting.columns(document_frequencies(stored, width), documents)


def _row_factors(
    stored: Sequence[Stored], squares: Sequence[Floats], weighting: Weighting, threads: int
) -> list[Floats]:
    if weighting.norm == "unit":
        return [unit_rows(s) for s in squares]
    if weighting.norm == "none":
        return [np.ones(len(s)) for s in squares]
    counts = _counts(stored)
    live = [m.unique if chosen is None else m.unique[chosen] for m, chosen in counts]
    mean = float(np.mean(np.concatenate([np.zeros(0), *live]))) if any(map(len, live)) else 0.0
    return [pivoted_rows(m.tokens(threads), m.unique, mean) for m, _ in counts]


def _counts(stored: Sequence[Stored]) -> list[tuple[CountMatrix, NDArray[np.uint32] | None]]:
    return [(m, live) for m, live in stored if isinstance(m, CountMatrix)]
