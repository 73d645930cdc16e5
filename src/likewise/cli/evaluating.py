"""`likewise evaluate`: how good methods are on a collection of one's own."""

from pathlib import Path
from typing import Annotated

import typer

from likewise.cli.failures import INTERRUPTED, note, say
from likewise.cli.progress import Bar
from likewise.cli.tables import Format, Html, Jobs, Runs, Seeds, check_page, put_report

Collection = Annotated[
    Path,
    typer.Argument(metavar="DIR", help="A folder of documents, or an index.", show_default=False),
]
Topics = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Topics; queries.* or topics.* in DIR by default."),
]
Qrels = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="What is relevant to them; qrels.* in DIR by default."),
]
Labels = Annotated[
    str | None,
    typer.Option(metavar="FIELD", help="A field of documents whose values are the topics."),
]
Methods = Annotated[
    str | None, typer.Option(metavar="NAMES", help="Methods to compare, commas between them.")
]
RunFiles = Annotated[
    list[Path] | None,
    typer.Option("--run", metavar="FILE", help="A TREC run of another program, as a row."),
]
Examples = Annotated[
    int, typer.Option(metavar="N", min=1, help="How many examples each topic has.")
]
Measures = Annotated[
    str | None, typer.Option(metavar="NAMES", help="Measures, commas between them.")
]
WriteRuns = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Where to write TREC runs and judgements.")
]


def evaluate(
    collection: Collection,
    topics: Topics = None,
    qrels: Qrels = None,
    labels: Labels = None,
    methods: Methods = None,
    run: RunFiles = None,
    examples: Examples = 5,
    seeds: Seeds = 1,
    measures: Measures = None,
    jobs: Jobs = 1,
    write_runs: WriteRuns = None,
    html: Html = None,
    runs: Runs = Path("runs"),
    format: Format = "markdown",
) -> None:
    """Tell how good methods are on a collection of your own, with topics and judgements.

    Of each topic some relevant documents are examples, and the others are to be found.
    """
    from likewise.evaluation import comparison, judged, measure_names
    from likewise.evaluation.evaluate import DEFAULT_MEASURES, Plan

    check_page(html)
    plan = Plan(
        collection,
        judged.find(collection, topics, qrels, labels),
        tuple(methods.split(",")) if methods else (),
        tuple(run or ()),
        examples,
        seeds,
        measure_names.split(measures) if measures else DEFAULT_MEASURES,
    ).checked()
    if write_runs:
        comparison.prepare(plan, write_runs)
    with Bar("evaluating") as bar:
        try:
            report = comparison.evaluate(plan, runs, jobs, bar)
            written = comparison.write(plan, write_runs) if write_runs else []
        except KeyboardInterrupt:
            say(f"interrupted; what was measured is in {runs}, and the same command continues")
            raise typer.Exit(INTERRUPTED) from None
    for path in written:
        note(f"{path} written")
    put_report(report, format, html)
