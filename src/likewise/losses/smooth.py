"""A smooth loss at some scores: its value, gradient and curvature."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self, runtime_checkable

if TYPE_CHECKING:
    from likewise.corpus import Arrays, Floats, Ids, Vector


class Bend(NamedTuple):
    """A smooth loss at a point: ∂R/∂s, and a function that multiplies by ∂²R/∂s².

    If the loss is a sum over documents, ∂²R/∂s² is diagonal, and `curve` is its diagonal.
    """

    value: float
    slopes: Vector
    times: Callable[[Vector], Vector]
    curve: Vector | None = None


# Of k: the slope of R along a line, and a function that computes its curvature there.
Along = Callable[[float], tuple[float, Callable[[], float]]]


class Smooth(Protocol):
    def at(self, s: Vector) -> Bend: ...


def along(arrays: Arrays, loss: Smooth, s: Vector, d: Vector) -> Along:
    """A loss on the line s + k·d."""
    if isinstance(loss, _Straight):
        return loss.along(s, d)

    def at(k: float) -> tuple[float, Callable[[], float]]:
        bend = loss.at(s + k * d)
        return arrays.dot(bend.slopes, d), lambda: arrays.dot(d, bend.times(d))

    return at


@runtime_checkable
class _Straight(Protocol):
    """A loss that has a faster way along a line."""

    def along(self, s: Vector, d: Vector) -> Along: ...


def moved(own: Arrays, values: Vector, to: Arrays) -> Vector:
    """A vector where those of other arrays lie."""
    return values if to is own else to.vector(own.host(values))


@runtime_checkable
class Separable(Protocol):
    """A loss that is a sum over documents, each with a cost."""

    @property
    def costs(self) -> Vector: ...

    def among(self, arrays: Arrays, ids: Ids, factors: Floats) -> Self:
        """The loss of some documents, their costs times factors; its vectors are of `arrays`."""
