"""Studies by name: what a study is, and where it is found.

`sample` is part of likewise. Other studies are installed separately; each registers a module by an
entry point of the group `likewise.studies`. The package likewise-studies has those of the papers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, Protocol, cast

from likewise.errors import LikewiseError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from likewise.evaluation.report.values import Section
    from likewise.evaluation.runs import Result

Job = dict[str, Any]
Numbers = dict[str, Any]  # numbers and lists of numbers
Progress = Callable[[int, int], None]
# One version for all jobs of a study, or one per method; "*" is for all other methods.
Version = int | str | Mapping[str, int | str]

GROUP = "likewise.studies"
BUILT_IN = {"sample": "likewise.evaluation.sample"}
NOT_INSTALLED = (
    "the papers' tables are in likewise-studies, which is not installed: "
    "pip install ./studies in the source of likewise"
)


class MissingError(LikewiseError):
    """Data or a package that a job needs is missing; the message is shown in its row."""


class CannotError(MissingError):
    """A method cannot do this job at all."""


class Study(Protocol):
    """The module of a study; the first line of its `__doc__` says what it shows.

    Raise VERSION when a change of code changes results: earlier runs are then measured again.
    """

    __doc__: str | None
    VERSION: Version

    def jobs(self, seeds: int) -> list[Job]:
        """The jobs to measure; `data` in a job names the folder of data that it needs."""

    def run(self, job: Job, data: Path) -> Numbers:
        """Measure one job; raises MissingError if something is not installed."""

    def sections(self, results: Sequence[Result]) -> list[Section]:
        """Tables of the results."""


def modules() -> dict[str, str]:
    """The module of each study that is installed, by the study's name."""
    return BUILT_IN | {point.name: point.value for point in entry_points(group=GROUP)}


def are_installed() -> bool:
    """Whether any studies are installed beside likewise's own."""
    return bool(entry_points(group=GROUP))


def module_of(name: str) -> str:
    found = modules()
    if name not in found:
        missing = "" if are_installed() else f"; {NOT_INSTALLED}"
        raise UsageError(f"no table {name!r}: choose {', '.join(found)}{missing}")
    return found[name]


def study(name: str) -> Study:
    return load(module_of(name))


def load(module: str) -> Study:
    return cast("Study", import_module(module))


def about(name: str) -> str:
    """A study's first line."""
    return (study(name).__doc__ or "").partition("\n")[0]
