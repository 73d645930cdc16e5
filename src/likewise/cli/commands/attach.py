"""`likewise attach`: the PDFs of a review's records."""

from pathlib import Path
from typing import Annotated

import typer

from likewise.cli.failures import FAILED, note, say
from likewise.cli.options import common
from likewise.cli.printing import fulltexts
from likewise.cli.progress import Bar
from likewise.errors import UsageError

EXAMPLES = (
    "papers.idx pdfs/ --name gases",
    "papers.idx smith2020.pdf --name gases --to doc-7",
    "papers.idx --name gases",
)

Files = Annotated[
    list[Path] | None,
    typer.Argument(metavar="PATH", help="PDFs, and folders of them.", show_default=False),
]
To = Annotated[
    str | None,
    typer.Option(metavar="ID", help="The record of one PDF; by default it is found."),
]
Remove = Annotated[
    int | None, typer.Option(metavar="NUMBER", min=1, help="Remove what is attached.")
]
Save = Annotated[
    Path | None, typer.Option(metavar="FOLDER", help="Write what is attached into a folder.")
]


def attach(
    directory: common.Directory,
    files: Files = None,
    name: common.SessionName = "review",
    to: To = None,
    remove: Remove = None,
    save: Save = None,
    reviewer: common.Reviewer = None,
    json: common.Json = False,
    database: common.Database = None,
) -> None:
    """Attach PDFs to the records of a review, or list them.

    Each PDF goes to the record that links to it or has its DOI, its title or its name, of those
    found relevant by title and abstract. Without files it lists what is attached, and which records
    have no PDF yet.
    """
    from likewise.index import Index

    given = files or []
    if sum((bool(given), remove is not None, save is not None)) > 1:
        raise UsageError("attach files, --remove or --save: one at a time")
    if to is not None and len(given) != 1:
        raise UsageError("--to goes with one PDF")
    index = Index.open(directory)
    session = index.find_session(name, database=database)
    if session is None:
        raise UsageError(f"no session {name!r}: likewise sessions {directory} lists them")
    texts = (session.as_reviewer(reviewer) if reviewer else session).full_texts
    if to is not None:
        made = texts.attach(to, given[0])
        note(f"{made.name} is attached to {made.document}")
    elif given:
        with Bar("reading PDFs") as bar:
            found = texts.attach_all(given, progress=bar)
        fulltexts.print_attached(found, json=json)
        if found.left:
            raise typer.Exit(FAILED)
    elif remove is not None:
        texts.detach(remove)
        note(f"attachment {remove} is removed")
    elif save is not None:
        fulltexts.save(texts, save)
    else:
        fulltexts.print_list(texts, json=json)
        missing = len(texts.missing())
        say(
            f"{missing:,} of {len(texts.sought()):,} records have no PDF"
            if missing
            else "none is missing"
        )
