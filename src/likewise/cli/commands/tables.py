"""`likewise tables`: measures, and prints the tables of the papers and our own."""

from pathlib import Path
from typing import Annotated

import typer

from likewise.cli.failures import INTERRUPTED, note, say
from likewise.cli.options import reports
from likewise.cli.printing import stdout
from likewise.cli.printing.report import check_page, print_report
from likewise.cli.progress import Bar
from likewise.errors import UsageError

EXAMPLES = (
    "--list",
    "arxiv --data data --html report.html",
    "arxiv --only method=auto,ba --only size=5,20 --jobs 2",
)

Names = Annotated[
    list[str] | None,
    typer.Argument(metavar="[NAME]", help="The tables to make; all by default."),
]
Data = Annotated[Path, typer.Option(metavar="DIR", help="The folder of the data sets.")]
Only = Annotated[
    list[str] | None,
    typer.Option(metavar="FIELD=VALUES", help="Measure only these, as in size=5,20."),
]
List = Annotated[bool, typer.Option("--list", help="List the installed tables, and stop.")]


def tables(
    names: Names = None,
    data: Data = Path("data"),
    seeds: reports.Seeds = 1,
    jobs: reports.Jobs = 1,
    only: Only = None,
    html: reports.Html = None,
    runs: reports.Runs = Path("runs"),
    format: reports.Format = "markdown",
    list_: List = False,
) -> None:
    """Make the tables of the papers, and our own.

    The numbers printed in a paper stand beside ours. Results are kept: an interrupted run continues
    where it stopped.
    """
    from likewise.evaluation import studies

    chosen = names or list(studies.modules())
    if list_:
        stdout.put("".join(f"{name}: {studies.about(name)}\n" for name in chosen))
        if not studies.are_installed():
            note(studies.NOT_INSTALLED)
        return
    from likewise.evaluation.report.report import make
    from likewise.evaluation.runs import Setting

    check_page(html)
    setting = Setting(data, runs, seeds, jobs, _fields(only or []))
    with Bar("measuring") as bar:
        try:
            report = make(chosen, setting, bar.named)
        except KeyboardInterrupt:
            say(f"interrupted; results so far are in {runs}: run the same command to continue")
            raise typer.Exit(INTERRUPTED) from None
    print_report(report, format, html)


def _fields(only: list[str]) -> dict[str, list[str]]:
    fields: dict[str, list[str]] = {}
    for given in only:
        name, equals, values = given.partition("=")
        if not (name and equals and values):
            raise UsageError(f"--only {given}: write it as FIELD=VALUES, as in size=5,20")
        fields.setdefault(name, []).extend(values.split(","))
    return fields
