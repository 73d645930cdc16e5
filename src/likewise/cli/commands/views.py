"""`likewise views`: what the views of an index cost; adds and removes them."""

from typing import TYPE_CHECKING, Annotated

import typer

from likewise.cli.failures import note
from likewise.cli.options import common
from likewise.cli.printing.index import print_views
from likewise.cli.progress import Bar
from likewise.errors import UsageError

if TYPE_CHECKING:
    from likewise.index import Index

EXAMPLES = ("papers.idx", "papers.idx --add titles", "papers.idx --drop latent")

Add = Annotated[
    str | None,
    typer.Option("--add", metavar="VIEW", help="Make this view: titles, or latent, also anew."),
]
Drop = Annotated[
    str | None,
    typer.Option("--drop", metavar="VIEW", help="Remove this view: titles, latent or embeddings."),
]


def views(
    directory: common.Directory,
    add: Add = None,
    drop: Drop = None,
    json: common.Json = False,
    threads: common.Threads = None,
) -> None:
    """Show the views of an index, with their size and speed; add or remove one.

    The words are always there. Parts of titles are counted with the documents, unless likewise
    index --views leaves them out; review sessions rank by them, too. The latent space is learned
    from 1,000 documents on. Embeddings come by likewise embed. A pass is the time in which one
    document is compared with all others.
    """
    from likewise.index import Index

    index = Index.open(directory, threads=threads)
    if add is not None:
        with Bar("adding"):
            _add(index, add)
        note(f"{directory} has the view {add} now")
    if drop is not None:
        _drop(index, drop)
        note(f"{directory} has no view {drop} now")
    if add is None and drop is None:
        print_views(index.views.costs(), json=json)
    elif json:
        raise UsageError("--json shows the views: it goes without --add and --drop")


def _add(index: "Index", name: str) -> None:
    if name == "titles":
        index.views.add_titles()
    elif name == "latent":
        index.learn_latent()
    elif name == "embeddings":
        raise UsageError("embeddings are made by a model or brought by a file: likewise embed")
    else:
        raise UsageError(f"no view {name!r} can be added: choose titles or latent")


def _drop(index: "Index", name: str) -> None:
    drops = {
        "titles": index.views.drop_titles,
        "latent": index.drop_latent,
        "embeddings": index.drop_embeddings,
    }
    if name not in drops:
        raise UsageError(f"no view {name!r} can be removed: choose {', '.join(drops)}")
    if name not in index.info().views:
        raise UsageError(f"{index.path} has no view {name!r}: there is nothing to remove")
    drops[name]()
