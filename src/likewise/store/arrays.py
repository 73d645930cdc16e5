"""Sparse matrices as arrays: put together, taken apart, counts out of values. No files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from likewise.store.packing import between

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likewise._core import CountArrays
    from likewise.corpus import ValueArrays

MAX_ENTRIES = 2**32 - 1  # starts are 32-bit numbers
LARGE = 255  # this count and larger ones are stored apart


def concatenate_counts(parts: Sequence[CountArrays]) -> CountArrays:
    """The rows of several matrices one after another."""
    before = np.cumsum([0, *(len(part["counts"]) for part in parts)], dtype=np.uint32)
    large_at = [part["large_at"] + shift for part, shift in zip(parts, before, strict=False)]
    return {
        "starts": _one_after_another([part["starts"] for part in parts]),
        "more": _one_after_another([part["more"] for part in parts]),
        "columns": joined([part["columns"] for part in parts], np.uint32),
        "counts": joined([part["counts"] for part in parts], np.uint8),
        "large_at": joined(large_at, np.uint32),
        "large": joined([part["large"] for part in parts], np.uint32),
    }


def concatenate_values(parts: Sequence[ValueArrays]) -> ValueArrays:
    """The rows of several matrices one after another."""
    return {
        "starts": _one_after_another([part["starts"] for part in parts]),
        "columns": joined([part["columns"] for part in parts], np.uint32),
        "values": joined([part["values"] for part in parts], np.float32),
    }


def select_entries(
    starts: NDArray[Any], rows: NDArray[Any]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The starts of some rows as a matrix of their own, and where its entries are now."""
    first = starts[:-1].astype(np.int64)[rows]
    lengths = starts[1:].astype(np.int64)[rows] - first
    selected = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    return selected, np.arange(selected[-1]) + np.repeat(first - selected[:-1], lengths)


def select_values(arrays: ValueArrays, rows: NDArray[Any]) -> ValueArrays:
    """Some rows as a matrix of their own."""
    starts, places = select_entries(arrays["starts"], rows)
    return {
        "starts": starts.astype(np.uint32),
        "columns": arrays["columns"][places],
        "values": arrays["values"][places],
    }


def counts_from_values(
    starts: NDArray[Any], columns: NDArray[Any], values: NDArray[Any]
) -> CountArrays:
    """A matrix of whole numbers in the layout for counts; zeros are left out."""
    rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    order = np.lexsort((columns, values > 1, rows))
    order = order[values[order] > 0]
    rows, counts = rows[order], values[order].astype(np.uint32)
    more = counts > 1
    repeated = counts[more]
    return {
        "starts": _row_ends(rows, len(starts)),
        "more": _row_ends(rows[more], len(starts)),
        "columns": columns[order].astype(np.uint32),
        "counts": np.minimum(repeated, LARGE).astype(np.uint8),
        "large_at": np.flatnonzero(repeated >= LARGE).astype(np.uint32),
        "large": repeated[repeated >= LARGE],
    }


def slice_rows(arrays: CountArrays, first: int, last: int) -> CountArrays:
    """The rows from `first` to before `last`; beyond the last row there are empty ones."""
    starts, more = (_padded(arrays["starts"], first, last), _padded(arrays["more"], first, last))
    large = slice(*np.searchsorted(arrays["large_at"], more[[0, -1]]))
    return {
        "starts": starts - starts[0],
        "more": more - more[0],
        "columns": between(arrays["columns"], int(starts[0]), int(starts[-1])),
        "counts": arrays["counts"][more[0] : more[-1]],
        "large_at": arrays["large_at"][large] - more[0],
        "large": arrays["large"][large],
    }


def listed_rows(arrays: CountArrays, rows: NDArray[np.integer]) -> CountArrays:
    """The matrix without its other rows, which must be empty."""
    kept = np.append(rows, len(arrays["starts"]) - 1)
    return {**arrays, "starts": arrays["starts"][kept], "more": arrays["more"][kept]}


def all_rows(arrays: CountArrays, rows: NDArray[np.integer], height: int) -> CountArrays:
    """The matrix with empty rows between those that are listed: the inverse of listed_rows."""
    before = np.zeros(height + 1, np.int64)
    before[rows + 1] = 1
    places = np.cumsum(before)
    return {**arrays, "starts": arrays["starts"][places], "more": arrays["more"][places]}


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


def joined(parts: Sequence[NDArray[Any]], dtype: type[np.generic]) -> NDArray[Any]:
    """np.concatenate that may be given nothing."""
    return np.concatenate([np.zeros(0, dtype), *parts])


def _row_ends(rows: NDArray[np.int64], length: int) -> NDArray[np.uint32]:
    return np.searchsorted(rows, np.arange(length)).astype(np.uint32)


def _one_after_another(parts: Sequence[NDArray[np.uint32]]) -> NDArray[np.uint32]:
    """One list of starts out of several that each begin at 0."""
    ends = np.cumsum([0, *(int(starts[-1]) for starts in parts)], dtype=np.uint32)
    shifted = [starts[1:] + end for starts, end in zip(parts, ends, strict=False)]
    return np.concatenate([np.zeros(1, np.uint32), *shifted])


def _padded(starts: NDArray[np.uint32], first: int, last: int) -> NDArray[np.uint32]:
    rows = np.minimum(np.arange(first, last + 1), len(starts) - 1)
    return starts[rows]


def _halves(arrays: CountArrays) -> NDArray[np.uint32]:
    """Where in each row the columns counted once begin, where the others do, and the end."""
    starts = arrays["starts"]
    others = starts[1:] - np.diff(arrays["more"])
    return np.append(np.stack([starts[:-1], others], axis=1), starts[-1])


def _before(chosen: NDArray[Any]) -> NDArray[np.uint32]:
    """How many are chosen before each place, and in all."""
    return np.concatenate([np.zeros(1, np.uint32), np.cumsum(chosen, dtype=np.uint32)])
