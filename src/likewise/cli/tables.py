"""`likewise tables`: measures, and prints the papers' tables and our own."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from likewise.cli import output
from likewise.cli.failures import INTERRUPTED, note, say
from likewise.cli.progress import Bar
from likewise.errors import UsageError

if TYPE_CHECKING:
    from likewise.evaluation.report.report import Report

Names = Annotated[
    list[str] | None,
    typer.Argument(metavar="[NAME]", help="Which tables to make; all by default."),
]
Data = Annotated[Path, typer.Option(metavar="DIR", help="The folder that holds the data sets.")]
Seeds = Annotated[
    int, typer.Option(metavar="N", min=1, help="How many random draws to average over.")
]
Jobs = Annotated[int, typer.Option(metavar="N", min=1, help="How many processes to use.")]
Only = Annotated[
    list[str] | None,
    typer.Option(metavar="FIELD=VALUES", help="Measure only some, as in size=5,20."),
]
Html = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Where to write a page with plots.")
]
Runs = Annotated[
    Path, typer.Option(metavar="DIR", help="Where results are kept, to continue from.")
]
Format = Annotated[Literal["markdown", "json"], typer.Option(help="How to print the tables.")]
List = Annotated[bool, typer.Option("--list", help="List the tables that are installed, and stop.")]


def tables(
    names: Names = None,
    data: Data = Path("data"),
    seeds: Seeds = 1,
    jobs: Jobs = 1,
    only: Only = None,
    html: Html = None,
    runs: Runs = Path("runs"),
    format: Format = "markdown",
    list_: List = False,
) -> None:
    """Make the tables of the papers, and tables of our own, beside what was printed.

    What has been measured is kept, so that an interrupted run continues where it stopped.
    """
    from likewise.evaluation import studies

    chosen = names or list(studies.modules())
    if list_:
        output.put("".join(f"{name}: {studies.about(name)}\n" for name in chosen))
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
            say(f"interrupted; what was measured is in {runs}, and the same command continues")
            raise typer.Exit(INTERRUPTED) from None
    put_report(report, format, html)


def check_page(html: Path | None) -> None:
    """Say before the work that a page could not be written after it."""
    if html is None:
        return
    from likewise.evaluation.report.plot import require_matplotlib

    require_matplotlib()
    if not html.parent.is_dir():
        raise UsageError(f"--html {html}: there is no folder {html.parent}")


def put_report(report: "Report", format: str, html: Path | None) -> None:
    if html is not None:
        from likewise.evaluation.report.page import page

        html.write_text(page(report), encoding="utf-8")
    if format == "json":
        from likewise.evaluation.report.json import as_object

        output.put(output.as_json(as_object(report)), "utf-8")
    else:
        from likewise.evaluation.report.markdown import markdown

        output.put(markdown(report), "utf-8")


def _fields(only: list[str]) -> dict[str, list[str]]:
    fields: dict[str, list[str]] = {}
    for given in only:
        name, equals, values = given.partition("=")
        if not (name and equals and values):
            raise UsageError(f"--only {given}: say FIELD=VALUES, as in size=5,20")
        fields.setdefault(name, []).extend(values.split(","))
    return fields
