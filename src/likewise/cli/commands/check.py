"""`likewise check`: looks for damage, and saves what can be saved."""

from pathlib import Path
from typing import Annotated

import typer

from likewise.cli.failures import FAILED
from likewise.cli.options import common
from likewise.cli.printing.damage import print_report, print_rescued
from likewise.cli.progress import Bar

EXAMPLES = ("papers.idx", "papers.idx --json", "papers.idx --save saved.idx")

Save = Annotated[
    Path | None,
    typer.Option(
        metavar="NEWDIR", help="Make a new index of all that can be read; DIR stays as it is."
    ),
]


def check(
    directory: common.Directory,
    save: Save = None,
    json: common.Json = False,
    threads: common.Threads = None,
) -> None:
    """Look for damage in the files of an index.

    Checks every byte and what the numbers say, and prints a line for each damaged part: which
    documents cannot be read, what must be made anew. The exit status is 1 if anything is damaged.
    With --save, whatever can be read goes into a new index, with the judgements beside it.
    """
    if save is None:
        from likewise.store.checking import check as checked

        with Bar("checking"):
            report = checked(directory)
        print_report(report, json=json)
    else:
        from likewise.reviews.rescue import rescue

        with Bar("saving"):
            rescued = rescue(directory, save, threads=threads)
        report = rescued.saved.report
        print_rescued(rescued, save, json=json)
    if not report.sound:
        raise typer.Exit(FAILED)
