"""`likewise backup`: copies an index with its judgements into one file."""

from pathlib import Path
from typing import Annotated

import typer

from likewise.cli.options import common
from likewise.cli.printing.index import print_backup
from likewise.cli.progress import Bar

EXAMPLES = ("papers.idx papers.zip", "papers.idx /srv/backups/")

Target = Annotated[
    Path,
    typer.Argument(
        metavar="FILE|FOLDER",
        help="The file to write; in a folder, it is named after the index and the time.",
        show_default=False,
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Replace a file that is there.")]
Database = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="The judgements; the file beside the index by default."),
]


def backup(
    directory: common.Directory, target: Target, database: Database = None, force: Force = False
) -> None:
    """Copy an index with its judgements into one file.

    Others may search, add and judge meanwhile: the backup has one generation of the index and one
    state of the judgements. The file gets its name when it is whole. likewise restore puts it
    back. Judgements in PostgreSQL are not part of it: use pg_dump.
    """
    from likewise.index import Index

    index = Index.open(directory)
    with Bar("backing up") as bar:
        made = index.backup(target, database=database, force=force, progress=bar)
    print_backup(made, f"{directory} is backed up in {made.path}")
