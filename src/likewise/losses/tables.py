"""The worst contingency table: R = max over tables of scale·Δ + Σ reach of who is wrong.

A table has a of the l examples and b of the unlabeled documents in. For given (a, b) the worst
choice leaves out the l − a examples, and lets in the b unlabeled documents, that reach farthest:
sorted once, only (a, b) remains to be searched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol, Self

import numpy as np

from likewise.losses.cuts import Cut

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likewise.corpus import Ids, Mask
    from likewise.losses.cuts import Floats, Places


GUESSES = (0.95, 0.8, 0.5, 0.2, 0.0)  # shares of the documents that were in when last seen


class FreeMeasure(Protocol):
    """A measure of tables of any size; Δ(a, b+1) − Δ(a, b) rises with a and falls with b."""

    def delta(self, a: Floats, b: Floats, total: int) -> Floats: ...

    def rise(self, a: Floats, b: Floats, total: int) -> Floats:
        """Δ(a, b+1) − Δ(a, b)."""

    def needed(self, b: Floats, cost: Floats, total: int) -> Floats:
        """The a at which the rise is `cost`, at least 0; infinite where it stays below."""


class SizedMeasure(Protocol):
    """A measure of tables with a + b = k."""

    @property
    def k(self) -> int: ...

    def delta(self, a: Floats, b: Floats, total: int) -> Floats: ...


class Table(NamedTuple):
    value: float
    offset: float
    a: int
    b: int


class Tables:
    """What the two kinds have in common: from reaches to sorted ones, from a table to its cut."""

    def __init__(self, positives: Ids, unlabeled: Ids, steps: Floats, scale: float) -> None:
        self.steps = steps
        self._scale = scale
        self._l, self._u = len(positives), len(unlabeled)
        self._positives, self._unlabeled = _places(positives), _places(unlabeled)
        self._ids = np.asarray(positives, dtype=np.intp)
        others = np.ones(len(steps), dtype=bool)
        others[self._unlabeled] = False
        self._others = np.flatnonzero(others)

    def cut(self, reach: Floats) -> Cut:
        leaving, entering = reach[self._positives], reach[self._unlabeled]
        left, entered = np.sort(leaving)[::-1], self._candidates(entering)
        table = self._worst(_running_sums(left), entered)
        members = np.zeros(len(reach), dtype=bool)
        if table.value <= 0.0:
            return Cut(0.0, 0.0, members)
        members[self._positives] = _largest(leaving, left, self._l - table.a)
        members[self._unlabeled] = _largest(entering, entered, table.b)
        return Cut(table.value, table.offset, members)

    def between(self, one: Floats, other: Floats) -> tuple[Places, Self]:
        """All examples, and the unlabeled documents that reach as far as needed at either end."""
        low = np.minimum(one, other)
        low[self._others] = -np.inf
        far = np.maximum(one, other) >= self._least(low)
        far[self._others] = False
        places = np.concatenate([self._ids, np.flatnonzero(far)])
        order = np.arange(len(places))
        return places, self._among(order[: self._l], order[self._l :], self.steps[places])

    def _candidates(self, entering: Floats) -> Floats:
        """The reaches of all who may be in, descending."""
        raise NotImplementedError

    def _worst(self, left: Floats, entered: Floats) -> Table:
        """The worst table, where left[j] is what leaving j examples out adds."""
        raise NotImplementedError

    def _least(self, low: Floats) -> float:
        """What an unlabeled document must reach to be in, where nobody reaches less than `low`."""
        raise NotImplementedError

    def _among(self, positives: Ids, unlabeled: Ids, steps: Floats) -> Self:
        """The same loss of some documents."""
        raise NotImplementedError

    def _worst_of(
        self, a: NDArray[np.intp], b: NDArray[np.intp], delta: Floats, reach: Floats
    ) -> Table:
        offsets = self._scale * delta
        values = offsets + reach
        worst = int(values.argmax())
        return Table(float(values[worst]), float(offsets[worst]), int(a[worst]), int(b[worst]))


class FreeTables(Tables):
    """Tables of any size, in O(n log n).

    For given a the next unlabeled document enters as long as what it adds to scale·Δ and its
    reach sum to more than 0. Both fall with b, and the first rises with a: each document enters
    from some a on, and these a come in the documents' order.
    """

    def __init__(
        self, measure: FreeMeasure, positives: Ids, unlabeled: Ids, steps: Floats, scale: float
    ) -> None:
        super().__init__(positives, unlabeled, steps, scale)
        self._measure = measure
        self._a = np.arange(self._l + 1)
        self._order = np.arange(self._u, dtype=float)
        self._expected = self._u  # to enter, as the last cut was: only a guess that saves time
        self._near = self

    def _candidates(self, entering: Floats) -> Floats:
        # Who does not enter at a = l enters nowhere.
        count = self._expected + self._expected // 4 + 16
        while count < self._u:
            first = _descending(entering, count)
            if self._needed(first[-1:], count - 1)[0] >= self._l:
                return first
            count *= 4
        return np.sort(entering)[::-1]

    def _worst(self, left: Floats, entered: Floats) -> Table:
        b = np.searchsorted(self._needed(entered, 0), self._a)
        self._expected = int(b[-1])
        delta = self._measure.delta(self._a.astype(float), b.astype(float), self._l)
        return self._worst_of(self._a, b, delta, left[::-1] + _running_sums(entered)[b])

    def _needed(self, entered: Floats, first: int) -> Floats:
        """From which a on (exclusive) each document enters; `first` stand before them."""
        cost = np.maximum(-entered / self._scale, 0.0)
        needed = self._measure.needed(self._order[first : first + len(cost)], cost, self._l)
        return np.where(entered > 0.0, -1.0, needed)

    def _least(self, low: Floats) -> float:
        # If so many reach so far, they are in at a = l, and whoever is in reaches so far.
        counts = (np.array(GUESSES) * self._near._expected).astype(int)
        before = np.maximum(counts - 1.0, 0.0)
        rises = self._measure.rise(np.array([float(self._l)]), before, self._l)
        for count, least in zip(counts.tolist(), (-self._scale * rises).tolist(), strict=True):
            if np.count_nonzero(low > least) >= count:
                break
        return float(least)

    def _among(self, positives: Ids, unlabeled: Ids, steps: Floats) -> FreeTables:
        among = FreeTables(self._measure, positives, unlabeled, steps, self._scale)
        among._expected = self._near._expected
        self._near = among
        return among


class SizedTables(Tables):
    """Tables with a + b = k: at most k + 1 of them."""

    def __init__(
        self, measure: SizedMeasure, positives: Ids, unlabeled: Ids, steps: Floats, scale: float
    ) -> None:
        super().__init__(positives, unlabeled, steps, scale)
        self._measure = measure
        self._a = np.arange(max(0, measure.k - self._u), min(self._l, measure.k) + 1)
        self._b = measure.k - self._a
        self._delta = measure.delta(self._a.astype(float), self._b.astype(float), self._l)

    def _candidates(self, entering: Floats) -> Floats:
        return _descending(entering, int(self._b[0]))

    def _worst(self, left: Floats, entered: Floats) -> Table:
        reach = left[self._l - self._a] + _running_sums(entered)[self._b]
        return self._worst_of(self._a, self._b, self._delta, reach)

    def _least(self, low: Floats) -> float:
        place = len(low) - int(self._b[0])
        return float(np.partition(low, place)[place]) if place < len(low) else np.inf

    def _among(self, positives: Ids, unlabeled: Ids, steps: Floats) -> SizedTables:
        return SizedTables(self._measure, positives, unlabeled, steps, self._scale)


def _places(ids: Ids) -> Places:
    """The same places as a slice where they are one run: a slice is not copied."""
    places = np.asarray(ids, dtype=np.intp)
    if len(places) and np.array_equal(places, np.arange(places[0], places[0] + len(places))):
        return slice(int(places[0]), int(places[0]) + len(places))
    return places


def _running_sums(values: Floats) -> Floats:
    """sums[j] = the sum of the first j."""
    sums = np.zeros(len(values) + 1)
    np.cumsum(values, out=sums[1:])
    return sums


def _descending(values: Floats, count: int) -> Floats:
    """The `count` largest, in order."""
    rest = len(values) - count
    if count and rest:
        values = np.partition(values, rest)[rest:]
    return np.sort(values)[::-1][:count]


def _largest(values: Floats, ordered: Floats, count: int) -> Mask:
    """Which are the `count` largest, given the largest in order; ties go to the earlier."""
    if count == 0:
        return np.zeros(len(values), dtype=bool)
    least = ordered[count - 1]
    chosen: Mask = values > least
    missing = count - np.count_nonzero(chosen)
    chosen[np.flatnonzero(values == least)[:missing]] = True
    return chosen
