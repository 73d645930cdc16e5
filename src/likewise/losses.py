"""Losses: functions of the documents' scores s, never of their vectors.

Each is a maximum over cuts, R(s) = max (offset + Σ over the cut's members of steps[i]·s[i]), and
never below 0. A cut says which documents count: an example that scores too low, an unlabeled
document that scores too high. steps[i] is ∂R/∂s[i] while document i counts: −cp for an example,
+cu for an unlabeled one, 0 for a document that is in no block.

Exactly at the margin a document does not count. Of equally scored documents the one with the
lower number counts first; of equally bad contingency tables the one with the fewest examples.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from likewise.corpus import Ids, Mask

Floats = NDArray[np.float64]
Positions = NDArray[np.intp] | slice


class Cut(NamedTuple):
    """The linear function that is R at some s: value = offset + Σ steps[members]·s[members]."""

    value: float
    offset: float
    members: Mask


class Loss(Protocol):
    @property
    def steps(self) -> Floats:
        """∂R/∂s of each document while it counts."""

    def cut(self, s: Floats) -> Cut:
        """The cut that attains R(s)."""


@dataclass(frozen=True)
class Hinge:
    """R = Σ max(0, offsets + steps·s): every document counts by itself.

    A margin m, a label y and a weight c are offsets = c·m and steps = −c·y.
    """

    offsets: Floats
    steps: Floats

    def cut(self, s: Floats) -> Cut:
        slack = self.steps * s
        slack += self.offsets
        members = slack > 0
        return Cut(float(slack @ members), float(self.offsets @ members), members)


@dataclass(frozen=True)
class SquaredHinge:
    """R = Σ costs·max(0, margin − signs·s)²: smooth, and so no maximum of cuts."""

    costs: Floats
    signs: Floats
    margin: float = 1.0

    def slack(self, s: Floats) -> Floats:
        slack = self.margin - self.signs * s
        return np.maximum(slack, 0.0, out=slack)


class Measure(Protocol):
    """Δ(a, b) of a contingency table: a of the l examples and b unlabeled documents are in."""

    def delta(self, a: Floats, b: Floats, l: int) -> Floats: ...


class FreeMeasure(Measure, Protocol):
    """A measure over tables of any size; Δ(a, b+1) − Δ(a, b) rises with a and falls with b."""

    def needed(self, b: Floats, cost: Floats, l: int) -> Floats:
        """The a at which Δ(a, b+1) − Δ(a, b) = cost, for cost ≥ 0; infinite where none is."""


class SizedMeasure(Measure, Protocol):
    """A measure over tables with a + b = k."""

    @property
    def k(self) -> int: ...


@dataclass(frozen=True)
class PrecisionRecall:
    """1 − precision · recall: Δ grows by a²/(l(a+b)(a+b+1)) with the next unlabeled document."""

    def delta(self, a: Floats, b: Floats, l: int) -> Floats:
        return 1.0 - a * a / (np.maximum(a + b, 1.0) * l)

    def needed(self, b: Floats, cost: Floats, l: int) -> Floats:
        z = np.minimum(cost * l, 1.0)
        root = np.sqrt(z * (z + 4.0 * b * (b + 1.0)))
        return _ratio(z * (2.0 * b + 1.0) + root, 2.0 * (1.0 - z))


@dataclass(frozen=True)
class F1:
    """1 − F1: Δ grows by 2a/((a+b+l)(a+b+l+1)) with the next unlabeled document."""

    def delta(self, a: Floats, b: Floats, l: int) -> Floats:
        return 1.0 - 2.0 * a / (a + b + l)

    def needed(self, b: Floats, cost: Floats, l: int) -> Floats:
        c = b + l
        middle = 2.0 - cost * (2.0 * c + 1.0)
        root = middle * middle - 4.0 * cost * cost * c * (c + 1.0)
        possible = (middle > 0.0) & (root >= 0.0)
        below = np.where(possible, middle + np.sqrt(np.maximum(root, 0.0)), 0.0)
        return _ratio(2.0 * cost * c * (c + 1.0), below)


@dataclass(frozen=True)
class PrecisionAt:
    """1 − precision among the first k."""

    k: int

    def delta(self, a: Floats, b: Floats, l: int) -> Floats:
        return b / self.k


@dataclass(frozen=True)
class RecallAt:
    """1 − recall among the first k; with k = l the precision-recall break-even point."""

    k: int

    def delta(self, a: Floats, b: Floats, l: int) -> Floats:
        return (l - a) / l


class Table(NamedTuple):
    """The worst contingency table: `a` examples in, `b` unlabeled documents in."""

    value: float
    offset: float
    a: int
    b: int


class Tables:
    """R = max over tables of scale·Δ(a, b) + Σ steps·s over who is wrongly out or in.

    For given (a, b) the worst choice leaves out the l − a examples, and lets in the b unlabeled
    documents, with the largest steps·s: sorted once, only (a, b) remains to be searched.
    """

    def __init__(
        self, positives: Ids, unlabeled: Ids, steps: Floats, scale: float = 1.0
    ) -> None:
        self.steps = steps
        self._scale = scale
        self._l, self._u = len(positives), len(unlabeled)
        self._positives, self._unlabeled = _positions(positives), _positions(unlabeled)

    def cut(self, s: Floats) -> Cut:
        reach = self.steps * s
        leaving, entering = reach[self._positives], reach[self._unlabeled]
        left, entered = np.sort(leaving)[::-1], self._candidates(entering)
        table = self._worst(_running_sums(left), entered)
        members = np.zeros(len(s), dtype=bool)
        if table.value <= 0.0:
            return Cut(0.0, 0.0, members)
        members[self._positives] = _largest(leaving, left, self._l - table.a)
        members[self._unlabeled] = _largest(entering, entered, table.b)
        return Cut(table.value, table.offset, members)

    def _candidates(self, entering: Floats) -> Floats:
        """The largest values of those that may be in, descending."""
        raise NotImplementedError

    def _worst(self, left: Floats, entered: Floats) -> Table:
        """The worst table, where left[j] is what leaving j examples out adds."""
        raise NotImplementedError

    def _worst_of(self, a: Floats, b: Floats, delta: Floats, reach: Floats) -> Table:
        offsets = self._scale * delta
        values = offsets + reach
        worst = int(values.argmax())
        return Table(float(values[worst]), float(offsets[worst]), int(a[worst]), int(b[worst]))


class FreeTables(Tables):
    """Tables of any size. For given a, the next unlabeled document enters while what it adds to
    scale·Δ plus its own steps·s is above 0; both fall with b, and the first rises with a, so
    that each document enters from some a on, and these a come in the documents' order."""

    def __init__(
        self,
        measure: FreeMeasure,
        positives: Ids,
        unlabeled: Ids,
        steps: Floats,
        scale: float = 1.0,
    ) -> None:
        super().__init__(positives, unlabeled, steps, scale)
        self._measure = measure
        self._a = np.arange(self._l + 1.0)
        self._order = np.arange(self._u, dtype=float)
        self._expected = self._u  # to enter, as far as the last cut tells

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
        delta = self._measure.delta(self._a, b.astype(float), self._l)
        return self._worst_of(self._a, b, delta, left[::-1] + _running_sums(entered)[b])

    def _needed(self, entered: Floats, first: int) -> Floats:
        """From which a on (exclusive) each document enters; `first` stand before them."""
        cost = np.maximum(-entered / self._scale, 0.0)
        needed = self._measure.needed(self._order[first : first + len(cost)], cost, self._l)
        return np.where(entered > 0.0, -1.0, needed)


