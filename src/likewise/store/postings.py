"""Inverted files of several segments as one, some terms at a time.

Each segment has its own sorted by term already, so merging takes memory for a few terms only, and
for none of the rows. The result is what transposing all rows at once would give.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from likewise.store.arrays import LARGE, concatenate_counts, select_entries

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from likewise._core import CountArrays
    from likewise.store.segment import Segment

SIZE = 1 << 18  # of what is in memory at a time: entries and, for each segment, terms


def merged_postings(
    segments: Sequence[Segment], width: int, size: int = SIZE
) -> Iterator[CountArrays]:
    """The terms' documents, live ones only, numbered through; pieces are to be stacked."""
    firsts = np.cumsum([0, *(segment.entry.live for segment in segments)])
    live = [None if s.live is None else ~s.deleted_mask() for s in segments]
    inverted = list(_checked(segments))
    for first, last in pairwise(_cuts([part["starts"] for part in inverted], width, size)):
        parts: list[CountArrays] = []
        for part, kept, shift in zip(inverted, live, firsts, strict=False):
            piece = slice_rows(part, first, last)
            piece = piece if kept is None else keep_columns(piece, kept)
            parts.append({**piece, "columns": piece["columns"] + np.uint32(shift)})
        yield side_by_side(parts)
        for segment in segments:
            segment.release()


def _checked(segments: Sequence[Segment]) -> Iterator[CountArrays]:
    for segment in segments:
        yield segment.inverted
        segment.release()


def _cuts(starts: Sequence[NDArray[np.uint32]], width: int, size: int) -> list[int]:
    """Terms at which to cut, so that about as much lies between any two of them."""
    before = np.arange(width + 1) * len(starts)
    for of_segment in starts:
        before[: len(of_segment)] += of_segment
        before[len(of_segment) :] += of_segment[-1]
    cuts = np.searchsorted(before, np.arange(size, before[-1], size))
    return sorted({0, *cuts.tolist(), width})


def slice_rows(arrays: CountArrays, first: int, last: int) -> CountArrays:
    """The rows from `first` to before `last`; beyond the last row there are empty ones."""
    starts, more = (_padded(arrays["starts"], first, last), _padded(arrays["more"], first, last))
    large = slice(*np.searchsorted(arrays["large_at"], more[[0, -1]]))
    return {
        "starts": starts - starts[0],
        "more": more - more[0],
        "columns": arrays["columns"][starts[0] : starts[-1]],
        "counts": arrays["counts"][more[0] : more[-1]],
        "large_at": arrays["large_at"][large] - more[0],
        "large": arrays["large"][large],
    }


def _padded(starts: NDArray[np.uint32], first: int, last: int) -> NDArray[np.uint32]:
    rows = np.minimum(np.arange(first, last + 1), len(starts) - 1)
    return starts[rows]


def keep_columns(arrays: CountArrays, kept: NDArray[np.bool_]) -> CountArrays:
    """The matrix without the other columns; those kept are numbered anew."""
    columns, large_at = arrays["columns"], arrays["large_at"]
    chosen = kept[columns]
    halves = _halves(arrays)
    _, counted = select_entries(halves, np.arange(1, len(halves) - 1, 2))
    chosen_counts = chosen[counted]
    large = chosen_counts[large_at]
    before_count = _before(chosen_counts)
    return {
        "starts": _before(chosen)[arrays["starts"]],
        "more": before_count[arrays["more"]],
        "columns": _before(kept)[columns[chosen]],
        "counts": arrays["counts"][chosen_counts],
        "large_at": before_count[large_at[large]],
        "large": arrays["large"][large],
    }


def side_by_side(parts: Sequence[CountArrays]) -> CountArrays:
    """Matrices with as many rows each as one, its columns being named in all of them alike."""
    count, rows = len(parts), len(parts[0]["starts"]) - 1
    stacked = concatenate_counts(parts)
    halves = np.arange(count * rows * 2).reshape(count, rows, 2).transpose(1, 2, 0)
    starts, places = select_entries(_halves(stacked), halves.ravel())
    counted_halves = np.arange(count * rows).reshape(count, rows).T
    more, counted = select_entries(stacked["more"], counted_halves.ravel())
    counts = stacked["counts"][counted]
    large_at = np.flatnonzero(counts == LARGE)
    large = np.searchsorted(stacked["large_at"], counted[large_at])
    return {
        "starts": starts[:: 2 * count].astype(np.uint32),
        "more": more[::count].astype(np.uint32),
        "columns": stacked["columns"][places],
        "counts": counts,
        "large_at": large_at.astype(np.uint32),
        "large": stacked["large"][large],
    }


def _halves(arrays: CountArrays) -> NDArray[np.uint32]:
    """Where in each row the columns counted once begin, where the others do, and the end."""
    starts = arrays["starts"]
    others = starts[1:] - np.diff(arrays["more"])
    return np.append(np.stack([starts[:-1], others], axis=1), starts[-1])


def _before(chosen: NDArray[Any]) -> NDArray[np.uint32]:
    """How many are chosen before each place, and in all."""
    return np.concatenate([np.zeros(1, np.uint32), np.cumsum(chosen, dtype=np.uint32)])
