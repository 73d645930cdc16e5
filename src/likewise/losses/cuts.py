"""A cut of a loss: the linear function that attains it at a point."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from likewise.corpus import Arrays, Places, Vector

Members = Any
"""A mask of the members, or a vector of their shares from 0 to 1."""


class Cut(NamedTuple):
    """The linear function that equals R at some point: value = offset + Σ reach[members].

    A mixture of cuts is a lower bound on R, too; its members have shares from 0 to 1. Value and
    offset are numbers, or what becomes one by float() when somebody looks (Arrays.number).
    """

    value: Any
    offset: Any
    members: Members


class Loss(Protocol):
    @property
    def steps(self) -> Vector:
        """∂R/∂s of each document while it is a member."""

    def cut(self, reach: Vector) -> Cut:
        """The cut that attains R, given steps·s."""

    def between(self, one: Vector, other: Vector) -> tuple[Places, Loss]:
        """The documents that can be members between two points, and the loss of these alone."""


@dataclass(frozen=True)
class Both:
    """The sum of two losses over different documents."""

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
