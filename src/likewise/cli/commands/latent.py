"""`likewise latent`: learns the latent space of an index again."""

from typing import Annotated

import typer

from likewise.cli.failures import note
from likewise.cli.options import common
from likewise.cli.printing.index import print_latent
from likewise.cli.progress import Bar
from likewise.errors import UsageError

EXAMPLES = ("papers.idx", "papers.idx --dimensions 300")

Dimensions = Annotated[
    int | None, typer.Option(metavar="N", min=1, help="Dimensions of the latent space.")
]
Seed = Annotated[
    int | None,
    typer.Option(metavar="S", min=0, help="The random seed; the one used before by default."),
]
Drop = Annotated[
    bool, typer.Option("--drop", help="Remove the latent space, and learn none from now on.")
]


def latent(
    directory: common.Directory,
    dimensions: Dimensions = None,
    seed: Seed = None,
    drop: Drop = False,
    threads: common.Threads = None,
) -> None:
    """Learn the latent space of an index again.

    It is learned from all documents that the index has now. This happens automatically at 1,000
    documents, whenever their number has doubled, and in likewise merge. Documents added in between
    are folded into the existing space.
    """
    from likewise.index import Index

    index = Index.open(directory, threads=threads)
    if drop:
        if dimensions is not None or seed is not None:
            raise UsageError(
                "--drop removes the latent space: it goes without --dimensions and --seed"
            )
        index.drop_latent()
        note(f"{directory} has no latent space now")
        return
    with Bar("learning"):
        index.learn_latent(dimensions, seed=seed)
    print_latent(directory, index.info())
