"""Dense rows in single precision, or in a byte a number and a factor a row.

A factor has at most 17 significant bits and a whole number below 128 has 7, so their product is
exact in single precision: what is stored is a well-defined row of float32, and packing that row
again gives the same bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np

from likewise.engines.arrays import NUMPY
from likewise.engines.dense import in_bytes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likewise.corpus import Arrays, Vectors

    Floats = NDArray[np.float32]

Precision = Literal["float32", "int8"]
PRECISIONS: tuple[Precision, ...] = get_args(Precision)
BLOCK = 8192  # rows widened at a time
MOST = 127  # of a number in a byte
SPARE = np.uint32(MOST)  # the low bits of a factor that stay 0
NOTHING = np.float32(1e-30)  # a row of no larger number is 0: factors keep all their bits


class DenseRows(NamedTuple):
    """Rows as they are stored; those of bytes are multiplied by a factor each."""

    numbers: NDArray[np.float32] | NDArray[np.int8]
    factors: Floats | None = None

    @property
    def precision(self) -> Precision:
        return "float32" if self.factors is None else "int8"

    @property
    def height(self) -> int:
        return len(self.numbers)

    def at(self, places: Any) -> Floats:
        """Some rows, by a slice or by their numbers, in single precision."""
        chosen = self.numbers[places]
        if self.factors is None:
            return np.asarray(chosen, np.float32)
        found: Floats = np.multiply(chosen, self.factors[places][:, None], dtype=np.float32)
        return found

    def times(self, vector: NDArray[np.float64]) -> NDArray[np.float64]:
        """Each row's product with a vector."""
        found = np.zeros(self.height)
        for first in range(0, self.height, BLOCK):
            rows = slice(first, first + BLOCK)
            found[rows] = self.at(rows).astype(np.float64) @ vector
        return found


def packed(
    rows: Vectors, precision: Precision, arrays: Arrays = NUMPY, threads: int = 1
) -> DenseRows:
    """Rows at a precision; they are of the namespace that `arrays` describes."""
    if precision == "float32":
        return DenseRows(arrays.host(rows))
    if isinstance(rows, np.ndarray):
        return DenseRows(*in_bytes(rows, threads))
    xp = arrays.xp
    sizes = xp.abs(rows) if rows.shape[1] else xp.zeros((rows.shape[0], 1), dtype=xp.float32)
    largest = arrays.host(xp.max(sizes, axis=1))
    factors = np.where(largest > NOTHING, largest / np.float32(MOST), 0).astype(np.float32)
    factors = ((factors.view(np.uint32) + SPARE) & ~SPARE).view(np.float32)
    divisors = np.where(factors > 0, factors, np.inf).astype(np.float32)
    divided = rows / xp.asarray(divisors)[:, None]
    return DenseRows(arrays.host(xp.astype(xp.round(divided), xp.int8)), factors)


def rounded(rows: Floats, precision: Precision) -> Floats:
    """Rows as they are once they have been stored at a precision."""
    return packed(rows, precision).at(slice(None))
