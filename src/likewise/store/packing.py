"""Numbers of columns in as few bytes as the width of their matrix needs: 2, 3 or 4 each.

Those of three bytes are an array of bytes, the lowest first, and one byte more behind the last: the
core reads four at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from likewise import _core

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from likewise._core import CountArrays

    Numbers = NDArray[np.uint32]
    Packed = NDArray[np.unsignedinteger[Any]]

THREE = np.dtype(np.uint8)
CHUNK = 1 << 18  # columns packed at a time


def type_for(width: int) -> np.dtype[Any]:
    """Of a matrix with so many columns."""
    if width <= 1 << 16:
        return np.dtype(np.uint16)
    return THREE if width <= 1 << 24 else np.dtype(np.uint32)


def packed(columns: Packed, width: int) -> Iterator[Packed]:
    """Columns in the type for a width, some at a time; `end` is to follow the last of them."""
    dtype, length = type_for(width), count(columns)
    for first in range(0, length, CHUNK):
        some = between(columns, first, min(first + CHUNK, length))
        if dtype == THREE:
            yield _core.in_three_bytes(np.ascontiguousarray(some))
        else:
            yield some.astype(dtype)


def end(width: int) -> Packed:
    """What follows the last column."""
    dtype = type_for(width)
    return np.zeros(int(dtype == THREE), dtype)


def count(columns: Packed) -> int:
    return count_of(len(columns), columns.dtype)


def count_of(length: int, dtype: np.dtype[Any]) -> int:
    """How many columns an array of this length and type holds."""
    return length // 3 if dtype == THREE else length


def between(columns: Packed, first: int, last: int) -> Numbers:
    """Columns as numbers."""
    if columns.dtype != THREE:
        return columns[first:last].astype(np.uint32, copy=False)
    wide = np.zeros((last - first, 4), np.uint8)
    wide[:, :3] = columns[3 * first : 3 * last].reshape(-1, 3)
    return wide.reshape(-1).view("<u4").astype(np.uint32, copy=False)


def unpacked(arrays: CountArrays) -> CountArrays:
    columns = arrays["columns"]
    return {**arrays, "columns": between(columns, 0, count(columns))}
