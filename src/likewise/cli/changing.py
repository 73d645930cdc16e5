"""`likewise delete`, `likewise merge` and `likewise latent`: changes to an index."""

from pathlib import Path
from typing import Annotated

import typer

from likewise.cli import options
from likewise.cli.failures import note
from likewise.cli.progress import Bar
from likewise.cli.reports import count, tell_latent, tell_merged
from likewise.errors import UsageError

Ids = Annotated[
    list[str] | None,
    typer.Argument(metavar="ID", help="Ids of documents to delete.", show_default=False),
]
IdsFrom = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="A file of ids to delete, one a line; - is standard input."),
]
IgnoreMissing = Annotated[
    bool, typer.Option("--ignore-missing", help="Pass over ids that are not in the index.")
]


Dimensions = Annotated[
    int | None, typer.Option(metavar="N", min=1, help="How many dimensions it is to have.")
]
Seed = Annotated[
    int | None, typer.Option(metavar="S", min=0, help="Where to start from at random; 0 at first.")
]
Drop = Annotated[
    bool, typer.Option("--drop", help="Forget the latent space, and learn none from now on.")
]


def delete(
    directory: options.Directory,
    ids: Ids = None,
    ids_from: IdsFrom = None,
    ignore_missing: IgnoreMissing = False,
) -> None:
    """Delete documents by their ids.

    An id that is not in the index is an error, and then nothing is deleted. The space on disk is
    freed by likewise merge.
    """
    from likewise.index import Index

    wanted = [*(ids or ()), *(_read_ids(ids_from) if ids_from else ())]
    if not wanted:
        raise UsageError("nothing to delete: give ids, or a file of them with --ids-from")
    with Bar("deleting"):
        deleted = Index.open(directory).delete(wanted, ignore_missing=ignore_missing)
    note(f"{count(deleted, 'document')} deleted from {directory}")


def merge(directory: options.Directory, threads: options.Threads = None) -> None:
    """Bring an index into one piece and drop what was deleted.

    Each likewise add leaves a piece of its own; after many of them, or after deleting much, this
    makes searching faster and the index smaller.
    """
    from likewise.index import Index

    index = Index.open(directory, threads=threads)
    before = index.info()
    with Bar("merging"):
        index.merge()
    tell_merged(before, index.info())


def latent(
    directory: options.Directory,
    dimensions: Dimensions = None,
    seed: Seed = None,
    drop: Drop = False,
    threads: options.Threads = None,
) -> None:
    """Learn the latent space of an index anew, from the documents that are there now.

    It is learned by itself from 1,000 documents on, when their number has doubled, and by
    likewise merge; documents added between are folded in, as likewise info tells.
    """
    from likewise.index import Index

    index = Index.open(directory, threads=threads)
    if drop:
        if dimensions is not None or seed is not None:
            raise UsageError("--drop forgets the latent space: --dimensions and --seed make one")
        index.drop_latent()
        note(f"{directory} has no latent space now")
        return
    with Bar("learning"):
        index.learn_latent(dimensions, seed=seed)
    tell_latent(index.info())


def _read_ids(path: Path) -> list[str]:
    from likewise.readers.problems import Problems
    from likewise.readers.vectors import read_ids

    return read_ids(Path("/dev/stdin") if path == Path("-") else path, Problems(strict=True))
