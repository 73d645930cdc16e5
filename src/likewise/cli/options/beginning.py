"""Options that a review begins with: what is known, what it asks, and who works on it."""

from typing import TYPE_CHECKING, Annotated

import typer

from likewise.cli.options import choices

if TYPE_CHECKING:
    from likewise.reviews.ledger import Stage as StageName
else:
    StageName = str

Known = Annotated[
    list[str] | None,
    typer.Option(
        metavar="X",
        help="A paper known to be relevant: an id, DOI, PMID or title of a record, or a file of "
        "papers. May be given several times.",
    ),
]
KnownNot = Annotated[
    list[str] | None,
    typer.Option(metavar="X", help="A paper known to be not relevant, given as for --known."),
]
Labels = Annotated[
    bool, typer.Option("--labels", help="Take labels that stand in the records as judgements.")
]
Question = Annotated[str | None, typer.Option(metavar="TEXT", help="What the review asks.")]
Criteria = Annotated[
    str | None, typer.Option(metavar="TEXT", help="What is included, and what is not.")
]
Reason = Annotated[
    list[str] | None,
    typer.Option(metavar="TEXT", help="A reason for exclusion; may be given several times."),
]
RequireReason = Annotated[
    bool | None,
    typer.Option(
        "--require-reason/--no-require-reason",
        help="Whether a full text is left out for a reason, where there are reasons; by default.",
        show_default=False,
    ),
]
Tag = Annotated[
    list[str] | None,
    typer.Option(metavar="TEXT", help="A tag to choose from; may be given several times."),
]
Reviewers = Annotated[
    str | None, typer.Option(metavar="NAMES", help="Who is to judge, as in ann,ben.")
]
Agree = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="How many reviewers must say the same; 1 by default."),
]
Blinded = Annotated[
    bool, typer.Option("--blinded", help="Nobody sees others' votes before having judged.")
]
Stage = Annotated[
    StageName | None,
    choices.STAGE.option("What is judged: title/abstract, the default, or full text."),
]
RandomRate = Annotated[
    float | None,
    typer.Option(
        metavar="R",
        min=0.0,
        max=0.99,
        help="The share of pages that are random samples: 0.1 makes every tenth one.",
    ),
]
