"""What a piece says of the order of its values: steps of an expression."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Numbers = NDArray[np.int64]


class Told(NamedTuple):
    """Of a piece and a range: how many values are above it, their sum, how many equal its lower
    end, how many are inside, and some of these, ascending, with the numbers above and at each.
    """

    above: int
    total: float
    equal: int
    inside: int
    values: Floats
    greater: Numbers
    reached: Numbers


def ordered(values: Floats, least: float) -> Floats:
    """Those above a number, ascending."""
    return np.sort(values[values > least]).astype(np.float64, copy=False)


def told(values: Floats, ranges: Sequence[tuple[float, float]], most: int) -> list[Told]:
    """Of each range, whose ends are not inside, at most so many values."""
    return [_told(values, low, high, most) for low, high in ranges]


def _told(values: Floats, low: float, high: float, most: int) -> Told:
    first, after = (int(np.searchsorted(values, low, side)) for side in ("left", "right"))
    end = max(int(np.searchsorted(values, high)), after)
    inside = values[after:end]
    count = len(inside)
    if count > most:
        some = np.unique(inside[np.linspace(0, count - 1, most).astype(np.int64)])
    else:
        some = np.unique(inside)
    return Told(
        above=len(values) - end,
        total=float(values[end:].sum()),
        equal=after - first,
        inside=count,
        values=some,
        greater=count - np.searchsorted(inside, some, "right"),
        reached=count - np.searchsorted(inside, some),
    )
