"""`likewise restore`: puts an index with its judgements back from a backup."""

from pathlib import Path
from typing import Annotated

import typer

from likewise.cli.printing.index import print_backup
from likewise.cli.progress import Bar

EXAMPLES = ("papers.zip papers.idx", "papers.zip papers.idx --force")

Source = Annotated[
    Path, typer.Argument(metavar="FILE", help="What likewise backup wrote.", show_default=False)
]
Target = Annotated[
    Path, typer.Argument(metavar="DIR", help="The folder of the index.", show_default=False)
]
Force = Annotated[
    bool, typer.Option("--force", help="Replace the index and the judgements that are there.")
]
Database = Annotated[
    str | None,
    typer.Option(
        metavar="FILE", help="Where the judgements go; the file beside the index by default."
    ),
]


def restore(
    file: Source, directory: Target, database: Database = None, force: Force = False
) -> None:
    """Put an index with its judgements back from a backup.

    Everything is checked first; if anything is wrong, nothing is changed. Stop a server before its
    judgements are replaced by --force; the judgements before that are kept in a copy.
    """
    from likewise.reviews.backup import restore as put_back

    with Bar("restoring") as bar:
        made = put_back(file, directory, database=database, force=force, progress=bar)
    print_backup(made, f"{file} is restored as {directory}")
