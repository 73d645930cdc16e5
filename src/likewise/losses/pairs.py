"""Losses of pairs: an upper document should score above a lower one by a margin of 1.

The number of pairs is the number of upper documents times that of lower ones. But after sorting,
the sum over a document's pairs is found by cumulative sums, so the sum over all pairs takes
O(n log n) (Joachims, KDD 2006; for squares, Lee & Lin, Neural Computation 2014).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

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


class _Pairs:
    def __init__(self, arrays: Arrays, sides: Sides, n: int) -> None:
        self._arrays, self._n = arrays, n
        self._upper, self._lower = sides.upper, sides.lower
        tops, bottoms = sides.shares[sides.upper], sides.shares[sides.lower]
        self._tops, self._bottoms = arrays.vector(tops), arrays.vector(bottoms)
        self._top, self._bottom = float(tops.sum()), float(bottoms.sum())

    def _split(self, values: Vector) -> tuple[Vector, Vector]:
        """The values of the upper and of the lower documents, from those of all."""
        return self._arrays.take(values, self._upper), self._arrays.take(values, self._lower)

    def _spread(self, upper: Vector, lower: Vector) -> Vector:
        """The values of all documents, from those of the upper and the lower ones."""
        return self._arrays.placed(self._n, (self._upper, upper), (self._lower, lower))


class PairHinge(_Pairs):
    """R = Σ shares[i]·shares[j]·max(0, 1 − s[i] + s[j]) over upper i and lower j.

    A document's reach is the sum over its pairs; its share as a member is the share of its pairs
    that are within the margin.
    """

    def __init__(self, arrays: Arrays, sides: Sides, n: int) -> None:
        super().__init__(arrays, sides, n)
        self.steps = self._spread(-self._tops * self._bottom, self._bottoms * self._top)
        self._steps = self._split(self.steps)

    def cut(self, reach: Vector) -> Cut:
        up, low = (r / step for r, step in zip(self._split(reach), self._steps, strict=True))
        order = _Order(self._arrays, up - 1.0, low)
        above, below = order.above(self._bottoms), order.below(self._tops)
        members = self._spread(above / self._bottom, below / self._top)
        offset = self._arrays.dot(self._tops, above)
        value = offset + self._arrays.dot(reach, members)
        return Cut(max(0.0, value), offset, members)

    def between(self, one: Vector, other: Vector) -> tuple[Places, PairHinge]:
        return slice(None), self


class PairSquaredHinge(_Pairs):
    """R = Σ shares[i]·shares[j]·max(0, 1 − s[i] + s[j])² over upper i and lower j."""

    def at(self, s: Vector) -> Bend:
        tops, bottoms, dot = self._tops, self._bottoms, self._arrays.dot
        up, scores = self._split(s)
        least = up - 1.0
        order = _Order(self._arrays, least, scores)
        above, below = order.above(bottoms), order.below(tops)
        lacking = order.above(bottoms * scores) - above * least  # the sum of each document's slacks
        beyond = below * scores - order.below(tops * least)
        slopes = self._spread(-2.0 * tops * lacking, 2.0 * bottoms * beyond)
        value = dot(bottoms * scores, beyond) - dot(tops * least, lacking)

        def times(d: Vector) -> Vector:
            up, low = self._split(d)
            return self._spread(
                2.0 * tops * (above * up - order.above(bottoms * low)),
                2.0 * bottoms * (below * low - order.below(tops * up)),
            )

        return Bend(max(0.0, value), slopes, times)


class _Order:
    """The lower documents that score above each upper document's score minus the margin."""

    def __init__(self, arrays: Arrays, least: Vector, scores: Vector) -> None:
        xp = arrays.xp
        self._arrays = arrays
        self._by_least, self._by_score = xp.argsort(least), xp.argsort(scores)
        least, scores = arrays.take(least, self._by_least), arrays.take(scores, self._by_score)
        self._above = scores.shape[0] - xp.searchsorted(scores, least, side="right")
        self._below = xp.searchsorted(least, scores, side="left")

    def above(self, values: Vector) -> Vector:
        """For each upper document, the sum over the lower ones within its margin."""
        arrays = self._arrays
        best_first = arrays.xp.flip(arrays.take(values, self._by_score))
        return self._sums(best_first, self._above, self._by_least)

    def below(self, values: Vector) -> Vector:
        """For each lower document, the sum over the upper ones whose margin it violates."""
        lowest_first = self._arrays.take(values, self._by_least)
        return self._sums(lowest_first, self._below, self._by_score)

    def _sums(self, ordered: Vector, counts: Vector, places: Places) -> Vector:
        """The sums of the first `counts` values, in the documents' order."""
        arrays = self._arrays
        sums = arrays.xp.cumulative_sum(ordered, include_initial=True)
        return arrays.placed(counts.shape[0], (places, arrays.take(sums, counts)))
