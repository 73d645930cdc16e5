"""What studies, runs and reports are made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import msgspec

from likewise.errors import LikewiseError

if TYPE_CHECKING:
    from pathlib import Path

Job = dict[str, Any]
Numbers = dict[str, Any]  # numbers and lists of numbers
Progress = Callable[[int, int], None]
# One for all jobs of a study, or one for each method, where "*" stands for those not named.
Version = int | str | Mapping[str, int | str]


class MissingError(LikewiseError):
    """What a job needs is not here, data or a package; the sentence goes into its row."""


class CannotError(MissingError):
    """A contender cannot do this job, now or later."""


class Result(msgspec.Struct, frozen=True):
    """What a job gave, and where that can be seen again; `missing` says why there is nothing.

    Job, version and data say which run it is; commit and date only when it was measured.
    """

    job: Job
    numbers: Numbers = {}
    missing: str | None = None
    lasting: bool = True  # what is missing will not be here next time either
    version: str = ""  # the one that the study declared
    data: str = ""  # a checksum of what was read
    commit: str = ""
    date: str = ""
    seconds: float = 0.0


class Study(Protocol):
    """What a module of tables offers; `__doc__` begins with a line that says what it shows.

    VERSION is raised when a change of code changes results: earlier runs are then measured again.
    """

    __doc__: str | None
    VERSION: Version

    def jobs(self, seeds: int) -> list[Job]:
        """What is to be measured. `data` in a job names the folder of data that it needs."""

    def run(self, job: Job, data: Path) -> Numbers:
        """Measure one of them; raises MissingError where something is not installed."""

    def sections(self, results: Sequence[Result]) -> list[Section]:
        """Tables of what was measured."""


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
    """A number and how many digits of it mean something."""

    value: float | None
    digits: int = 3


Cell = str | int | float | None | Number | Compared
Row = dict[str, Cell]


class Series(NamedTuple):
    """One line of a plot; a value that is missing leaves a gap."""

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
