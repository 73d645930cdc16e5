"""Operations on vectors that the array API standard lacks: for any namespace, and for NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likewise.corpus import Ids, Mask, Vector


class StandardArrays:
    """By functions of the standard alone, on whatever device the namespace has its arrays."""

    def __init__(self, xp: Any) -> None:
        self.xp = xp

    def vector(self, values: Any) -> Vector:
        return self.xp.asarray(values, dtype=self.xp.float64)

    def host(self, values: Vector) -> NDArray[Any]:
        return np.from_dlpack(values)

    def take(self, values: Vector, ids: Ids) -> Vector:
        return self.xp.take(values, self.xp.asarray(ids), axis=0)

    def placed(self, size: int, *pieces: tuple[Ids, Any]) -> Vector:
        """Made on the host: the standard has no way to write to places given by number."""
        whole = np.zeros(size)
        for ids, values in pieces:
            whole[ids] = values if np.isscalar(values) else self.host(self.vector(values))
        return self.vector(whole)

    def dot(self, a: Vector, b: Vector) -> float:
        return float(self.xp.sum(a * b))

    def largest(self, values: Vector, count: int) -> Vector:
        return self.xp.sort(values, descending=True)[:count]

    def best(self, values: Vector, k: int, keep: Mask | None = None, slack: float = 0.0) -> Ids:
        xp = self.xp
        kept = values
        if keep is not None:
            kept = xp.where(xp.asarray(keep), values, xp.asarray(-xp.inf, dtype=values.dtype))
        if not kept.shape[0]:
            return np.zeros(0, np.int64)
        least = float(self.largest(kept, k)[-1]) - 2.0 * slack
        found = self.host(xp.astype(kept, xp.float64)) >= least
        return np.flatnonzero(found if keep is None else found & keep)


class NumpyArrays:
    """On one machine: the core and NumPy do the same faster."""

    xp = np

    def vector(self, values: Any) -> NDArray[np.float64]:
        return np.asarray(values, np.float64)

    def host(self, values: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(values)

    def take(self, values: NDArray[Any], ids: Ids) -> NDArray[Any]:
        return values[ids]

    def placed(self, size: int, *pieces: tuple[Ids, Any]) -> NDArray[np.float64]:
        whole = np.zeros(size)
        for ids, values in pieces:
            whole[ids] = values
        return whole

    def dot(self, a: NDArray[Any], b: NDArray[Any]) -> float:
        """By einsum, which stays on one thread: waking a BLAS' threads takes longer than the sum,
        and would make it depend on their number.
        """
        return float(np.einsum("i,i", a, b))

    def largest(self, values: NDArray[Any], count: int) -> NDArray[Any]:
        rest = len(values) - count
        if count > 0 and rest > 0:
            values = np.partition(values, rest)[rest:]
        return np.sort(values)[::-1][:count]

    def best(
        self, values: NDArray[Any], k: int, keep: Mask | None = None, slack: float = 0.0
    ) -> Ids:
        from likewise import _core

        return _core.best(values, keep, k, slack).astype(np.int64)


NUMPY = NumpyArrays()
