"""Names to choose from, read from the library's own tables.

A table is imported when its option is given, or when a command's help lists it; never at start-up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import typer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


class Choice:
    """One of several names, as typer's `parser`; `table` has what each name means, or ""."""

    def __init__(self, table: Callable[[], Mapping[str, str]]) -> None:
        self.table = table

    def __call__(self, name: str) -> str:
        known = self.table()
        if name not in known:
            raise typer.BadParameter(f"{name!r} is not one of {', '.join(known)}.")
        return name

    def option(self, help: str, *names: str) -> Any:
        """As an option of a command; without `names` it is called as its parameter is."""
        return typer.Option(
            *names, metavar="NAME", parser=self, autocompletion=self.complete, help=help
        )

    def complete(self, incomplete: str) -> list[str]:
        """For the Tab key of shells."""
        return [name for name in self.table() if name.startswith(incomplete)]


def choice_of(names: Iterable[str]) -> Choice:
    """For names that are at hand."""
    return Choice(lambda: _plain(names))


def _plain(names: Iterable[str]) -> dict[str, str]:
    return dict.fromkeys(names, "")


def _methods() -> dict[str, str]:
    from likewise.search.methods import ABOUT

    return ABOUT


def _feedback() -> dict[str, str]:
    from likewise.feedback.methods import ABOUT

    return ABOUT


def _selections() -> dict[str, str]:
    from likewise.feedback.methods import SELECTIONS

    return _plain(SELECTIONS)


def _weightings() -> dict[str, str]:
    from likewise.weighting import WEIGHTINGS

    return _plain(WEIGHTINGS)


def _scalings() -> dict[str, str]:
    from likewise.solvers.blocks import SCALINGS

    return _plain(SCALINGS)


def _engines() -> dict[str, str]:
    from likewise.engines import ENGINES

    return _plain(ENGINES)


def _input_formats() -> dict[str, str]:
    from likewise.readers.formats import FORMATS

    return _plain(FORMATS)


def _judgement_formats() -> dict[str, str]:
    from likewise.reviews.exports import NAMES

    return _plain(NAMES)


def _which() -> dict[str, str]:
    from likewise.reviews.exports import Which

    return _plain(get_args(Which))


def _on_duplicate() -> dict[str, str]:
    from likewise.store.known import OnDuplicate

    return _plain(get_args(OnDuplicate))


def _stages() -> dict[str, str]:
    from likewise.reviews.ledger import STAGES

    return _plain(STAGES)


def _combine() -> dict[str, str]:
    from likewise.reviews.agreement import Combine

    return _plain(get_args(Combine))


def _starts() -> dict[str, str]:
    from likewise.evaluation.simulation import STARTS

    return _plain(STARTS)


METHOD = Choice(_methods)
FEEDBACK = Choice(_feedback)
SELECTION = Choice(_selections)
WEIGHTING = Choice(_weightings)
SCALING = Choice(_scalings)
ENGINE = Choice(_engines)
INPUT_FORMAT = Choice(_input_formats)
JUDGEMENT_FORMAT = Choice(_judgement_formats)
WHICH = Choice(_which)
ON_DUPLICATE = Choice(_on_duplicate)
COMBINE = Choice(_combine)
STAGE = Choice(_stages)
START = Choice(_starts)
