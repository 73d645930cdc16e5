"""`likewise evaluate`: measures methods on a collection of one's own."""

from pathlib import Path
from typing import Annotated

import typer

from likewise.cli.failures import INTERRUPTED, note, say
from likewise.cli.options import reports
from likewise.cli.printing.report import check_page, print_report
from likewise.cli.progress import Bar

EXAMPLES = (
    "collection/ --topics queries.jsonl --qrels qrels.tsv --methods words,auto,rocchio",
    "papers.idx --labels cats --examples 10 --measures AP,P@10,WSS@95",
    "collection/ --run other.run --write-runs runs/ --html report.html",
)

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
    typer.Option(metavar="FILE", help="Relevance judgements; qrels.* in DIR by default."),
]
Labels = Annotated[
    str | None,
    typer.Option(metavar="FIELD", help="Take the values of this field as topics."),
]
Methods = Annotated[
    str | None,
    typer.Option(
        metavar="NAMES",
        help="Methods to compare, separated by commas: words, or methods of search.",
    ),
]
RunFiles = Annotated[
    list[Path] | None,
    typer.Option("--run", metavar="FILE", help="Compare with a TREC run of another program."),
]
Examples = Annotated[
    int, typer.Option(metavar="N", min=1, help="Number of examples for each topic.")
]
Measures = Annotated[
    str | None, typer.Option(metavar="NAMES", help="Measures, separated by commas.")
]
WriteRuns = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Write TREC runs and judgements to this folder.")
]


def evaluate(
    collection: Collection,
    topics: Topics = None,
    qrels: Qrels = None,
    labels: Labels = None,
    methods: Methods = None,
    run: RunFiles = None,
    examples: Examples = 5,
    seeds: reports.Seeds = 1,
    measures: Measures = None,
    jobs: reports.Jobs = 1,
    write_runs: WriteRuns = None,
    html: reports.Html = None,
    runs: reports.Runs = Path("runs"),
    format: reports.Format = "markdown",
) -> None:
    """Measure methods on a collection of your own.

    It needs topics and relevance judgements. For each topic, some relevant documents are given as
    examples, and the others must be found.
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
            say(f"interrupted; results so far are in {runs}: run the same command to continue")
            raise typer.Exit(INTERRUPTED) from None
    for path in written:
        note(f"{path} written")
    print_report(report, format, html)
