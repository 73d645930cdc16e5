"""The options of a search by example, which `search` and `explain` share."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

MethodName = Literal[
    "auto", "centroid", "1c", "rocchio", "ba", "pr", "p@k", "r@k", "f1", "prbep", "rank", "steady"
]
WeightingName = Literal["tfidf", "smooth", "counts", "pivoted", "unit", "raw"]
Scaling = Literal["balanced", "printed"]

Words = Annotated[
    list[str] | None, typer.Argument(metavar="WORDS", help="What to look for.", show_default=False)
]


@dataclass(frozen=True)
class Asked:
    """What was asked beside words; None is what was not said."""

    like: Annotated[
        list[str] | None,
        typer.Option(
            metavar="X",
            help="An example of what to find: id:… for a document of the index, a file, or - for "
            "text on standard input. May be given several times.",
        ),
    ] = None
    unlike: Annotated[
        list[str] | None,
        typer.Option(metavar="X", help="An example of what not to find, given as for --like."),
    ] = None
    weight: Annotated[
        list[str] | None,
        typer.Option(
            metavar="X=N", help="How much the example X counts, as in id:doc-7=2; 1 by default."
        ),
    ] = None
    query: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A query that --save-query has saved.")
    ] = None
    method: Annotated[
        MethodName | None, typer.Option(help="How to learn from examples; auto by default.")
    ] = None
    budget: Annotated[
        str | None,
        typer.Option(
            metavar="online|offline|SECONDS",
            help="What method auto may take: only a look at the examples and at lists of terms, "
            "whatever is best, or so many seconds.",
        ),
    ] = None
    views: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Views to learn over, with commas between them: words, latent, embeddings; all "
            "by default with method auto, otherwise words.",
        ),
    ] = None
    weighting: Annotated[
        WeightingName | None,
        typer.Option(help="How terms weigh in documents; tfidf by default, for vectors unit."),
    ] = None
    C: Annotated[
        float | None,
        typer.Option("--C", metavar="C", help="What errors cost: the more, the closer the fit."),
    ] = None
    C_per_example: Annotated[
        float | None,
        typer.Option("--C-per-example", metavar="C", help="The same for each single example."),
    ] = None
    at: Annotated[
        int | None,
        typer.Option(
            metavar="K", min=1, help="The k of methods p@k and r@k; twice the examples by default."
        ),
    ] = None
    scaling: Annotated[
        Scaling | None,
        typer.Option(help="How examples and the rest share C; balanced by default."),
    ] = None
    tol: Annotated[
        float | None,
        typer.Option(metavar="GAP", help="How far from the optimum to stop; 0.001 by default."),
    ] = None
    max_passes: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="How often to read the index; 1000 by default."),
    ] = None
    sample_unlabeled: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Learn from N other documents, chosen at random."),
    ] = None
    seed: Annotated[
        int | None,
        typer.Option(metavar="S", min=0, help="Which random choice that is; 0 by default."),
    ] = None


NOTHING = Asked()
