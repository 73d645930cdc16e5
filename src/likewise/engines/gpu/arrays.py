"""Vectors on a card: CuPy's arrays by the array API, and what the standard lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from likewise.engines.arrays import counted, hinge_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from likewise.corpus import Counted, Floats, Ids, Mask, Places, Vector, Vectors


class CupyArrays:
    def __init__(self) -> None:
        import array_api_compat.cupy as xp
        import cupy

        self.xp: Any = xp
        self._cupy = cupy

    def vector(self, values: Any) -> Vector:
        return self._cupy.asarray(values, np.float64)

    def host(self, values: Vector) -> NDArray[Any]:
        found: NDArray[Any] = self._cupy.asnumpy(values)
        return found

    def take(self, values: Vector, places: Places) -> Vector:
        return values[self._there(places)]

    def placed(self, size: int, *pieces: tuple[Places, Any]) -> Vector:
        masks = bool(pieces) and all(getattr(v, "dtype", None) == np.bool_ for _, v in pieces)
        whole = self._cupy.zeros(size, np.bool_ if masks else np.float64)
        for places, values in pieces:
            whole[self._there(places)] = self._cupy.asarray(values)
        return whole

    def dot(self, a: Vector, b: Vector) -> float:
        return float(a @ b)

    def dots(self, rows: Vectors, b: Vector, *others: Vector) -> Floats:
        found = np.asarray(self.host(rows @ b), np.float64)
        return np.append(found, [self.dot(other, b) for other in others])

    def number(self, value: Any) -> float:
        return float(value)

    def mixed(self, weights: Floats, rows: Vectors) -> Vector:
        return self.vector(weights) @ rows

    def largest(self, values: Vector, count: int) -> Vector:
        return self._cupy.sort(values)[::-1][:count]

    def best(self, values: Vector, k: int, keep: Mask | None = None, slack: float = 0.0) -> Ids:
        places = None if keep is None else self._cupy.flatnonzero(self._cupy.asarray(keep))
        kept = values if places is None else values[places]
        if not kept.shape[0]:
            return np.zeros(0, np.int64)
        least = float(self.largest(kept, k)[-1]) - 2.0 * slack
        found = self._cupy.flatnonzero(kept.astype(np.float64) >= least)
        chosen: Ids = self.host(found if places is None else places[found])
        return chosen.astype(np.int64)

    def bucketed(self, buckets: Vector, count: int, *values: Vector) -> Floats:
        """By sorting: sums that many threads add to would come in any order."""
        cupy = self._cupy
        order = cupy.argsort(buckets)
        ends = cupy.searchsorted(buckets[order], cupy.arange(count + 1))
        sums = [cupy.concatenate([cupy.zeros(1), cupy.cumsum(each[order])]) for each in values]
        return np.array([self.host(cupy.diff(each[ends])) for each in sums], np.float64)

    def counted(
        self,
        values: Vector,
        needs: Callable[[Any, Vector, Vector], Vector],
        levels: Floats,
        guess: int,
    ) -> Counted:
        return counted(self, values, needs, levels, guess)

    def hinge_line(self, slack: Vector, change: Vector, points: int) -> tuple[Floats, Floats]:
        return hinge_line(self, slack, change, points)

    def _there(self, places: Places) -> Any:
        return places if isinstance(places, slice) else self._cupy.asarray(places)
