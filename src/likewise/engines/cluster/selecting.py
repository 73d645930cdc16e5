"""How many of the values in pieces, in descending order, need less than some levels.

Nobody sorts all values in one place. Each piece sorts its own and says, of ranges of values, a few
values with the number of those above and at each. Together these bound the rank of each such value
among all pieces', so that ranges become narrower, by the number of values that are told, until all
that are left in them are told. Equal values need no more than a count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from likewise.corpus import Counted
from likewise.engines.cluster.evaluating import evaluated
from likewise.engines.cluster.expressions import Node

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from likewise.corpus import Floats
    from likewise.engines.cluster.ranks import Told
    from likewise.engines.cluster.spread import Spread

    Numbers = NDArray[np.int64]
    Needs = Callable[[Any, Floats, Floats], Floats]

TOLD = 1024  # values that a piece tells at a time
ROUNDS = 40  # of them, at most: then all that are left are told


class _Range:
    """What all pieces say of a range of values, for some levels."""

    def __init__(self, low: float, answers: Sequence[Told]) -> None:
        self.low, self._answers = low, answers
        self.above = sum(each.above for each in answers)
        self.total = sum(each.total for each in answers)
        self.equal = sum(each.equal for each in answers)
        self.values = np.unique(np.concatenate([each.values for each in answers]))
        bounds = [self._bounds(each) for each in answers]
        self.fewest, self.most = (self.above + sum(each) for each in zip(*bounds, strict=True))

    def _bounds(self, told: Told) -> tuple[Numbers, Numbers]:
        """How many of a piece's values inside reach each value, at least and at most."""
        at = np.searchsorted(told.values, self.values)
        same = np.append(told.values, np.nan)[at] == self.values
        fewest = np.append(told.reached, 0)[at]
        most = np.where(same, fewest, np.append(told.inside, told.greater)[at])
        return fewest, most

    @property
    def complete(self) -> bool:
        """Whether all values inside were told."""
        return all(int((t.reached - t.greater).sum()) == t.inside for t in self._answers)

    def narrowed(self, needs: Needs, level: float, high: float) -> tuple[float, float]:
        """The range in which the last value is that needs less than a level, or the next one."""
        with np.errstate(invalid="ignore", over="ignore"):
            inside = needs(np, self.values, self.most - 1.0) < level
            outside = needs(np, self.values, self.fewest.astype(np.float64)) >= level
        low = self.values[outside].max(initial=self.low)
        return float(low), float(self.values[inside].min(initial=high))

    def counted(self, needs: Needs, level: float, high: float) -> tuple[int, float, float]:
        """Of a complete range: the number, the sum, and what these reach."""
        values = np.append(self.values[::-1], self.low if self.equal else np.zeros(0))
        ends = np.append(self.fewest[::-1], self.above + self._inside + np.array([self.equal]))
        ends = ends[: len(values)]
        starts = np.append(self.above, ends)[: len(values)]
        full = int(np.searchsorted(needs(np, values, ends - 1.0), level))
        sizes = ends - starts
        total = self.total + float((values[:full] * sizes[:full]).sum())
        reached = float(values[full - 1]) if full else high
        if full == len(values):
            return int(np.append(self.above, ends)[full]), total, reached
        some = _first(
            lambda k: (
                float(needs(np, values[full : full + 1], np.array([k + starts[full]]))[0]) >= level
            ),
            int(sizes[full]),
        )
        if some:
            total, reached = total + some * float(values[full]), float(values[full])
        return int(starts[full]) + some, total, reached

    @property
    def _inside(self) -> int:
        return sum(each.inside for each in self._answers)


def _first(holds: Callable[[float], bool], end: int) -> int:
    """The first number from 0 on for which something holds that then goes on to; `end` if none."""
    low, high = 0, end
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(float(middle)) else (middle + 1, high)
    return low


def counted(values: Spread, needs: Needs, levels: Floats, guess: int) -> Counted:
    """As the contract says; `values` are in pieces."""
    for rank in (guess - guess // 4, 0, None):  # where more come before, values need even more
        least = -np.inf if rank is None else _never(needs, levels[-1], rank)
        search = _Search(values, Node("ordered", (values.node, least)), needs, levels)
        if rank is None or search.certain(least):
            break
    return search.found()


def _never(needs: Needs, level: float, rank: int) -> float:
    """A number at most 0, about the highest, so that no value up to it counts from a rank on."""
    place, low, high = np.array([float(rank)]), 0, int(np.float64(np.inf).view(np.int64)) - 1
    while low < high:  # of the numbers below 0, in the order of their bits
        middle = (low + high) // 2
        value = -np.int64(middle).view(np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            enough = float(needs(np, np.array([value]), place)[0]) >= level
        low, high = (low, middle) if enough else (middle + 1, high)
    return float(-np.int64(low).view(np.float64))


class _Search:
    def __init__(self, values: Spread, ordered: Node, needs: Needs, levels: Floats) -> None:
        self._values, self._ordered, self._needs, self._levels = values, ordered, needs, levels
        self._ranges = {(-np.inf, np.inf): levels.tolist()}
        self._told = self._asked()

    def certain(self, least: float) -> bool:
        """Whether none of the values that were left out counts, though so many are before them."""
        (first,) = self._told
        some = float(first.above + sum(each.inside for each in first._answers))
        need = self._needs(np, np.array([least]), np.array([some]))
        return bool(need[0] >= self._levels[-1])

    def found(self) -> Counted:
        done: dict[float, tuple[int, float, float]] = {}
        for round_ in range(ROUNDS + 1):
            left: dict[tuple[float, float], list[float]] = {}
            for ((_, high), levels), told in zip(self._ranges.items(), self._told, strict=True):
                for level in levels:
                    if told.complete:
                        done[level] = told.counted(self._needs, level, high)
                    else:
                        ends = told.narrowed(self._needs, level, high)
                        left.setdefault(ends, []).append(level)
            if not left:
                break
            self._ranges = left
            self._told = self._asked(all_of_them=round_ == ROUNDS - 1)
        counts, sums, least = zip(*(done[level] for level in self._levels.tolist()), strict=True)
        return Counted(np.array(counts, np.int64), np.array(sums), np.array(least))

    def _asked(self, all_of_them: bool = False) -> list[_Range]:
        most = len(self._values) if all_of_them else max(TOLD // len(self._ranges), 8)
        node = Node("told", (self._ordered, tuple(self._ranges), most))
        assert self._values.layout is not None
        (answers,) = evaluated(self._values.cluster, [(self._values.layout, node)])
        each = zip(*answers, strict=True)
        return [_Range(low, told) for (low, _), told in zip(self._ranges, each, strict=True)]
