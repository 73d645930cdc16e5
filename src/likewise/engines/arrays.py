"""Operations on vectors that the array API standard lacks: for any namespace, and for NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from likewise.corpus import Counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from likewise.corpus import Floats, Ids, Mask, Places, Vector, Vectors

    Needs = Callable[[Any, Vector, Vector], Vector]


def counted(arrays: Any, values: Vector, needs: Needs, levels: Floats, guess: int) -> Counted:
    """By sorting those values that may count, all of them if the guess was too low."""
    xp, size = arrays.xp, values.shape[0]
    count = guess + guess // 4 + 16
    while count < size:
        first = arrays.largest(values, count)
        place = xp.asarray([count - 1], dtype=xp.float64)
        if float(needs(xp, first[-1:], place)[0]) >= levels[-1]:
            break
        count *= 4
    else:
        first = arrays.largest(values, size)
    needed = needs(xp, first, xp.arange(first.shape[0], dtype=xp.float64))
    places = xp.searchsorted(needed, arrays.vector(levels))
    sums = arrays.take(xp.cumulative_sum(first, include_initial=True), places)
    counts = np.asarray(arrays.host(places), np.int64)
    if not size:
        return Counted(counts, np.asarray(arrays.host(sums)), np.full(len(counts), np.inf))
    last = arrays.host(arrays.take(first, xp.asarray(np.maximum(counts - 1, 0))))
    return Counted(counts, arrays.host(sums), np.where(counts > 0, last, np.inf))


def hinge_line(arrays: Any, slack: Vector, change: Vector, points: int) -> tuple[Floats, Floats]:
    """Each document is a member before or after one point: its sums go to the bucket of that."""
    xp = arrays.xp
    still = change == 0.0
    crossing = xp.floor(slack / xp.where(still, 1.0, -change) * points) + 1.0
    buckets = xp.astype(xp.clip(crossing, 0.0, points + 1.0), xp.int64)
    rising, always = change > 0.0, xp.where(still, xp.maximum(slack, 0.0), 0.0)
    entering = (xp.where(rising, each, 0.0) for each in (slack, change))
    leaving = (xp.where(change < 0.0, each, 0.0) for each in (slack, change))
    sums = arrays.bucketed(buckets, points + 2, *entering, *leaving, always)
    passed = np.cumsum(sums, axis=1)[:, 1 : points + 1]
    at, slopes = passed[:2] + (sums[2:4].sum(axis=1)[:, None] - passed[2:4])
    k = np.arange(1, points + 1) / points
    return slopes, at + k * slopes + sums[4].sum()


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

    def bucketed(self, buckets: Vector, count: int, *values: Vector) -> Floats:
        """Made on the host: the standard has no sums by bucket."""
        return NUMPY.bucketed(self.host(buckets), count, *map(self.host, values))

    def counted(self, values: Vector, needs: Needs, levels: Floats, guess: int) -> Counted:
        return counted(self, values, needs, levels, guess)

    def hinge_line(self, slack: Vector, change: Vector, points: int) -> tuple[Floats, Floats]:
        return hinge_line(self, slack, change, points)

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

    def bucketed(self, buckets: NDArray[Any], count: int, *values: NDArray[Any]) -> Floats:
        sums = [np.bincount(buckets, each, count) for each in values]
        return np.array(sums, np.float64).reshape(len(values), count)

    def counted(self, values: NDArray[Any], needs: Needs, levels: Floats, guess: int) -> Counted:
        return counted(self, values, needs, levels, guess)

    def hinge_line(self, slack: Floats, change: Floats, points: int) -> tuple[Floats, Floats]:
        from likewise import _core

        return _core.hinge_line(slack, change, points)


def _placed(size: int, pieces: Any) -> NDArray[Any]:
    masks = bool(pieces) and all(getattr(values, "dtype", None) == np.bool_ for _, values in pieces)
    whole: NDArray[Any] = np.zeros(size, np.bool_ if masks else np.float64)
    for places, values in pieces:
        whole[places] = values
    return whole


NUMPY = NumpyArrays()
