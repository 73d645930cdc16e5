"""`likewise review`: a session in the terminal, one page after another."""

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from likewise.cli.examples import STANDARD_INPUT, example, expanded
from likewise.cli.failures import INTERRUPTED, note, say
from likewise.cli.keyboard import Keyboard, refuse_no_terminal
from likewise.cli.options import beginning, choices, common, engines
from likewise.cli.printing.team import new_name
from likewise.cli.printing.units import count
from likewise.errors import UsageError

if TYPE_CHECKING:
    from likewise.index import Index
    from likewise.reviews import Session
    from likewise.reviews.agreement import Combine as Combination
else:
    Combination = str

EXAMPLES = (
    'papers.idx --query "quantum gases"',
    "papers.idx --name gases --like id:doc-7 --reviewer ann",
    'papers.idx --name bees --known 10.1000/182 --known known.ris --reason "no trial"',
    "papers.idx --name gases",
)

Query = Annotated[
    str | None,
    typer.Option(metavar="WORDS", help="Words to begin with; leave out to continue a session."),
]
Like = Annotated[
    list[str] | None,
    typer.Option(
        metavar="X",
        help="An example to begin with: id:… for a document of the index, or a file. May be given "
        "several times.",
    ),
]
Unlike = Annotated[
    list[str] | None,
    typer.Option(metavar="X", help="An example of what not to find, given as for --like."),
]
PageSize = Annotated[
    int | None, typer.Option(metavar="N", min=1, help="Records on a page; 10 by default.")
]
Method = Annotated[
    str | None,
    choices.FEEDBACK.option("How to learn from judgements; auto by default."),
]
Combine = Annotated[
    Combination | None,
    choices.COMBINE.option(
        "Where reviewers differ, a record is relevant if any or the majority of them says "
        "so; any by default."
    ),
]
Overlap = Annotated[
    bool | None,
    typer.Option(
        "--overlap/--no-overlap",
        help="Every reviewer judges every record (the default), or reviewers share them.",
        show_default=False,
    ),
]
GroupDuplicates = Annotated[
    bool | None,
    typer.Option(
        "--group-duplicates/--no-group-duplicates",
        help="Show and judge records of one paper once (the default of new sessions), or each.",
        show_default=False,
    ),
]
Adopt = Annotated[
    bool,
    typer.Option("--adopt", help="Continue a session of another index with the same documents."),
]


def review(
    directory: common.Directory,
    name: common.SessionName = "review",
    query: Query = None,
    like: Like = None,
    unlike: Unlike = None,
    known: beginning.Known = None,
    known_not: beginning.KnownNot = None,
    labels: beginning.Labels = False,
    question: beginning.Question = None,
    criteria: beginning.Criteria = None,
    reason: beginning.Reason = None,
    require_reason: beginning.RequireReason = None,
    tag: beginning.Tag = None,
    reviewers: beginning.Reviewers = None,
    agree: beginning.Agree = None,
    blinded: beginning.Blinded = False,
    reviewer: common.Reviewer = None,
    stage: beginning.Stage = None,
    random_rate: beginning.RandomRate = None,
    page_size: PageSize = None,
    method: Method = None,
    selection: common.Selection = None,
    weighting: common.FeedbackWeighting = None,
    combine: Combine = None,
    overlap: Overlap = None,
    group_duplicates: GroupDuplicates = None,
    database: common.Database = None,
    adopt: Adopt = False,
    cluster: engines.Cluster = None,
) -> None:
    """Judge records page by page in the terminal.

    The ranking learns from every judgement. Begin with words, with examples, with papers that are
    known, or with nothing. Run the command again without them to continue. Every judgement is
    saved before the next page is shown. Press ? for the keys.
    """
    from likewise.index import Index

    refuse_no_terminal()
    if STANDARD_INPUT in (*(like or ()), *(unlike or ())):
        raise UsageError("review reads keys from standard input: give a file instead of -")
    index = Index.open(directory, engine=engines.chosen(None, None, cluster))
    given: dict[str, Any] = {
        **{"query": query, "group_duplicates": group_duplicates},
        "examples": [example(index, directory, value) for value in expanded(like or ())],
        "unlike": [example(index, directory, value) for value in expanded(unlike or ())],
        **{"reviewer": reviewer, "database": database, "adopt": adopt, "stage": stage},
        **{"random_rate": random_rate, "page_size": page_size, "method": method},
        **{"selection": selection, "weighting": weighting, "combine": combine, "overlap": overlap},
    }
    asked = {"question": question, "criteria": criteria, "reasons": reason, "tags": tag}
    team = {"reviewers": _names(reviewers), "agree": agree, "blinded": blinded or None}
    new = {
        **{"known": _papers(known), "known_not": _papers(known_not), "labels": labels},
        **{"protocol": _given({**asked, "require_reason": require_reason}), "team": _given(team)},
    }
    plan = {part: value for part, value in new.items() if value}
    session = index.reviews.begin(name, **plan, **given) if plan else index.session(name, **given)
    _judge(index, session, directory)


def _names(given: str | None) -> list[str] | None:
    return [one.strip() for one in given.split(",")] if given else None


def _given(parts: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in parts.items() if value is not None}


def _papers(values: list[str] | None) -> list[str | Path]:
    """Files are papers, everything else is the name of one."""
    return [Path(value) if Path(value).is_file() else value for value in values or ()]


def _judge(index: "Index", session: "Session", directory: Path) -> None:
    from likewise.cli.review_loop import Review

    try:
        with Keyboard() as keyboard:
            Review(index, session, keyboard, new_name(session)).run()
    except KeyboardInterrupt:
        say("interrupted; all judgements are saved")
        raise typer.Exit(INTERRUPTED) from None
    judged = len(session.judgements())
    note(f"{count(judged, 'record')} judged by {session.reviewer} in session {session.name}")
    if judged:
        named = "" if session.name == "review" else f" --name {quote(session.name)}"
        note(f"write them to a file: likewise judgements {directory}{named} --export FILE")
