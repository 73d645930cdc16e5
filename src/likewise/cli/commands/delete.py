"""`likewise delete`: deletes documents by their ids."""

from pathlib import Path
from typing import Annotated

import typer

from likewise.cli.failures import note
from likewise.cli.options import common
from likewise.cli.printing.units import count
from likewise.cli.progress import Bar
from likewise.errors import UsageError

EXAMPLES = ("papers.idx doc-12 doc-15", "papers.idx --ids-from withdrawn.txt")

Ids = Annotated[
    list[str] | None,
    typer.Argument(metavar="ID", help="Ids of documents to delete.", show_default=False),
]
IdsFrom = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="A file of ids to delete, one a line; - is standard input."),
]
IgnoreMissing = Annotated[
    bool, typer.Option("--ignore-missing", help="Ignore ids that are not in the index.")
]


def delete(
    directory: common.Directory,
    ids: Ids = None,
    ids_from: IdsFrom = None,
    ignore_missing: IgnoreMissing = False,
) -> None:
    """Delete documents by their ids.

    If an id is not in the index, nothing is deleted. Disk space is freed by likewise merge.
    """
    from likewise.index import Index

    wanted = [*(ids or ()), *(_read_ids(ids_from) if ids_from else ())]
    if not wanted:
        raise UsageError("nothing to delete: give ids, or a file of them with --ids-from")
    with Bar("deleting"):
        deleted = Index.open(directory).delete(wanted, ignore_missing=ignore_missing)
    note(f"{count(deleted, 'document')} deleted from {directory}")


def _read_ids(path: Path) -> list[str]:
    from likewise.readers.problems import Problems
    from likewise.readers.vectors import read_ids

    return read_ids(Path("/dev/stdin") if path == Path("-") else path, Problems(strict=True))
