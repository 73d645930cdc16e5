"""The worst contingency table: R = max over tables of scale·Δ + Σ reach of wrong documents.

A table includes a of the l examples and b of the unlabeled documents. For given (a, b) the worst
table leaves out the l − a examples, and includes the b unlabeled documents, with the largest reach.
So only (a, b) has to be searched, by order statistics of the reaches.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

import numpy as np

from likewise.corpus import Counted
from likewise.losses.cuts import Cut

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likewise.corpus import Arrays, Floats, Places, Vector
    from likewise.losses.cuts import Members


GUESSES = (0.95, 0.8, 0.5, 0.2, 0.0)  # shares of the number of unlabeled documents in the last cut


class FreeMeasure(Protocol):
    """A measure of tables of any size; Δ(a, b+1) − Δ(a, b) rises with a and falls with b."""

    def delta(self, xp: Any, a: Vector, b: Vector, total: int) -> Vector: ...

    def rise(self, xp: Any, a: Vector, b: Vector, total: int) -> Vector:
        """Δ(a, b+1) − Δ(a, b)."""

    def needed(self, xp: Any, b: Vector, cost: Vector, total: int) -> Vector:
        """The a at which the rise is `cost`, at least 0; infinite if it stays below."""


class SizedMeasure(Protocol):
    """A measure of tables with a + b = k."""

    @property
    def k(self) -> int: ...

    def delta(self, xp: Any, a: Vector, b: Vector, total: int) -> Vector: ...


class Table(NamedTuple):
    value: float
    offset: float
    a: int
    b: int
    least: float  # what the b unlabeled documents reach


class Tables:
    """The code that both kinds share: sorting of reaches, and from a table to its cut."""

    def __init__(
        self, arrays: Arrays, positives: Places, unlabeled: Places, steps: Vector, scale: float
    ) -> None:
        self.steps = steps
        self._arrays, self._scale, self._n = arrays, scale, steps.shape[0]
        self._positives, self._unlabeled = _run(arrays, positives), _run(arrays, unlabeled)
        self._l, self._u = _size(self._positives), _size(self._unlabeled)

    def cut(self, reach: Vector) -> Cut:
        arrays = self._arrays
        leaving, entering = self._split(reach)
        left = np.asarray(arrays.host(arrays.largest(leaving, self._l)))
        table = self._worst(_running_sums(left), entering)
        if table.value <= 0.0:
            return Cut(0.0, 0.0, arrays.xp.zeros(self._n, dtype=arrays.xp.bool))
        out = self._l - table.a
        least = float(left[out - 1]) if out else math.inf
        members = arrays.placed(
            self._n,
            (self._positives, self._largest(leaving, least, out)),
            (self._unlabeled, self._largest(entering, table.least, table.b)),
        )
        return Cut(table.value, table.offset, members)

    def between(self, one: Vector, other: Vector) -> tuple[Places, Self]:
        """All examples, and the unlabeled documents whose reach is large enough at either end."""
        xp = self._arrays.xp
        least = self._least(xp.where(self._is_unlabeled, xp.minimum(one, other), -math.inf))
        far = xp.nonzero((xp.maximum(one, other) >= least) & self._is_unlabeled)[0]
        places = xp.concat([self._ids, far])
        size = self._l + far.shape[0]
        steps = self._arrays.take(self.steps, places)
        return places, self._among(slice(0, self._l), slice(self._l, size), steps)

    @cached_property
    def _is_unlabeled(self) -> Members:
        xp = self._arrays.xp
        return self._arrays.placed(self._n, (self._unlabeled, xp.ones(self._u, dtype=xp.bool)))

    @cached_property
    def _ids(self) -> Vector:
        """The examples' positions."""
        places = self._positives
        if isinstance(places, slice):
            return self._arrays.xp.arange(places.start, places.stop)
        return places

    def _split(self, values: Vector) -> tuple[Vector, Vector]:
        """The values of the examples and of the unlabeled documents."""
        take = self._arrays.take
        return take(values, self._positives), take(values, self._unlabeled)

    def _worst(self, left: Floats, entering: Vector) -> Table:
        """The worst table; left[j] is the gain of leaving out j examples, `entering` are the
        reaches of the unlabeled documents.
        """
        raise NotImplementedError

    def _least(self, low: Vector) -> float:
        """The least reach of an included unlabeled document, if all reach at least `low`.

        `low` is −∞ for all other documents.
        """
        raise NotImplementedError

    def _among(self, positives: Places, unlabeled: Places, steps: Vector) -> Self:
        """The same loss over some documents."""
        raise NotImplementedError

    def _worst_of(self, a: NDArray[Any], entered: Counted, delta: Floats, left: Floats) -> Table:
        offsets = self._scale * delta
        values = offsets + (left + entered.sums)
        worst = int(np.argmax(values))
        b, least = int(entered.counts[worst]), float(entered.least[worst])
        return Table(float(values[worst]), float(offsets[worst]), int(a[worst]), b, least)

    def _largest(self, values: Vector, least: float, count: int) -> Members:
        """A mask of the `count` largest, which reach `least`; ties go to the earlier."""
        xp = self._arrays.xp
        chosen = values >= least
        beyond = int(xp.count_nonzero(chosen)) - count if count else 0
        if beyond:
            tied = values == least
            place = xp.cumulative_sum(xp.astype(tied, xp.int64))
            chosen = chosen & ~(tied & (place > place[-1] - beyond))
        return chosen


