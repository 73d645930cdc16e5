"""The first whole number from which something holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def first(holds: Callable[[int], bool], low: int, high: int) -> int:
    """The first number for which it holds, if it does so from there on; else the last."""
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low
