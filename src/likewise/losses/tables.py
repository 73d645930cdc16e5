"""The worst contingency table: R = max over tables of scale·Δ + Σ reach of wrong documents.

A table includes a of the l examples and b of the unlabeled documents. For given (a, b) the worst
table leaves out the l − a examples, and includes the b unlabeled documents, with the largest reach.
So after sorting once, only (a, b) has to be searched.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

import numpy as np

from likewise.losses.cuts import Cut

if TYPE_CHECKING:
    from likewise.corpus import Arrays, Places, Vector
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
        left, entered = arrays.largest(leaving, self._l), self._candidates(entering)
        table = self._worst(self._running_sums(left), entered)
        if table.value <= 0.0:
            return Cut(0.0, 0.0, arrays.xp.zeros(self._n, dtype=arrays.xp.bool))
        members = arrays.placed(
            self._n,
            (self._positives, self._largest(leaving, left, self._l - table.a)),
            (self._unlabeled, self._largest(entering, entered, table.b)),
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

    def _candidates(self, entering: Vector) -> Vector:
        """The reaches of the unlabeled documents that can be included, descending."""
        raise NotImplementedError

    def _worst(self, left: Vector, entered: Vector) -> Table:
        """The worst table; left[j] is the gain of leaving out j examples."""
        raise NotImplementedError

    def _least(self, low: Vector) -> float:
        """The least reach of an included unlabeled document, if all reach at least `low`.

        `low` is −∞ for all other documents.
        """
        raise NotImplementedError

    def _among(self, positives: Places, unlabeled: Places, steps: Vector) -> Self:
        """The same loss over some documents."""
        raise NotImplementedError

    def _worst_of(self, a: Vector, b: Vector, delta: Vector, reach: Vector) -> Table:
        offsets = self._scale * delta
        values = offsets + reach
        worst = int(self._arrays.xp.argmax(values))
        return Table(float(values[worst]), float(offsets[worst]), int(a[worst]), int(b[worst]))

    def _running_sums(self, values: Vector) -> Vector:
        """sums[j] is the sum of the first j values."""
        return self._arrays.xp.cumulative_sum(values, include_initial=True)

    def _largest(self, values: Vector, ordered: Vector, count: int) -> Members:
        """A mask of the `count` largest, given the sorted values; ties go to the earlier."""
        xp = self._arrays.xp
        if count == 0:
            return xp.zeros(values.shape[0], dtype=xp.bool)
        least = ordered[count - 1]
        chosen = values >= least
        beyond = int(xp.count_nonzero(chosen)) - count
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
        self._a = arrays.vector(np.arange(self._l + 1))
        self._expected = self._u  # the number included in the last cut: a guess that saves time
        self._near = self

    def _candidates(self, entering: Vector) -> Vector:
        # A document that is not included at a = l is never included.
        count = self._expected + self._expected // 4 + 16
        while count < self._u:
            first = self._arrays.largest(entering, count)
            if float(self._needed(first[-1:], count - 1)[0]) >= self._l:
                return first
            count *= 4
        return self._arrays.largest(entering, self._u)

    def _worst(self, left: Vector, entered: Vector) -> Table:
        xp, a = self._arrays.xp, self._a
        b = xp.searchsorted(self._needed(entered, 0), a)
        self._expected = int(b[-1])
        delta = self._measure.delta(xp, a, xp.astype(b, xp.float64), self._l)
        entering = self._arrays.take(self._running_sums(entered), b)
        return self._worst_of(a, b, delta, xp.flip(left) + entering)

    def _needed(self, entered: Vector, first: int) -> Vector:
        """The a above which each document is included; `first` documents come before them."""
        xp = self._arrays.xp
        cost = xp.maximum(-entered / self._scale, 0.0)
        before = xp.arange(first, first + cost.shape[0], dtype=xp.float64)
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
        a = np.arange(max(0, measure.k - self._u), min(self._l, measure.k) + 1)
        self._most = int(measure.k - a[0])  # unlabeled documents that can be included
        self._a, self._b = arrays.xp.asarray(a), arrays.xp.asarray(measure.k - a)
        self._delta = measure.delta(
            arrays.xp, arrays.vector(a), arrays.vector(measure.k - a), self._l
        )

    def _candidates(self, entering: Vector) -> Vector:
        return self._arrays.largest(entering, self._most)

    def _worst(self, left: Vector, entered: Vector) -> Table:
        take = self._arrays.take
        reach = take(left, self._l - self._a) + take(self._running_sums(entered), self._b)
        return self._worst_of(self._a, self._b, self._delta, reach)

    def _least(self, low: Vector) -> float:
        if self._most == 0:
            return math.inf
        return float(self._arrays.largest(low, self._most)[-1])

    def _among(self, positives: Places, unlabeled: Places, steps: Vector) -> SizedTables:
        return SizedTables(self._measure, self._arrays, positives, unlabeled, steps, self._scale)


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
