"""The values in a report: tables of cells, and plots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


class Compared(NamedTuple):
    """A number beside the one that a paper printed; either may be missing."""

    paper: float | None
    ours: float | None
    digits: int = 3

    @property
    def difference(self) -> float | None:
        if self.paper is None or self.ours is None:
            return None
        return self.ours - self.paper


class Number(NamedTuple):
    """A number and how many digits to show after the point."""

    value: float | None
    digits: int = 3


Cell = str | int | float | None | Number | Compared
Row = dict[str, Cell]


class Series(NamedTuple):
    """One line of a plot; a missing value leaves a gap."""

    label: str
    values: Sequence[float | None]


@dataclass(frozen=True)
class Plot:
    """Lines over x, or groups of bars; `log` spaces x by its logarithm.

    Without `from_zero`, the axis of a line begins where its values do.
    """

    title: str
    x: Sequence[float | str]
    series: Sequence[Series]
    kind: str = "lines"
    y_label: str = ""
    x_label: str = ""
    log: bool = False
    from_zero: bool = True


@dataclass(frozen=True)
class Section:
    """A table with its title, notes below it and plots."""

    title: str
    rows: Sequence[Row]
    notes: Sequence[str] = ()
    plots: Sequence[Plot] = ()