class SizedTables(Tables):
    """Tables with a + b = k: at most k + 1 of them."""

    def __init__(
        self,
        measure: SizedMeasure,
        positives: Ids,
        unlabeled: Ids,
        steps: Floats,
        scale: float = 1.0,
    ) -> None:
        super().__init__(positives, unlabeled, steps, scale)
        a = np.arange(max(0, measure.k - self._u), min(self._l, measure.k) + 1)
        self._a, self._b = a, measure.k - a
        self._delta = measure.delta(a.astype(float), self._b.astype(float), self._l)

    def _candidates(self, entering: Floats) -> Floats:
        return _descending(entering, int(self._b[0]))

    def _worst(self, left: Floats, entered: Floats) -> Table:
        reach = left[self._l - self._a] + _running_sums(entered)[self._b]
        return self._worst_of(self._a, self._b, self._delta, reach)


@dataclass(frozen=True)
class Both:
    """The sum of two losses over different documents."""

    first: Loss
    second: Loss

    @cached_property
    def steps(self) -> Floats:
        return self.first.steps + self.second.steps

    def cut(self, s: Floats) -> Cut:
        one, other = self.first.cut(s), self.second.cut(s)
        members = one.members | other.members
        return Cut(one.value + other.value, one.offset + other.offset, members)


def _positions(ids: Ids) -> Positions:
    """The same places as a slice where they are one run: no copy is made of a slice."""
    if len(ids) and np.array_equal(ids, np.arange(ids[0], ids[0] + len(ids))):
        return slice(int(ids[0]), int(ids[0]) + len(ids))
    return np.asarray(ids, dtype=np.intp)


def _ratio(above: Floats, below: Floats) -> Floats:
    """above / below, infinite where `below` is 0."""
    return np.divide(above, below, out=np.full(len(above), np.inf), where=below > 0.0)


def _running_sums(values: Floats) -> Floats:
    """sums[j] = the sum of the first j."""
    sums = np.zeros(len(values) + 1)
    np.cumsum(values, out=sums[1:])
    return sums


def _descending(values: Floats, count: int) -> Floats:
    """The `count` largest, in order."""
    if count == 0:
        return values[:0]
    rest = len(values) - count
    return np.sort(np.partition(values, rest)[rest:] if rest else values)[::-1]


def _largest(values: Floats, ordered: Floats, count: int) -> Mask:
    """Which are the `count` largest, given the largest in order; ties go to the earlier."""
    if count == 0:
        return np.zeros(len(values), dtype=bool)
    least = ordered[count - 1]
    chosen: Mask = values > least
    missing = count - np.count_nonzero(chosen)
    chosen[np.flatnonzero(values == least)[:missing]] = True
    return chosen
