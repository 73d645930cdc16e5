"""Options of commands that measure: how much, where results are kept, and how they are shown."""

from pathlib import Path
from typing import Annotated

import typer

from likewise.cli.options import choices
from likewise.cli.printing.report import FORMATS

REPORT_FORMAT = choices.choice_of(FORMATS)

Seeds = Annotated[
    int, typer.Option(metavar="N", min=1, help="Number of random draws to average over.")
]
Jobs = Annotated[int, typer.Option(metavar="N", min=1, help="Number of processes.")]
Html = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write a page with plots to this file.")
]
Runs = Annotated[
    Path,
    typer.Option(
        metavar="DIR", help="The folder of results; an interrupted run continues from it."
    ),
]
Format = Annotated[
    str,
    REPORT_FORMAT.option("The output format."),
]
