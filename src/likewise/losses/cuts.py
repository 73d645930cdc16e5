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


class Cut(NamedTuple):
    """The linear function that is R at some s: value = offset + Σ steps[members]·s[members]."""

    value: float
    offset: float
    members: Mask


class Loss(Protocol):
    @property
    def steps(self) -> Floats:
        """∂R/∂s of each document while it counts."""

    def cut(self, s: Floats) -> Cut:
        """The cut that attains R(s)."""


@dataclass(frozen=True)
class Both:
    """The sum of two losses of different documents."""

    first: Loss
    second: Loss

    @cached_property
    def steps(self) -> Floats:
        return self.first.steps + self.second.steps

    def cut(self, s: Floats) -> Cut:
        one, other = self.first.cut(s), self.second.cut(s)
        members = one.members | other.members
        return Cut(one.value + other.value, one.offset + other.offset, members)
