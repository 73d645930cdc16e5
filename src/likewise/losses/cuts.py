"""What a loss tells a solver: the cut that attains it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from likewise.corpus import Arrays, Places, Vector

Members = Any
"""A mask of the documents that count, or a vector of their shares from 0 to 1."""


class Cut(NamedTuple):
    """The linear function that is R at some point: value = offset + Σ reach[members].

    A mixture of cuts is below R as well; its members count by shares from 0 to 1.
    """

    value: float
    offset: float
    members: Members


class Loss(Protocol):
    @property
    def steps(self) -> Vector:
        """∂R/∂s of each document while it counts."""

    def cut(self, reach: Vector) -> Cut:
        """The cut that attains R, given steps·s."""

    def between(self, one: Vector, other: Vector) -> tuple[Places, Loss]:
        """Who may count anywhere between two points, and the same loss of these alone."""


@dataclass(frozen=True)
class Both:
    """The sum of two losses of different documents."""

    arrays: Arrays
    first: Loss
    second: Loss

    @cached_property
    def steps(self) -> Vector:
        return self.first.steps + self.second.steps

    def cut(self, reach: Vector) -> Cut:
        xp = self.arrays.xp
        one, other = (
            loss.cut(xp.where(loss.steps != 0.0, reach, xp.zeros_like(reach)))
            for loss in (self.first, self.second)
        )
        members = xp.maximum(*(xp.astype(cut.members, xp.float64) for cut in (one, other)))
        return Cut(one.value + other.value, one.offset + other.offset, members)

    def between(self, one: Vector, other: Vector) -> tuple[Places, Loss]:
        return slice(None), self
