"""`likewise zotero`: a collection of a running Zotero into an index, and a review back as items."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from likewise.cli.failures import note
from likewise.cli.options import common
from likewise.cli.printing import stdout
from likewise.cli.printing.text import table
from likewise.errors import UsageError

if TYPE_CHECKING:
    from likewise.adapters.zotero import Zotero

EXAMPLES = (
    "",
    "papers.idx --collection Robots",
    "papers.idx --save review --collection 'To read' --tag likewise",
)

Directory = Annotated[
    Path | None,
    typer.Argument(
        metavar="DIR",
        help="The folder of the index; without any, the collections are listed.",
        show_default=False,
    ),
]
Collection = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="A collection, by name or path; all papers by default."),
]
Save = Annotated[
    str | None,
    typer.Option(metavar="SESSION", help="Make items of what this review has judged."),
]
Tags = Annotated[
    list[str] | None, typer.Option("--tag", metavar="TAG", help="A tag for the items, with --save.")
]
Address = Annotated[str, typer.Option(metavar="URL", help="Where Zotero answers.")]


def zotero(
    directory: Directory = None,
    collection: Collection = None,
    save: Save = None,
    tag: Tags = None,
    address: Address = "http://localhost:23119",
    database: common.Database = None,
    json: common.Json = False,
) -> None:
    """Take papers from a running Zotero, or give back what a review found.

    The papers are added to the index, which is made if there is none; those that were there are
    replaced. With --save, items are made in the collection, or in the one selected in Zotero,
    tagged by what they were judged.
    """
    _check(directory, collection, save, tag, database, json=json)
    from likewise.adapters.zotero import Zotero

    running = Zotero(address)
    if directory is None:
        _list(running, json=json)
    elif save is None:
        _add(running, directory, collection)
    else:
        _save(running, directory, collection, save, tag or [], database)


def _check(
    directory: Path | None,
    collection: str | None,
    save: str | None,
    tag: list[str] | None,
    database: str | None,
    *,
    json: bool,
) -> None:
    if directory is None and (collection or save):
        raise UsageError("say which index: likewise zotero DIR")
    if directory is not None and json:
        raise UsageError("--json goes with the list of collections only")
    if save is None and (tag or database):
        raise UsageError("--tag and --database go with --save: give that as well, or leave them")


def _list(zotero: "Zotero", *, json: bool) -> None:
    found = zotero.collections()
    if json:
        stdout.put(stdout.as_json({"collections": [one._asdict() for one in found]}), "utf-8")
    elif found:
        rows = [(str(one.items), one.path) for one in found]
        stdout.put(table([("items", "collection"), *rows], stdout.width(), right=1))


def _add(zotero: "Zotero", directory: Path, collection: str | None) -> None:
    from likewise.index import Index
    from likewise.store.places import is_index

    documents = list(zotero.documents(collection))  # before an index is made
    index = Index.open(directory) if is_index(directory) else Index.create(directory)
    added = index.add(documents, on_duplicate="replace")
    note(f"{added.documents:,} papers from Zotero, {added.replaced:,} of them anew: {directory}")


def _save(
    zotero: "Zotero",
    directory: Path,
    collection: str | None,
    name: str,
    tags: list[str],
    database: str | None,
) -> None:
    from likewise.index import Index

    session = Index.open(directory).find_session(name, database=database)
    if session is None:
        raise UsageError(f"no session {name!r} for {directory}: likewise sessions lists them")
    made = zotero.save(session, collection=collection, tags=tags)
    note(f"{made:,} item{'s' if made != 1 else ''} made in Zotero")
