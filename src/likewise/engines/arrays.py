"""Operations on vectors that the array API standard lacks: for any namespace, and for NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likewise.corpus import Floats, Ids, Mask, Places, Vector, Vectors


class StandardArrays:
    """Uses only functions of the standard, on any device."""

    def __init__(self, xp: Any) -> None:
        self.xp = xp

    def vector(self, values: Any) -> Vector:
        return self.xp.asarray(values, dtype=self.xp.float64)

    def host(self, values: Vector) -> NDArray[Any]:
        return np.from_dlpack(values)

    def take(self, values: Vector, places: Places) -> Vector:
        if isinstance(places, slice):
            return values[places]
        return self.xp.take(values, self.xp.asarray(places), axis=0)

    def placed(self, size: int, *pieces: tuple[Places, Any]) -> Vector:
        """Made on the host: the standard cannot write to positions given by an integer array."""
        xp = self.xp
        brought = [(self._on_host(places), self._on_host(values)) for places, values in pieces]
        return xp.asarray(_placed(size, brought))

    def dot(self, a: Vector, b: Vector) -> float:
        return float(self.xp.sum(a * b))

    def dots(self, rows: Vectors, b: Vector, *others: Vector) -> Floats:
        found = np.asarray(self.host(self.xp.matmul(rows, b)), np.float64)
        return np.append(found, [self.dot(other, b) for other in others])

    def number(self, value: Any) -> float:
        return float(value)

    def mixed(self, weights: Floats, rows: Vectors) -> Vector:
        return self.xp.matmul(self.vector(weights), rows)

    def largest(self, values: Vector, count: int) -> Vector:
        return self.xp.sort(values, descending=True)[: min(count, values.shape[0])]

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

    def _on_host(self, values: Any) -> Any:
        is_array = hasattr(values, "__dlpack__") and not isinstance(values, np.ndarray | np.generic)
        return self.host(values) if is_array else values


class NumpyArrays:
    """For NumPy arrays: the core and NumPy are faster here."""

    xp = np

    def vector(self, values: Any) -> NDArray[np.float64]:
        return np.asarray(values, np.float64)

    def host(self, values: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(values)

    def take(self, values: NDArray[Any], places: Places) -> NDArray[Any]:
        taken: NDArray[Any] = values[places]
        return taken

    def placed(self, size: int, *pieces: tuple[Places, Any]) -> NDArray[Any]:
        return _placed(size, pieces)

    def dot(self, a: NDArray[Any], b: NDArray[Any]) -> float:
        """By einsum, which uses one thread: starting BLAS threads takes longer than the sum,
        and the result would depend on their number.
        """
        return float(np.einsum("i,i", a, b))

    def dots(self, rows: NDArray[Any], b: NDArray[Any], *others: NDArray[Any]) -> Floats:
        products: Floats = np.einsum("ij,j->i", rows, b)
        return np.append(products, [self.dot(other, b) for other in others])

    def number(self, value: Any) -> float:
        return float(value)

    def mixed(self, weights: Floats, rows: NDArray[Any]) -> NDArray[Any]:
        mixture: NDArray[Any] = np.einsum("i,ij->j", weights, rows)
        return mixture

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


def _placed(size: int, pieces: Any) -> NDArray[Any]:
    masks = bool(pieces) and all(getattr(values, "dtype", None) == np.bool_ for _, values in pieces)
    whole: NDArray[Any] = np.zeros(size, np.bool_ if masks else np.float64)
    for places, values in pieces:
        whole[places] = values
    return whole


NUMPY = NumpyArrays()
