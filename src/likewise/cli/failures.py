"""Errors of a command: one sentence on stderr and an exit status."""

from __future__ import annotations

import warnings
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup

from likewise.cli.printing.paths import from_here
from likewise.errors import Drifted, LikewiseError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

FAILED = 1  # or part of the input was left out
WRONG_USAGE = 2
INTERRUPTED = 130  # as shells report a process that Ctrl-C ended


class Group(TyperGroup):
    """Turns errors of commands into messages and exit statuses."""

    def invoke(self, ctx: Any) -> Any:
        try:
            with _drift_in_a_sentence():
                return super().invoke(ctx)
        except KeyboardInterrupt as interrupt:
            say(f"interrupted; {str(interrupt) or 'the index is unchanged'}")
            raise typer.Exit(INTERRUPTED) from None
        except LikewiseError as error:
            say(str(error))
            raise typer.Exit(WRONG_USAGE if isinstance(error, UsageError) else FAILED) from error
        except OSError as error:
            say(f"{error.filename}: {why(error)}" if error.filename else why(error))
            raise typer.Exit(FAILED) from error
        except MemoryError as error:
            say("not enough memory")
            raise typer.Exit(FAILED) from error


@contextmanager
def _drift_in_a_sentence() -> Iterator[None]:
    """Print that an index drifted as other messages are, and once."""
    with warnings.catch_warnings():
        warnings.simplefilter("once", Drifted)
        usual = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *place: Any) -> None:
            if issubclass(category, Drifted):
                say(str(message))
            else:
                usual(message, category, *place)

        warnings.showwarning = show  # type: ignore[assignment]  # the same, in fewer words
        yield


def say(sentence: str) -> None:
    """A line on stderr that begins with the program's name."""
    note(f"likewise: {sentence}")


def note(line: str) -> None:
    """A line on stderr; a closed stderr is no error."""
    with suppress(OSError):
        typer.echo(from_here(line), err=True)


def why(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
