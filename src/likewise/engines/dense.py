"""What the core does for the makers of dense rows, where these are NumPy's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise import _core

if TYPE_CHECKING:
    from numpy.typing import NDArray


def in_bytes(
    rows: NDArray[np.floating], threads: int = 1
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Rows in a byte a number and a factor a row, as likewise.views.precision says."""
    return _core.pack(np.ascontiguousarray(rows, np.float32), threads)


def mean_direction(rows: NDArray[np.floating], threads: int = 1) -> NDArray[np.float64]:
    """The mean of the rows, each divided by its length."""
    return _core.mean_direction(np.ascontiguousarray(rows, np.float32), threads)
