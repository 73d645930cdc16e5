"""`likewise simulate`: how soon a method would have found what is known to be relevant."""

from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from likewise.cli import options
from likewise.cli.asking import WeightingName
from likewise.cli.progress import Bar
from likewise.cli.simulations import write_runs
from likewise.errors import UsageError

if TYPE_CHECKING:
    from likewise.cli.simulations import Labelled

Files = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE",
        help="Labelled records, one collection a file: JSON lines, CSV or TSV.",
        show_default=False,
    ),
]
Methods = Annotated[
    list[str] | None,
    typer.Option(
        "--method", metavar="NAME", help="A feedback method; may be given several times. [auto]"
    ),
]
Selection = Annotated[
    Literal["best", "active"] | None,
    typer.Option(help="Show the best documents, or those nearest the boundary."),
]
Seeds = Annotated[int, typer.Option(metavar="N", min=1, help="How often to begin anew.")]
StartFrom = Annotated[
    Literal["examples", "query", "non-relevant"],
    typer.Option(help="What is known beforehand: documents, words, or non-relevant ones only."),
]
Priors = Annotated[
    str,
    typer.Option(
        metavar="R,N", help="How many relevant and non-relevant documents are known beforehand."
    ),
]
Prior = Annotated[
    list[str] | None,
    typer.Option(
        metavar="ID", help="A document that is known beforehand, in place of random ones."
    ),
]
Query = Annotated[str | None, typer.Option(metavar="WORDS", help="The words to begin with.")]
PageSize = Annotated[
    int, typer.Option(metavar="N", min=1, help="Documents judged before the next learning.")
]
Most = Annotated[
    int | None,
    typer.Option(
        metavar="N", min=1, help="Stop after so many documents; with the last relevant by default."
    ),
]
Label = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="The column (or JSON key) that holds 1 or 0."),
]
Format = Annotated[
    Literal["table", "json", "csv"],
    typer.Option(help="Means over seeds as a table, or every run; json holds the order shown."),
]
Plot = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Draw recall against effort: a .png, .svg or .pdf."),
]
Weighting = Annotated[
    WeightingName | None,
    typer.Option(help="How terms weigh in documents; as each method is best by default."),
]
Bigrams = Annotated[
    bool, typer.Option("--bigrams/--no-bigrams", help="Count pairs of words as terms, or not.")
]


def simulate(
    files: Files,
    method: Methods = None,
    selection: Selection = None,
    seeds: Seeds = 1,
    start_from: StartFrom = "examples",
    priors: Priors = "1,1",
    prior: Prior = None,
    query: Query = None,
    page_size: PageSize = 1,
    most: Most = None,
    label: Label = None,
    text_column: options.TextColumn = None,
    on_duplicate: options.OnDuplicate = "error",
    format: Format = "table",
    plot: Plot = None,
    weighting: Weighting = None,
    language: options.Language = "english",
    stop_words: options.StopWords = False,
    bigrams: Bigrams = False,
    threads: options.Threads = None,
) -> None:
    """Replay the screening of labelled records, and tell how much work it would have taken.

    Documents are shown as the method ranks them, and judged by their labels, until the last
    relevant one is found. What is known beforehand is drawn anew for each seed.
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
    write_runs(runs, format)
    if plot is not None:
        draw([run for run, _ in runs], plot)


def _counts(priors: str) -> tuple[int, int]:
    try:
        relevant, others = map(int, priors.split(","))
    except ValueError:
        raise UsageError(f"--priors {priors}: give two numbers, such as 1,1") from None
    return relevant, others
