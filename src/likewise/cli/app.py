"""The program: its commands, each imported when it is used."""

import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer

from likewise import __version__
from likewise.cli.failures import WRONG_USAGE, Group
from likewise.cli.help import Command, choices_of

NAMES = (
    "index", "add", "delete", "merge", "reindex", "upgrade", "check", "latent", "embed",
    "views", "info", "projects", "roots", "duplicates", "formats", "backup", "restore",
    "show", "fields", "watch", "search", "explain", "export-query", "review", "attach",
    "judgements", "sessions", "judged", "team", "report", "replay", "searches",
    "serve", "mcp", "zotero", "tokens", "tables", "simulate", "evaluate",
)  # fmt: skip


class Commands(Mapping[str, Any]):
    """The commands by name; a module that is not needed costs no time at start-up."""

    def __getitem__(self, name: str) -> Any:
        if name not in NAMES:
            raise KeyError(name)
        return _load(name)

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def __len__(self) -> int:
        return len(NAMES)


class Program(Group):
    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = Commands()  # type: ignore[assignment]  # nothing is added to it


@cache
def _load(name: str) -> Any:
    own = name.replace("-", "_")
    module = import_module(f"likewise.cli.commands.{own}")
    examples = "\n".join(f"  likewise {name} {example}" for example in module.EXAMPLES)
    # A Typer with one command is that command.
    program = typer.Typer(
        add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False
    )
    program.command(name, cls=Command, epilog=f"\b\nExamples:\n{examples}")(getattr(module, own))
    command: Any = typer.main.get_command(program)
    command.choices = choices_of(getattr(module, own))
    if getattr(module, "BY_ENVIRONMENT", False):
        for option in command.params:
            if option.param_type_name == "option":
                option.envvar = f"LIKEWISE_{option.name.upper()}"
    return command


app = typer.Typer(
    cls=Program,
    epilog="likewise COMMAND --help describes a command.",
    invoke_without_command=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"likewise {__version__}")
        raise typer.Exit


@app.callback()
def _likewise(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", is_eager=True, callback=_print_version, help="Print the version and stop."
        ),
    ] = False,
) -> None:
    """Search by example: give documents, and find more like them.

    Without a command, in a terminal, the page is opened in a browser.
    """
    if context.invoked_subcommand is None:
        _start(context)


def _start(context: typer.Context) -> None:
    """The page, where somebody is there to see it; otherwise the help."""
    from likewise.cli.commands.serve import missing_packages, start

    if missing_packages() or not (sys.stdin.isatty() and sys.stdout.isatty()):
        typer.echo(context.get_help(), err=True)
        raise typer.Exit(WRONG_USAGE)
    start()
