"""`likewise sessions` and `likewise judgements`: what reviews have left, without a terminal."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from likewise.cli import options, output, standing
from likewise.cli.display import one_line, table
from likewise.cli.failures import FAILED, note, say
from likewise.cli.reports import SHOWN, count
from likewise.errors import UsageError

if TYPE_CHECKING:
    from likewise.reviews import Session
    from likewise.reviews.catalogue import ListedSession
    from likewise.reviews.files import Imported

FormatName = Literal["csv", "jsonl", "trec"]

Delete = Annotated[
    str | None, typer.Option(metavar="NAME", help="Delete a session and all its judgements.")
]
Rename = Annotated[
    str | None, typer.Option(metavar="NAME", help="Rename a session; --to says how.")
]
To = Annotated[str | None, typer.Option(metavar="NAME", help="The new name.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Export = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write the judgements to a file; - is standard output."),
]
Import = Annotated[
    Path | None,
    typer.Option(
        "--import", metavar="FILE", help="Take judgements from a file; - is standard input."
    ),
]
Format = Annotated[
    FormatName | None,
    typer.Option(help="The format of that file, where its suffix does not tell."),
]
Only = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Export only this reviewer's judgements."),
]
Topic = Annotated[
    str | None, typer.Option(metavar="ID", help="Import only this topic of TREC qrels.")
]
Strict = Annotated[
    bool,
    typer.Option("--strict", help="Import nothing if a line is bad or an id is unknown."),
]


def sessions(
    directory: options.Directory,
    delete: Delete = None,
    rename: Rename = None,
    to: To = None,
    json: Json = False,
    database: options.Database = None,
) -> None:
    """List the sessions of an index, or delete or rename one."""
    from likewise.index import Index

    if (rename is None) != (to is None):
        raise UsageError("--rename and --to go together: the old name and the new one")
    if rename is not None and delete is not None:
        raise UsageError("--rename and --delete exclude each other")
    if json and (rename is not None or delete is not None):
        raise UsageError("--json goes with the list of sessions only")
    index = Index.open(directory)
    if delete is not None:
        index.delete_session(delete, database)
        note(f"session {delete} deleted")
    elif rename is not None and to is not None:
        index.rename_session(rename, to, database)
        note(f"session {rename} is called {to} now")
    else:
        _list(index.sessions(database), json=json)


def judgements(
    directory: options.Directory,
    name: options.SessionName = "review",
    export: Export = None,
    import_: Import = None,
    format: Format = None,
    only: Only = None,
    topic: Topic = None,
    strict: Strict = False,
    reviewer: options.Reviewer = None,
    json: Json = False,
    database: options.Database = None,
) -> None:
    """Tell how a session stands, or export its judgements or import some.

    Without --export and --import: counts, the gain curve, what published rules say about stopping,
    and how far reviewers agree. An import makes the session if there is none of its name.
    """
    from likewise.index import Index

    _refuse_unused(export, import_, format, only, topic, strict, reviewer, json)
    index = Index.open(directory)
    if import_ is None and all(one.name != name for one in index.sessions(database)):
        raise UsageError(f"no session {name!r}: likewise sessions {directory} lists what there is")
    session = index.session(name, reviewer=reviewer, database=database)
    if import_ is not None:
        path = Path("/dev/stdin") if import_ == Path("-") else import_
        _tell(session.load(path, format=format, topic=topic, strict=strict), session)
    elif export == Path("-"):
        output.put(session.export(format=format or "csv", reviewer=only), "utf-8")
    elif export is not None:
        session.export(export, format=format, reviewer=only)
        note(f"the judgements of session {session.name} are in {export}")
    elif json:
        output.put(output.as_json(standing.as_fields(session)), "utf-8")
    else:
        output.put(standing.as_text(session, output.width()))


def _refuse_unused(
    export: Path | None,
    import_: Path | None,
    format: str | None,
    only: str | None,
    topic: str | None,
    strict: bool,
    reviewer: str | None,
    json: bool,
) -> None:
    if export is not None and import_ is not None:
        raise UsageError("--export and --import exclude each other")
    if format is not None and export is None and import_ is None:
        raise UsageError("--format goes with --export or --import")
    if only is not None and export is None:
        raise UsageError("--only goes with --export")
    if import_ is None and (topic is not None or strict):
        raise UsageError(f"{'--strict' if strict else '--topic'} goes with --import")
    if reviewer is not None and import_ is None:
        raise UsageError("--reviewer goes with --import; --only exports one reviewer's judgements")
    if json and (export is not None or import_ is not None):
        raise UsageError("--json goes without --export and --import: --format jsonl is for those")


def _list(found: "list[ListedSession]", *, json: bool) -> None:
    if json:
        output.put(output.as_json({"sessions": [one._asdict() for one in found]}), "utf-8")
    elif found:
        rows = [
            (f"{one.events:,}", f"{one.reviewers:,}", _day(one.last or one.created), _name(one))
            for one in found
        ]
        header = ("events", "reviewers", "last used", "session")
        output.put(table([header, *rows], output.width(), right=2))
    else:
        note("no sessions yet: likewise review begins one")


def _name(one: "ListedSession") -> str:
    return one.name if one.here else f"{one.name} (of another index)"


def _day(at: float) -> str:
    from datetime import datetime

    return datetime.fromtimestamp(at).astimezone().strftime("%Y-%m-%d %H:%M")


def _tell(imported: "Imported", session: "Session") -> None:
    """Part of the input left out is exit status 1."""
    for problem in imported.problems[:SHOWN]:
        say(one_line(str(problem)))
    if imported.problem_count > SHOWN:
        say(f"and {imported.problem_count - SHOWN:,} more like these")
    known = f", {imported.unchanged:,} known already" if imported.unchanged else ""
    note(f"{count(imported.judged, 'judgement')} entered in session {session.name}{known}")
    if imported.problem_count:
        raise typer.Exit(FAILED)
