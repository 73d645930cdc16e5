"""The commands together, and what holds for all of them."""

from typing import Annotated

import typer

from likewise.cli import building, changing, looking, searching
from likewise.cli.failures import Commands

app = typer.Typer(
    cls=Commands,
    help="Search by example: show it documents, it finds the rest.",
    epilog="Help on a command: likewise COMMAND --help",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(building.index)
app.command()(building.add)
app.command()(changing.delete)
app.command()(changing.merge)
app.command()(looking.info)
app.command()(searching.search)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"likewise {version('likewise')}")
        raise typer.Exit


@app.callback()
def _program(
    version: Annotated[
        bool,
        typer.Option(
            "--version", is_eager=True, callback=_print_version, help="Print the version and stop."
        ),
    ] = False,
) -> None:
    """Search by example: show it documents, it finds the rest."""
