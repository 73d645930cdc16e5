"""Whatever goes wrong in a command becomes one sentence on stderr and an exit status."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import typer
from typer.core import TyperGroup

from likewise.errors import LikewiseError, UsageError

FAILED = 1  # or part of the input was left out
WRONG_USAGE = 2
INTERRUPTED = 130  # as shells report a process that Ctrl-C ended


class Commands(TyperGroup):
    """Commands whose failures end here."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as interrupt:
            say(f"interrupted; {str(interrupt) or 'the index is as it was'}")
            raise typer.Exit(INTERRUPTED) from None
        except LikewiseError as error:
            say(str(error))
            raise typer.Exit(WRONG_USAGE if isinstance(error, UsageError) else FAILED) from error
        except OSError as error:
            say(f"{error.filename}: {why(error)}" if error.filename else why(error))
            raise typer.Exit(FAILED) from error
        except MemoryError as error:
            say("there is not enough memory for this")
            raise typer.Exit(FAILED) from error


def say(sentence: str) -> None:
    """A line on stderr that tells who speaks."""
    note(f"likewise: {sentence}")


def note(line: str) -> None:
    """A line on stderr; that nobody reads it is no failure."""
    with suppress(OSError):
        typer.echo(line, err=True)


def why(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
