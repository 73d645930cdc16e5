"""`likewise report`: what a publication needs of a review."""

from pathlib import Path
from typing import Annotated

import typer

from likewise.cli.failures import note
from likewise.cli.options import common
from likewise.cli.printing import stdout
from likewise.cli.printing.index import print_backup
from likewise.cli.printing.publication import as_text
from likewise.cli.progress import Bar
from likewise.errors import UsageError

EXAMPLES = (
    "papers.idx --name gases",
    "papers.idx --name gases --diagram flow.svg --source PubMed=812 --source Embase=930",
    "papers.idx --name gases --archive gases.zip",
)

Diagram = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write the flow diagram of PRISMA 2020, SVG.")
]
Trail = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write all that was done, by whom and when; .csv or .jsonl."),
]
Archive = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Write the collection, the session and its report into one file, which "
        "likewise replay makes again.",
    ),
]
Source = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=N", help="How many records a database gave; may be repeated."),
]
Force = Annotated[bool, typer.Option("--force", help="Replace an archive that is there.")]


def report(
    directory: common.Directory,
    name: common.SessionName = "review",
    diagram: Diagram = None,
    trail: Trail = None,
    archive: Archive = None,
    source: Source = None,
    force: Force = False,
    json: common.Json = False,
    database: common.Database = None,
) -> None:
    """Report a review: counts, flow diagram, methods, archive, audit trail.

    Without a file to write it prints the counts of PRISMA 2020 and a text for the methods section.
    """
    from likewise.index import Index
    from likewise.reviews.report.flow import sources_of
    from likewise.store.disk import replace_file

    wrote = [path for path in (diagram, trail, archive) if path is not None]
    if json and wrote:
        raise UsageError("--json goes without files to write")
    if force and archive is None:
        raise UsageError("--force goes with --archive")
    sources = sources_of(source or ())
    session = Index.open(directory).find_session(name, database=database)
    if session is None:
        raise UsageError(f"no session {name!r}: likewise sessions {directory} lists them")
    made = session.report
    if diagram is not None:
        replace_file(diagram, [made.diagram(sources).encode()])
        note(f"flow diagram of session {name} written to {diagram}")
    if trail is not None:
        format = "jsonl" if trail.suffix == ".jsonl" else "csv"
        replace_file(trail, made.trail_file(format))
        note(f"trail of session {name} written to {trail}")
    if archive is not None:
        with Bar("archiving") as bar:
            held = made.archive(archive, sources=sources, force=force, progress=bar)
        print_backup(held, f"session {name} is archived in {archive}")
    if not wrote:
        stdout.put(as_text(made, sources, json=json))
