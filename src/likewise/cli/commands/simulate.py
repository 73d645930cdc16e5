"""`likewise simulate`: replays the screening of labelled records."""

from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from likewise.cli.options import choices, common
from likewise.cli.printing.simulation import FORMATS, print_runs
from likewise.cli.progress import Bar
from likewise.errors import UsageError

if TYPE_CHECKING:
    from likewise.cli.printing.simulation import Labelled
    from likewise.evaluation.simulation import StartFrom as Start
else:
    Start = str

EXAMPLES = (
    "records.csv --seeds 5",
    "records.jsonl --method auto --method rocchio --plot recall.png",
    "records.csv --start-from query --query 'robot arm' --page-size 10 --format json",
)

RUN_FORMAT = choices.choice_of(FORMATS)

Files = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE",
        help="Labelled records: JSON lines, CSV or TSV, one collection a file.",
        show_default=False,
    ),
]
Methods = Annotated[
    list[str] | None,
    choices.FEEDBACK.option(
        "A feedback method; may be given several times; auto by default.", "--method"
    ),
]
Seeds = Annotated[
    int, typer.Option(metavar="N", min=1, help="Number of runs, each from other documents.")
]
StartFrom = Annotated[
    Start,
    choices.START.option("Begin with examples, with words, or with non-relevant documents only."),
]
Priors = Annotated[
    str,
    typer.Option(
        metavar="R,N", help="Number of relevant and non-relevant documents to begin with."
    ),
]
Prior = Annotated[
    list[str] | None,
    typer.Option(metavar="ID", help="A document to begin with, in place of random ones."),
]
Query = Annotated[str | None, typer.Option(metavar="WORDS", help="The words to begin with.")]
PageSize = Annotated[
    int, typer.Option(metavar="N", min=1, help="Number of documents judged before learning again.")
]
Most = Annotated[
    int | None,
    typer.Option(
        metavar="N", min=1, help="Stop after N documents; by default with the last relevant one."
    ),
]
Label = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="The column (or JSON key) of the label, 1 or 0."),
]
Format = Annotated[
    str,
    RUN_FORMAT.option(
        "table has means over seeds, csv and json every run, json also the order shown."
    ),
]
Plot = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Plot recall against effort to a .png, .svg or .pdf file."),
]
Bigrams = Annotated[
    bool,
    typer.Option("--bigrams/--no-bigrams", help="Use pairs of adjacent words as terms, or not."),
]


def simulate(
    files: Files,
    method: Methods = None,
    selection: common.Selection = None,
    seeds: Seeds = 1,
    start_from: StartFrom = "examples",
    priors: Priors = "1,1",
    prior: Prior = None,
    query: Query = None,
    page_size: PageSize = 1,
    most: Most = None,
    label: Label = None,
    text_column: common.TextColumn = None,
    on_duplicate: common.OnDuplicate = "error",
    format: Format = "table",
    plot: Plot = None,
    weighting: common.FeedbackWeighting = None,
    language: common.Language = "english",
    stop_words: common.StopWords = False,
    bigrams: Bigrams = False,
    threads: common.Threads = None,
) -> None:
    """Measure the screening of labelled records by replaying it.

    Documents are shown as the method ranks them and judged by their labels, until the last
    relevant one is found. Each seed draws other documents to begin with.
    """
    from likewise.evaluation.report.recall import check_plot
    from likewise.evaluation.report.recall import plot as draw
    from likewise.evaluation.simulation import Setting, read, replay

    settings = [
        Setting(
            method=name,
            selection=selection,
            start_from=start_from,
            priors=_counts(priors),
            prior_ids=tuple(prior or ()),
            query=query,
            page_size=page_size,
            most=most,
            weighting=weighting,
        )
        for name in method or ["auto"]
    ]
    if plot is not None:
        check_plot(plot)
    text = {"language": language, "stop_words": stop_words, "bigrams": bigrams, "threads": threads}
    runs: list[Labelled] = []
    with Bar("simulating") as bar:
        for file in files:
            with read(
                file, label, text_column=text_column, on_duplicate=on_duplicate, **text
            ) as labelled:
                each = product(settings, range(seeds))
                runs += [(replay(labelled, s, seed, bar), labelled.ids) for s, seed in each]
    print_runs(runs, format)
    if plot is not None:
        draw([run for run, _ in runs], plot)


def _counts(priors: str) -> tuple[int, int]:
    try:
        relevant, others = map(int, priors.split(","))
    except ValueError:
        raise UsageError(f"--priors {priors}: give two numbers, such as 1,1") from None
    return relevant, others
