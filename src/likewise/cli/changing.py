"""`likewise delete` and `likewise merge`: changes to an index."""

from typing import Annotated

import typer

from likewise.cli import options
from likewise.cli.progress import Bar
from likewise.cli.reports import tell_deleted, tell_merged

Ids = Annotated[
    list[str] | None,
    typer.Argument(metavar="ID", help="Ids of the documents to delete.", show_default=False),
]
IdsFrom = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="A file of ids to delete, one a line; - is standard input."),
]
IgnoreMissing = Annotated[
    bool, typer.Option("--ignore-missing", help="Pass over ids that are not in the index.")
]


def delete(
    directory: options.Directory,
    ids: Ids = None,
    ids_from: IdsFrom = None,
    ignore_missing: IgnoreMissing = False,
) -> None:
    """Delete documents by their ids.

    An id that is not in the index is an error, and then nothing is deleted. The space is freed by
    likewise merge.

    \b
    Examples:
      likewise delete papers.idx doc-12 doc-15
      likewise delete papers.idx --ids-from withdrawn.txt
    """
    from likewise.index import Index
