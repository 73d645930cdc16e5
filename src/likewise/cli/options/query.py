"""What to search for: the options that `search` and `explain` share."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from likewise.cli.options import choices, common

Words = Annotated[
    list[str] | None,
    typer.Argument(metavar="WORDS", help="Words to search for.", show_default=False),
]


@dataclass(frozen=True)
class QueryOptions:
    """None is an option that was not given."""

    like: Annotated[
        list[str] | None,
        typer.Option(
            metavar="X",
            help="An example of what to find: id:… for a document of the index, a file or a "
            "pattern such as 'papers/*.pdf', or - for text on standard input. Of a file with "
            "several records all are examples. May be given several times.",
        ),
    ] = None
    unlike: Annotated[
        list[str] | None,
        typer.Option(metavar="X", help="An example of what not to find, given as for --like."),
    ] = None
    weight: Annotated[
        list[str] | None,
        typer.Option(
            metavar="X=N", help="The weight of example X, as in id:doc-7=2; 1 by default."
        ),
    ] = None
    query: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Run a query saved with --save-query.")
    ] = None
    method: Annotated[
        str | None,
        choices.METHOD.option("How to learn from the examples; auto by default."),
    ] = None
    budget: Annotated[
        str | None,
        typer.Option(
            metavar="online|offline|SECONDS",
            help="The time for method auto: online reads only the examples and their terms, "
            "offline takes as long as needed, a number is in seconds.",
        ),
    ] = None
    views: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="The views to learn from, separated by commas: words, latent, embeddings. Method "
            "auto uses all by default, other methods words.",
        ),
    ] = None
    weighting: common.Weighting = None
    C: Annotated[
        float | None,
        typer.Option(
            "--C", metavar="C", help="The SVM's cost of errors; larger fits the examples closer."
        ),
    ] = None
    C_per_example: Annotated[
        float | None,
        typer.Option("--C-per-example", metavar="C", help="The same for each example."),
    ] = None
    at: Annotated[
        int | None,
        typer.Option(
            metavar="K",
            min=1,
            help="The k of methods p@k and r@k; twice the number of examples by default.",
        ),
    ] = None
    scaling: Annotated[
        str | None,
        choices.SCALING.option("How examples and other documents share C; balanced by default."),
    ] = None
    tol: Annotated[
        float | None,
        typer.Option(
            metavar="GAP", help="Stop at this relative gap to the optimum; 0.001 by default."
        ),
    ] = None
    max_passes: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Stop after N passes over the index; 1000 by default."
        ),
    ] = None
    sample_unlabeled: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Learn from a random sample of N other documents."),
    ] = None
    seed: Annotated[
        int | None,
        typer.Option(metavar="S", min=0, help="The seed of random samples; 0 by default."),
    ] = None


NONE = QueryOptions()
