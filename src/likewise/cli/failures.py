"""Errors of a command: one sentence on stderr and an exit status."""

from __future__ import annotations

import os
import sys
import warnings
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup

from likewise.cli.printing import colours
from likewise.cli.printing.paths import from_here
from likewise.cli.printing.text import why
from likewise.errors import Drifted, LikewiseError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

FAILED = 1  # or part of the input was left out
WRONG_USAGE = 2
FAULT = 70  # of likewise itself, as sysexits.h has it
TYPES = {  # names that typer has for types, the longer first
    "int range": "a whole number",
    "integer range": "a whole number",
    "integer": "a whole number",
    "float range": "a number",
    "float": "a number",
}
INTERRUPTED = 130  # as shells report a process that Ctrl-C ended
# What typer raises for unknown options and bad values; it has no public name of its own.
_Misused: Any = typer.BadParameter.__base__


class Group(TyperGroup):
    """Turns errors of commands into messages and exit statuses."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Wrong usage, too, is said in one line; so is a fault, but for those who look for it."""
        given = (args, prog_name, complete_var, False, windows_expand_args)
        if not standalone_mode:
            return super().main(*given, **extra)
        try:
            status = super().main(*given, **extra)
        except _Misused as error:
            fail(_misuse(error))
            sys.exit(WRONG_USAGE)
        except Exception as error:
            if os.environ.get("LIKEWISE_DEBUG"):
                raise
            fail(f"a fault in likewise: {_fault(error)}; LIKEWISE_DEBUG=1 shows where")
            sys.exit(FAULT)
        sys.exit(status or 0)

    def invoke(self, ctx: Any) -> Any:
        try:
            with _drift_in_a_sentence():
                return super().invoke(ctx)
        except KeyboardInterrupt as interrupt:
            fail(f"interrupted; {str(interrupt) or 'the index is unchanged'}")
            raise typer.Exit(INTERRUPTED) from None
        except LikewiseError as error:
            fail(str(error))
            raise typer.Exit(WRONG_USAGE if isinstance(error, UsageError) else FAILED) from error
        except OSError as error:
            fail(f"{error.filename}: {why(error)}" if error.filename else why(error))
            raise typer.Exit(FAILED) from error
        except MemoryError as error:
            fail("not enough memory")
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


def _misuse(error: Any) -> str:
    """typer's words as a sentence of ours, and where the options are listed."""
    said = " ".join(error.format_message().split()).removesuffix(".")
    for theirs, ours in TYPES.items():
        said = said.replace(f"is not a valid {theirs}", f"is not {ours}")
    where = error.ctx.command_path if error.ctx is not None else "likewise"
    return f"{said[:1].lower()}{said[1:]}: see {where} --help"


def _fault(error: Exception) -> str:
    said = " ".join(str(error).split())
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def fail(sentence: str) -> None:
    """The line that says why a command failed."""
    say(sentence, colours.RED)


def say(sentence: str, *colour: str) -> None:
    """A line on stderr that begins with the program's name."""
    name = "likewise:"
    if colours.wanted(sys.stderr):
        name = colours.coloured(name, colours.BOLD, *colour)
    note(f"{name} {sentence}")


def note(line: str) -> None:
    """A line on stderr; a closed stderr is no error."""
    with suppress(OSError):
        typer.echo(from_here(line), err=True)
