"""`likewise merge`: brings the segments of an index into one, or small ones into fewer."""

from typing import Annotated

import typer

from likewise.cli.options import common
from likewise.cli.printing.index import print_merged
from likewise.cli.progress import Bar

EXAMPLES = ("papers.idx", "papers.idx --small")

Small = Annotated[
    bool,
    typer.Option("--small", help="Merge only small segments, in groups; the latent space stays."),
]


def merge(
    directory: common.Directory, small: Small = False, threads: common.Threads = None
) -> None:
    """Merge the segments of an index into one.

    This also removes deleted documents from disk. Each likewise add makes a new segment and merges
    small ones in groups of eight. After many of them, or after deleting many documents, merging
    all makes search faster and the index smaller.
    """
    from likewise.index import Index

    index = Index.open(directory, threads=threads)
    before = index.info()
    with Bar("merging"):
        index.merge(small=small)
    print_merged(directory, before, index.info())
