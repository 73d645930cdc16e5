"""`likewise judgements`: the progress of a session; exports and imports its judgements."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from likewise.cli.failures import note
from likewise.cli.options import choices, common
from likewise.cli.printing import stdout
from likewise.cli.printing.session import as_fields, as_text, print_imported
from likewise.cli.printing.team import new_name
from likewise.errors import UsageError

if TYPE_CHECKING:
    from likewise.reviews.exports import Which
else:
    Which = str

EXAMPLES = (
    "papers.idx --name gases",
    "papers.idx --name gases --export gases.csv",
    "papers.idx --name gases --export gases.ris --records relevant",
    "papers.idx --name gases --import others.qrels --reviewer bob",
    "papers.idx --name gases --labels",
)

Export = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write the judgements to a file; - is standard output."),
]
Import = Annotated[
    Path | None,
    typer.Option(
        "--import", metavar="FILE", help="Read judgements from a file; - is standard input."
    ),
]
Labels = Annotated[
    bool,
    typer.Option(
        "--labels", help="Import the labels that stand in the documents, as in a column included."
    ),
]
Format = Annotated[
    str | None,
    choices.JUDGEMENT_FORMAT.option("The format of that file; its suffix decides by default."),
]
Records = Annotated[
    Which | None,
    choices.WHICH.option(
        "Export what was judged (the default), what is relevant, or all documents."
    ),
]
Only = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Export the judgements of this reviewer only."),
]
Topic = Annotated[
    str | None, typer.Option(metavar="ID", help="Import this topic of TREC qrels only.")
]
Strict = Annotated[
    bool,
    typer.Option("--strict", help="Import nothing if a line is bad or an id is unknown."),
]


def judgements(
    directory: common.Directory,
    name: common.SessionName = "review",
    export: Export = None,
    import_: Import = None,
    labels: Labels = False,
    format: Format = None,
    records: Records = None,
    only: Only = None,
    topic: Topic = None,
    strict: Strict = False,
    reviewer: common.Reviewer = None,
    json: common.Json = False,
    database: common.Database = None,
) -> None:
    """Show, export or import the judgements of a session.

    Without --export and --import it shows the progress: counts, the gain curve, what stopping rules
    say, and how far reviewers agree. An import creates the session if there is none of this name.
    """
    from likewise.index import Index
    from likewise.reviews.exports import format_of
    from likewise.reviews.labels import labels_in

    if labels:
        _refuse_beside_labels(export, import_, format, records, only, topic, strict, json)
    else:
        _check_options(export, import_, format, records, only, topic, strict, reviewer, json)
    index = Index.open(directory)
    if import_ is None and all(one.name != name for one in index.sessions(database)):
        if not labels:
            raise UsageError(f"no session {name!r}: likewise sessions {directory} lists them")
        labels_in(index.searcher.snapshot)  # or an empty session would be left
    session = index.session(name, reviewer=reviewer, database=database)
    if reviewer is not None and (said := new_name(session)):
        note(said)
    if labels:
        print_imported(session.load_labels(), session)
    elif import_ is not None:
        path = Path("/dev/stdin") if import_ == Path("-") else import_
        print_imported(session.load(path, format=format, topic=topic, strict=strict), session)
    elif export == Path("-"):
        chosen = format_of(None, format or "csv")
        stdout.refuse_terminal(chosen)
        stdout.put_pieces(session.exported(chosen, only, records or "judged"))
    elif export is not None:
        session.export(export, format=format, reviewer=only, records=records or "judged")
        note(f"judgements of session {session.name} written to {export}")
    elif json:
        stdout.put(stdout.as_json(as_fields(session)), "utf-8")
    else:
        stdout.put(as_text(session, stdout.width()))


def _refuse_beside_labels(*others: object) -> None:
    if any(others):
        raise UsageError("--labels goes with --name and --reviewer only")


def _check_options(
    export: Path | None,
    import_: Path | None,
    format: str | None,
    records: str | None,
    only: str | None,
    topic: str | None,
    strict: bool,
    reviewer: str | None,
    json: bool,
) -> None:
    """Refuse options that would have no effect."""
    if export is not None and import_ is not None:
        raise UsageError("--export and --import exclude each other")
    if format is not None and export is None and import_ is None:
        raise UsageError("--format goes with --export or --import")
    if (records is not None or only is not None) and export is None:
        raise UsageError(f"{'--only' if only is not None else '--records'} goes with --export")
    if import_ is None and (topic is not None or strict):
        raise UsageError(f"{'--strict' if strict else '--topic'} goes with --import")
    if reviewer is not None and export is not None:
        raise UsageError(
            "--reviewer goes without --export; --only exports one reviewer's judgements"
        )
    if json and (export is not None or import_ is not None):
        raise UsageError("--json goes without --export and --import: use --format jsonl for those")
