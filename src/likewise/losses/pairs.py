"""Losses of pairs: an upper document should score above a lower one by a margin of 1.

The number of pairs is the number of upper documents times that of lower ones. But a lower document
only has to be told apart from the upper ones: once these are sorted, it is in the bucket between
two of them, and sums by bucket give the sum over all pairs in O(n log l) (as Joachims, KDD 2006,
does by sorting all; for squares, Lee & Lin, Neural Computation 2014).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise.losses.cuts import Cut
from likewise.losses.smooth import Bend

if TYPE_CHECKING:
    from likewise.corpus import Arrays, Floats, Ids, Places, Vector


class Sides(NamedTuple):
    """Upper documents should score above lower ones; a pair weighs shares[i]·shares[j].

    The shares of the upper documents usually sum to 1, and so do those of the lower ones.
    """

    upper: Ids
    lower: Ids
    shares: Floats

    def spread(self, arrays: Arrays) -> Uppers:
        """With the lower documents' shares where vectors lie."""
        below = arrays.placed(len(self.shares), (self.lower, self.shares[self.lower]))
        return Uppers(self.upper, self.shares[self.upper], below)


class Uppers(NamedTuple):
    """The same by a vector over all documents: `below` is 0 for one that is not a lower one."""

    upper: Ids
    shares: Floats
    below: Vector


class _Pairs:
    def __init__(self, arrays: Arrays, sides: Uppers) -> None:
        self._arrays, self._n = arrays, sides.below.shape[0]
        self._upper, self._tops, self._bottoms = sides
        self._top, self._bottom = float(self._tops.sum()), float(arrays.xp.sum(sides.below))

    def _order(self, s: Vector) -> tuple[Floats, _Order]:
        """The scores of the upper documents, and the order of all by them."""
        up = self._arrays.host(self._arrays.take(s, self._upper))
        return up, _Order(self._arrays, up - 1.0, s)

    def _placed(self, upper: Floats, others: Vector) -> Vector:
        """A vector over all documents."""
        return self._arrays.placed(self._n, (slice(0, self._n), others), (self._upper, upper))


class PairHinge(_Pairs):
    """R = Σ shares[i]·shares[j]·max(0, 1 − s[i] + s[j]) over upper i and lower j.

    A document's reach is the sum over its pairs; its share as a member is the share of its pairs
    that are within the margin.
    """

    def __init__(self, arrays: Arrays, sides: Uppers) -> None:
        super().__init__(arrays, sides)
        self.steps = self._placed(-self._tops * self._bottom, self._bottoms * self._top)
        self._divisors = arrays.xp.where(self.steps != 0.0, self.steps, 1.0)

    def cut(self, reach: Vector) -> Cut:
        s = reach / self._divisors
        up, order = self._order(s)
        above, pull = order.above(self._bottoms, self._bottoms * s)
        members = self._placed(above / self._bottom, order.below(self._tops) / self._top)
        value = float(self._tops @ (above * (1.0 - up) + pull))
        return Cut(max(0.0, value), float(self._tops @ above), members)

    def between(self, one: Vector, other: Vector) -> tuple[Places, PairHinge]:
        return slice(None), self


class PairSquaredHinge(_Pairs):
    """R = Σ shares[i]·shares[j]·max(0, 1 − s[i] + s[j])² over upper i and lower j."""

    def at(self, s: Vector) -> Bend:
        tops, bottoms = self._tops, self._bottoms
        up, order = self._order(s)
        least = up - 1.0
        above, pull = order.above(bottoms, bottoms * s)
        below = order.below(tops)
        lacking = pull - above * least  # the sum of each upper document's slacks
        beyond = below * s - order.below(tops * least)
        slopes = self._placed(-2.0 * tops * lacking, 2.0 * bottoms * beyond)
        value = self._arrays.dot(bottoms * s, beyond) - float((tops * least) @ lacking)

        def times(d: Vector) -> Vector:
            along = self._arrays.host(self._arrays.take(d, self._upper))
            (pull,) = order.above(bottoms * d)
            lower = bottoms * (below * d - order.below(tops * along))
            return self._placed(2.0 * tops * (above * along - pull), 2.0 * lower)

        return Bend(max(0.0, value), slopes, times)


class _Order:
    """For each document, the upper documents that it scores above by their `least` scores."""

    def __init__(self, arrays: Arrays, least: Floats, scores: Vector) -> None:
        self._arrays, self._by_least = arrays, np.argsort(least, kind="stable")
        edges = arrays.vector(least[self._by_least])
        self._buckets = arrays.xp.searchsorted(edges, scores, side="left")

    def above(self, *values: Vector) -> Floats:
        """For each upper document, the sums over the documents within its margin."""
        sums = self._arrays.bucketed(self._buckets, len(self._by_least) + 1, *values)
        found = np.empty((len(values), len(self._by_least)))
        found[:, self._by_least] = np.cumsum(sums[:, ::-1], axis=1)[:, -2::-1]
        return found

    def below(self, values: Floats) -> Vector:
        """For each document, the sum over the upper ones whose margin it violates."""
        sums = np.concatenate([[0.0], np.cumsum(values[self._by_least])])
        return self._arrays.take(self._arrays.vector(sums), self._buckets)
