"""What a loss tells a solver: the cut that attains it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from likewise.corpus import Mask

Floats = NDArray[np.float64]
Places = NDArray[np.intp] | slice


class Cut(NamedTuple):
    """The linear function that is R at some point: value = offset + Σ reach[members].

    A mixture of cuts is below R as well; its members count by shares from 0 to 1.
    """

    value: float
    offset: float
    members: Mask | Floats


class Loss(Protocol):
    @property
    def steps(self) -> Floats:
        """∂R/∂s of each document while it counts."""

    def cut(self, reach: Floats) -> Cut:
        """The cut that attains R, given steps·s."""

    def between(self, one: Floats, other: Floats) -> tuple[Places, Loss]:
        """Who may count anywhere between two points, and the same loss of these alone."""


@dataclass(frozen=True)
class Both:
    """The sum of two losses of different documents."""

    first: Loss
    second: Loss

    @cached_property
    def steps(self) -> Floats:
        return self.first.steps + self.second.steps

    def cut(self, reach: Floats) -> Cut:
        one = self.first.cut(np.where(self.first.steps != 0.0, reach, 0.0))
        other = self.second.cut(np.where(self.second.steps != 0.0, reach, 0.0))
        members = np.maximum(one.members, other.members)
        return Cut(one.value + other.value, one.offset + other.offset, members)

    def between(self, one: Floats, other: Floats) -> tuple[Places, Loss]:
        return slice(None), self
