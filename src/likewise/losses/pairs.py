"""Losses of pairs: an upper document should score above a lower one by a margin of 1.

There are as many pairs as upper documents times lower ones, but what a document adds is known once
the others are sorted: Σ over pairs takes O(n log n) (Joachims, KDD 2006; for squares, Lee & Lin,
Neural Computation 2014).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise.losses.cuts import Cut
from likewise.losses.smooth import Bend

if TYPE_CHECKING:
    from likewise.corpus import Ids
    from likewise.losses.cuts import Floats, Places


class Sides(NamedTuple):
    """Who should score above whom; a pair weighs shares[i]·shares[j].

    The shares of the upper documents, and those of the lower ones, add up to 1 as a rule.
    """

    upper: Ids
    lower: Ids
    shares: Floats


class _Pairs:
    def __init__(self, sides: Sides, n: int) -> None:
        self._n, self._upper, self._lower = n, sides.upper, sides.lower
        self._tops, self._bottoms = sides.shares[sides.upper], sides.shares[sides.lower]
        self._top, self._bottom = float(self._tops.sum()), float(self._bottoms.sum())

    def _spread(self, upper: Floats, lower: Floats) -> Floats:
        """Values of the two sides as values of all documents."""
        values = np.zeros(self._n)
        values[self._upper], values[self._lower] = upper, lower
        return values


class PairHinge(_Pairs):
    """R = Σ shares[i]·shares[j]·max(0, 1 − s[i] + s[j]) over upper i and lower j.

    A document reaches as far as all its pairs together do; it counts by the share of its pairs
    that are within the margin.
    """

    def __init__(self, sides: Sides, n: int) -> None:
        super().__init__(sides, n)
        self.steps = self._spread(-self._tops * self._bottom, self._bottoms * self._top)

    def cut(self, reach: Floats) -> Cut:
        least = reach[self._upper] / self.steps[self._upper] - 1.0
        order = _Order(least, reach[self._lower] / self.steps[self._lower])
        above, below = order.above(self._bottoms), order.below(self._tops)
        members = self._spread(above / self._bottom, below / self._top)
        offset = float(np.einsum("i,i", self._tops, above))
        value = offset + float(np.einsum("i,i", reach, members))
        return Cut(max(0.0, value), offset, members)

    def between(self, one: Floats, other: Floats) -> tuple[Places, PairHinge]:
        return slice(None), self


class PairSquaredHinge(_Pairs):
    """R = Σ shares[i]·shares[j]·max(0, 1 − s[i] + s[j])² over upper i and lower j."""

    def at(self, s: Floats) -> Bend:
        least, scores = s[self._upper] - 1.0, s[self._lower]
        order = _Order(least, scores)
        above, below = order.above(self._bottoms), order.below(self._tops)
        lacking = order.above(self._bottoms * scores) - above * least  # Σ of each one's slacks
        beyond = below * scores - order.below(self._tops * least)
        slopes = self._spread(-2.0 * self._tops * lacking, 2.0 * self._bottoms * beyond)
        value = float(self._bottoms * scores @ beyond - self._tops * least @ lacking)

        def times(d: Floats) -> Floats:
            up, low = d[self._upper], d[self._lower]
            return self._spread(
                2.0 * self._tops * (above * up - order.above(self._bottoms * low)),
                2.0 * self._bottoms * (below * low - order.below(self._tops * up)),
            )

        return Bend(max(0.0, value), slopes, times)


class _Order:
    """Which lower scores are above the least that each upper document asks for."""

    def __init__(self, least: Floats, scores: Floats) -> None:
        self._by_least, self._by_score = np.argsort(least), np.argsort(scores)
        least, scores = least[self._by_least], scores[self._by_score]
        self._not_above = np.searchsorted(scores, least, "right")
        self._below = np.searchsorted(least, scores, "left")

    def above(self, values: Floats) -> Floats:
        """For each upper document, the sum over the lower ones that score above its least."""
        ordered = values[self._by_score]
        sums = np.zeros(len(ordered) + 1)
        np.cumsum(ordered[::-1], out=sums[1:])
        found = np.empty(len(self._by_least))
        found[self._by_least] = sums[len(ordered) - self._not_above]
        return found

    def below(self, values: Floats) -> Floats:
        """For each lower document, the sum over the upper ones that ask for less than it has."""
        sums = np.zeros(len(values) + 1)
        np.cumsum(values[self._by_least], out=sums[1:])
        found = np.empty(len(self._by_score))
        found[self._by_score] = sums[self._below]
        return found
