"""Checks of sparse matrices from users, before compiled code reads them.

SciPy checks only the ends of a matrix's arrays, and then reads memory wherever they point.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from likewise.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

FARTHEST = 2**31 - 1  # largest offset of a diagonal


def check_sparse(matrix: Any) -> None:
    """Raise if a matrix's arrays do not fit its shape.

    `matrix` is a SciPy matrix of any format, or an object with the same attributes.
    """
    _require(len(matrix.shape) == 2, f"it has {len(matrix.shape)} axes, not 2")
    rows, columns = matrix.shape
    _require(rows >= 0 and columns >= 0, f"its shape is {rows} x {columns}")
    check = CHECKS.get(matrix.format)
    if check is None:
        raise UsageError(f"unknown sparse format {matrix.format!r}: use one of {', '.join(CHECKS)}")
    check(matrix, rows, columns)


def _check_csr(matrix: Any, rows: int, columns: int) -> None:
    _require(matrix.data.ndim == 1, "data is not one list of numbers")
    _check_compressed(matrix, rows, columns)


def _check_csc(matrix: Any, rows: int, columns: int) -> None:
    _check_csr(matrix, columns, rows)


def _check_bsr(matrix: Any, rows: int, columns: int) -> None:
    _require(matrix.data.ndim == 3, "data is not a list of blocks")
    _, height, width = matrix.data.shape
    fits = height and width and rows % height == 0 and columns % width == 0
    _require(bool(fits), f"blocks of {height} x {width} do not fill {rows} x {columns}")
    _check_compressed(matrix, rows // height, columns // width)


def _check_compressed(matrix: Any, major: int, minor: int) -> None:
    """`indptr` says where each of the `major` rows (or columns) starts in `indices` and `data`."""
    starts, stored = matrix.indptr, len(matrix.data)
    _check_integers("indptr", starts)
    _require(len(starts) == major + 1, f"indptr has {len(starts)} entries, not {major + 1}")
    _require(starts[0] == 0, f"indptr starts with {starts[0]}, not 0")
    _require(starts[-1] == stored, f"indptr ends with {starts[-1]}, but {stored} values are stored")
    _require(bool((starts[1:] >= starts[:-1]).all()), "indptr does not ascend")
    _check_indices("indices", matrix.indices, stored, minor)


def _check_coo(matrix: Any, rows: int, columns: int) -> None:
    _require(matrix.data.ndim == 1, "data is not one list of numbers")
    _check_indices("row", matrix.row, len(matrix.data), rows)
    _check_indices("col", matrix.col, len(matrix.data), columns)


def _check_dia(matrix: Any, rows: int, columns: int) -> None:
    offsets = matrix.offsets
    _check_integers("offsets", offsets)
    fits = matrix.data.ndim == 2 and len(matrix.data) == len(offsets)
    _require(fits, f"data has not one row for each of {len(offsets)} offsets")
    _require(len(np.unique(offsets)) == len(offsets), "offsets names a diagonal twice")
    near = not len(offsets) or (offsets.min() >= -FARTHEST and offsets.max() <= FARTHEST)
    _require(bool(near), f"offsets must be within {FARTHEST}")


def _check_lil(matrix: Any, rows: int, columns: int) -> None:
    lists = matrix.rows
    _require(len(lists) == len(matrix.data) == rows, f"there are not {rows} lists of columns")
    same = all(len(own) == len(data) for own, data in zip(lists, matrix.data, strict=True))
    _require(same, "a row has not one value for each column")
    numbers = np.array([*chain.from_iterable(lists)] or np.zeros(0, int))
    _check_indices("rows", numbers, len(numbers), columns)


def _check_dok(matrix: Any, rows: int, columns: int) -> None:
    pairs = np.array([*matrix.keys()] or np.zeros((0, 2), int))
    _require(pairs.ndim == 2 and pairs.shape[1] == 2, "an entry has not a row and a column")
    _check_indices("row", pairs[:, 0], len(pairs), rows)
    _check_indices("col", pairs[:, 1], len(pairs), columns)


CHECKS: dict[str, Callable[[Any, int, int], None]] = {
    "csr": _check_csr,
    "csc": _check_csc,
    "bsr": _check_bsr,
    "coo": _check_coo,
    "dia": _check_dia,
    "lil": _check_lil,
    "dok": _check_dok,
}


def _check_indices(name: str, indices: Any, stored: int, end: int) -> None:
    _check_integers(name, indices)
    _require(len(indices) == stored, f"{name} has {len(indices)} entries for {stored} values")
    if len(indices) and _largest(indices) >= min(end, np.iinfo(indices.dtype).max + 1):
        low, high = indices.min(), indices.max()
        _require(low >= 0, f"{name} holds {low}, which is below 0")
        _require(high < end, f"{name} holds {high}, but numbers go from 0 to {end - 1}")


def _largest(numbers: Any) -> int:
    """The largest number, where one below 0 is larger than all others: read once."""
    return int(numbers.view(numbers.dtype.str.replace("i", "u")).max())


def _check_integers(name: str, numbers: Any) -> None:
    whole = isinstance(numbers, np.ndarray) and numbers.ndim == 1 and numbers.dtype.kind in "iu"
    _require(whole, f"{name} is not one list of whole numbers")


def _require(good: bool, fault: str) -> None:
    if not good:
        raise UsageError(f"not a well-formed sparse matrix: {fault}")
