"""`likewise team`: who works on a session, how far each is; changes it, assigns, decides."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from likewise.cli.failures import note
from likewise.cli.options import common
from likewise.cli.printing import stdout
from likewise.cli.printing.team import as_fields, as_text
from likewise.cli.printing.units import count
from likewise.errors import UsageError

if TYPE_CHECKING:
    from likewise.reviews import Session

EXAMPLES = (
    "papers.idx --name gases",
    "papers.idx --name gases --member ann --member bob --agree 2 --blinded --adjudicator eve",
    "papers.idx --name gases --assign 2",
    "papers.idx --name gases --decide 1806.07419=relevant --note 'by phone' --reviewer eve",
)

Member = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", help="A reviewer who is to judge; repeat it for all of them."),
]
Agree = Annotated[
    int | None, typer.Option(metavar="N", min=1, help="How many reviewers must say the same.")
]
Blinded = Annotated[
    bool | None,
    typer.Option(
        "--blinded/--not-blinded",
        help="Hide what others say until all have judged a record, or not.",
        show_default=False,
    ),
]
Adjudicator = Annotated[
    str | None, typer.Option(metavar="NAME", help="Who decides where reviewers differ.")
]
Assign = Annotated[
    int | None,
    typer.Option(
        metavar="N", min=1, help="Give each record that is not assigned yet to N reviewers."
    ),
]
Unassign = Annotated[bool, typer.Option("--unassign", help="Take back all that was assigned.")]
Decide = Annotated[
    str | None,
    typer.Option(
        metavar="ID=LABEL", help="Decide on a record: relevant, not or unsure; none takes it back."
    ),
]
Reason = Annotated[
    list[str] | None, typer.Option(metavar="TEXT", help="Why it is not relevant; with --decide.")
]
Note = Annotated[str | None, typer.Option("--note", metavar="TEXT", help="A note on the decision.")]


def team(
    directory: common.Directory,
    name: common.SessionName = "review",
    member: Member = None,
    agree: Agree = None,
    blinded: Blinded = None,
    adjudicator: Adjudicator = None,
    assign: Assign = None,
    unassign: Unassign = False,
    decide: Decide = None,
    reason: Reason = None,
    note_: Note = None,
    reviewer: common.Reviewer = None,
    json: common.Json = False,
    database: common.Database = None,
) -> None:
    """Show or change the team of a session; assign records; decide conflicts."""
    from likewise.index import Index

    if assign is not None and unassign:
        raise UsageError("--assign and --unassign exclude each other")
    if decide is None and (reason or note_):
        raise UsageError("--reason and --note go with --decide")
    index = Index.open(directory)
    session = index.find_session(name, reviewer=reviewer, database=database)
    if session is None:
        raise UsageError(f"no session {name!r}: likewise sessions {directory} lists them")
    given = {"reviewers": member, "agree": agree, "blinded": blinded, "adjudicator": adjudicator}
    changes: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    if changes:
        session.team.change(**changes)
    if assign is not None:
        shares = session.team.assign(assign)
        note(", ".join(f"{who}: {count(n, 'record')}" for who, n in shares.items()))
    if unassign:
        note(f"{count(session.team.unassign(), 'assignment')} taken back")
    if decide is not None:
        _decide(session, decide, reason or (), note_ or "")
    if json:
        stdout.put(stdout.as_json(as_fields(session)), "utf-8")
    else:
        stdout.put(as_text(session, stdout.width()))


def _decide(session: "Session", given: str, reasons: Iterable[str], text: str) -> None:
    id, _, label = given.rpartition("=")
    if not id:
        raise UsageError(f"--decide is {given!r}: give ID=relevant, ID=not, ID=unsure or ID=none")
    session.team.decide(id, None if label == "none" else label, reasons=reasons, note=text)
