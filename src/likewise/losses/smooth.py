"""What a smooth loss tells a solver: its value, its slopes and its curvature at some scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from likewise.losses.cuts import Floats


class Bend(NamedTuple):
    """A smooth loss at a point: ∂R/∂s, and a function that multiplies by ∂²R/∂s²."""

    value: float
    slopes: Floats
    times: Callable[[Floats], Floats]


class Smooth(Protocol):
    def at(self, s: Floats) -> Bend: ...
