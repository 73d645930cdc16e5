"""Sparse matrices as arrays: rows one after another, some of the rows, counts out of values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

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