class FreeTables(Tables):
    """Tables of any size, in O(n log n).

    For given a the next unlabeled document is included while its increase of scale·Δ plus its reach
    is above 0. Both fall with b, and the first rises with a: so each document is included from some
    a on, and these a are in the order of the documents.
    """

    def __init__(
        self,
        measure: FreeMeasure,
        arrays: Arrays,
        positives: Places,
        unlabeled: Places,
        steps: Vector,
        scale: float,
    ) -> None:
        super().__init__(arrays, positives, unlabeled, steps, scale)
        self._measure = measure
        self._a = np.arange(self._l + 1.0)
        self._expected = self._u  # the number included in the last cut: a guess that saves time
        self._near = self

    def _worst(self, left: Floats, entering: Vector) -> Table:
        entered = self._arrays.counted(entering, self._needed, self._a, self._expected)
        self._expected = int(entered.counts[-1])
        delta = self._measure.delta(np, self._a, entered.counts.astype(np.float64), self._l)
        return self._worst_of(self._a, entered, delta, left[::-1])

    def _needed(self, xp: Any, entered: Vector, before: Vector) -> Vector:
        """The a above which documents are included that come after so many others."""
        cost = xp.maximum(-entered / self._scale, 0.0)
        needed = self._measure.needed(xp, before, cost, self._l)
        return xp.where(entered > 0.0, -1.0, needed)

    def _least(self, low: Vector) -> float:
        # If this many reach this far, they are included at a = l, and all included ones do.
        xp = self._arrays.xp
        counts = (np.array(GUESSES) * self._near._expected).astype(int)
        before = np.maximum(counts - 1.0, 0.0)
        rises = self._measure.rise(np, np.array([float(self._l)]), before, self._l)
        for count, least in zip(counts.tolist(), (-self._scale * rises).tolist(), strict=True):
            if int(xp.count_nonzero(low > least)) >= count:
                break
        return float(least)

    def _among(self, positives: Places, unlabeled: Places, steps: Vector) -> FreeTables:
        among = FreeTables(self._measure, self._arrays, positives, unlabeled, steps, self._scale)
        among._expected = self._near._expected
        self._near = among
        return among


class SizedTables(Tables):
    """Tables with a + b = k: at most k + 1 of them."""

    def __init__(
        self,
        measure: SizedMeasure,
        arrays: Arrays,
        positives: Places,
        unlabeled: Places,
        steps: Vector,
        scale: float,
    ) -> None:
        super().__init__(arrays, positives, unlabeled, steps, scale)
        self._measure = measure
        self._a = np.arange(max(0, measure.k - self._u), min(self._l, measure.k) + 1)
        self._most = int(measure.k - self._a[0])  # unlabeled documents that can be included
        a, b = self._a.astype(np.float64), (measure.k - self._a).astype(np.float64)
        self._delta = np.asarray(measure.delta(np, a, b, self._l))

    def _worst(self, left: Floats, entering: Vector) -> Table:
        highest = np.asarray(self._arrays.host(self._arrays.largest(entering, self._most)))
        b = self._measure.k - self._a
        least = np.append(np.inf, highest)[b]
        entered = Counted(b, _running_sums(highest)[b], least)
        return self._worst_of(self._a, entered, self._delta, left[self._l - self._a])

    def _least(self, low: Vector) -> float:
        if self._most == 0:
            return math.inf
        return float(self._arrays.largest(low, self._most)[-1])

    def _among(self, positives: Places, unlabeled: Places, steps: Vector) -> SizedTables:
        return SizedTables(self._measure, self._arrays, positives, unlabeled, steps, self._scale)


def _running_sums(values: Floats) -> Floats:
    """sums[j] is the sum of the first j values."""
    return np.concatenate([[0.0], np.cumsum(values)])


def _run(arrays: Arrays, places: Places) -> Places:
    """The positions on the vectors' device; as a slice, which copies nothing, if consecutive."""
    if not isinstance(places, np.ndarray):
        return places
    ids = np.asarray(places, np.int64)
    consecutive = len(ids) and ids[-1] - ids[0] + 1 == len(ids)
    if consecutive and np.array_equal(ids, np.arange(ids[0], ids[0] + len(ids))):
        return slice(int(ids[0]), int(ids[0]) + len(ids))
    return arrays.xp.asarray(ids)


def _size(places: Places) -> int:
    return int(places.stop - places.start if isinstance(places, slice) else places.shape[0])
