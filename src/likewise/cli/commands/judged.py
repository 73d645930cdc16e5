"""`likewise judged`: lists the records that were judged, shows the history of one, corrects one."""

from datetime import datetime
from typing import Annotated, Any

import typer

from likewise.cli.failures import note
from likewise.cli.options import common
from likewise.cli.printing import stdout
from likewise.cli.printing.judged import as_fields, as_text, history_as_text
from likewise.cli.printing.team import new_name
from likewise.errors import UsageError

EXAMPLES = (
    "papers.idx --name gases",
    "papers.idx --name gases --label not --reason 'wrong species'",
    "papers.idx --name gases --doubtful",
    "papers.idx --name gases --id 1806.07419",
    "papers.idx --name gases --id 1806.07419 --correct relevant --reviewer ann",
)

Label = Annotated[
    str | None, typer.Option("--label", metavar="LABEL", help="Judged relevant, not or unsure.")
]
By = Annotated[str | None, typer.Option(metavar="NAME", help="Judged by this reviewer.")]
Reason = Annotated[str | None, typer.Option(metavar="TEXT", help="With this reason.")]
Tag = Annotated[str | None, typer.Option(metavar="TEXT", help="With this tag.")]
How = Annotated[
    str | None,
    typer.Option(metavar="WORD", help="Settled how: decided, agreed, conflict or open."),
]
Since = Annotated[datetime | None, typer.Option(metavar="DATE", help="Judged then or later.")]
Until = Annotated[datetime | None, typer.Option(metavar="DATE", help="Judged before.")]
Doubtful = Annotated[
    bool,
    typer.Option(
        "--doubtful", help="Judged one way and ranked the other, the most doubtful first."
    ),
]
Id = Annotated[str | None, typer.Option("--id", metavar="ID", help="One record, with its history.")]
Correct = Annotated[
    str | None,
    typer.Option(metavar="LABEL", help="Judge the record of --id anew: relevant, not or unsure."),
]
Most = Annotated[int, typer.Option("-n", metavar="N", min=1, help="The most records.")]


def judged(
    directory: common.Directory,
    name: common.SessionName = "review",
    label: Label = None,
    by: By = None,
    reason: Reason = None,
    tag: Tag = None,
    how: How = None,
    since: Since = None,
    until: Until = None,
    doubtful: Doubtful = False,
    most: Most = 50,
    id: Id = None,
    correct: Correct = None,
    reviewer: common.Reviewer = None,
    json: common.Json = False,
    database: common.Database = None,
) -> None:
    """List the records that were judged, the last first, or show one with its history."""
    from likewise.index import Index

    wanted: dict[str, Any] = {"label": label, "by": by, "reason": reason, "tag": tag, "how": how}
    times = {"since": since, "until": until}
    why = [wanted.pop("reason")] if correct is not None and reason is not None else None
    if id is not None and (any(wanted.values()) or any(times.values()) or doubtful):
        raise UsageError("--id shows one record: leave out what chooses several")
    if correct is not None and id is None:
        raise UsageError("--correct goes with --id: say which record")
    index = Index.open(directory)
    session = index.find_session(name, reviewer=reviewer, database=database)
    if session is None:
        raise UsageError(f"no session {name!r}: likewise sessions {directory} lists them")
    if id is not None:
        if correct is not None:
            if said := new_name(session):
                note(said)
            session.judge(id, correct, reasons=why)
            note(f"{session.reviewer} calls {id} {correct}")
        stdout.put(history_as_text(session.record(id), session.record_history(id)))
        return
    stamps: dict[str, Any] = {name: at and at.timestamp() for name, at in times.items()}
    found = session.judged(n=most, doubtful=doubtful, **wanted, **stamps)
    if json:
        stdout.put(stdout.as_json(as_fields(found)), "utf-8")
    else:
        stdout.put(as_text(found, stdout.width()))
