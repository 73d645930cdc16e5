"""A line of a table: what was measured, beside a peer and beside the number asked for."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from harness import Figure

if TYPE_CHECKING:
    from collections.abc import Iterable

COLUMNS = (
    "work",
    "unit",
    "likewise",
    "peak MB",
    "peer",
    "its figure",
    "ratio",
    "asked for",
    "reached",
)
NEEDS = "needs "  # before what a machine must have


def line(cells: Iterable[str]) -> str:
    """A line of Markdown's."""
    return f"| {' | '.join(cells)} |"


@dataclass(frozen=True)
class Goal:
    """A bound on the ratio to the peer, or on likewise's own figure."""

    of: Literal["ratio", "ours"]
    bound: Literal["at least", "at most"]
    value: float

    def reached(self, row: Row) -> bool:
        measured = row.ratio if self.of == "ratio" else row.ours.median
        if measured is None:
            raise ValueError(f"{row.work}: a ratio is asked for, but no peer was measured")
        return measured >= self.value if self.bound == "at least" else measured <= self.value

    def __str__(self) -> str:
        sign = {"at least": "≥", "at most": "≤"}[self.bound]
        return f"{sign} {self.value:g}{' ×' if self.of == 'ratio' else ''}"


def times(value: float) -> Goal:
    """So many times as good as the peer."""
    return Goal("ratio", "at least", value)


def at_most(value: float) -> Goal:
    return Goal("ours", "at most", value)


def at_least(value: float) -> Goal:
    return Goal("ours", "at least", value)


def needs_cores(cores: int, work: str, unit: str, goal: Goal, peer: str = "–") -> Row:
    """A row for what only a larger machine can show."""
    nothing = Figure(math.nan, math.nan)
    return Row(work, unit, nothing, peer, goal=goal, needs=f"{NEEDS}{cores} cores")


@dataclass(frozen=True)
class Row:
    """`more` says whether more is better; a ratio above 1 always means better than the peer."""

    work: str
    unit: str
    ours: Figure
    peer: str = "–"
    theirs: Figure | None = None
    goal: Goal | None = None
    more: bool = False
    needs: str = ""
    """What a machine must have for it to be measured, if this one has not."""

    @property
    def ratio(self) -> float | None:
        return None if self.theirs is None else self._ratio(self.ours.median, self.theirs.median)

    @property
    def best_ratio(self) -> float | None:
        return None if self.theirs is None else self._ratio(self.ours.best, self.theirs.best)

    def _ratio(self, ours: float, theirs: float) -> float:
        return ours / theirs if self.more else theirs / ours
