"""A smooth loss at some scores: its value, gradient and curvature."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from likewise.corpus import Vector


class Bend(NamedTuple):
    """A smooth loss at a point: ∂R/∂s, and a function that multiplies by ∂²R/∂s².

    If the loss is a sum over documents, ∂²R/∂s² is diagonal, and `curve` is its diagonal.
    """

    value: float
    slopes: Vector
    times: Callable[[Vector], Vector]
    curve: Vector | None = None


class Smooth(Protocol):
    def at(self, s: Vector) -> Bend: ...
