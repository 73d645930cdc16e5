"""`likewise show`: documents for people to read, or as a file for other programs."""

from typing import Annotated

import typer

from likewise.cli.options import choices, common
from likewise.errors import UsageError
from likewise.writers.formats import FORMATS

EXAMPLES = (
    "papers.idx doc-12",
    "papers.idx doc-12 doc-15 --format bibtex",
    "papers.idx --filter 'year>=2019' --format ris > recent.ris",
)

TEXT = "text"
SHOWN_FORMAT = choices.choice_of((TEXT, *FORMATS))

Ids = Annotated[
    list[str] | None,
    typer.Argument(metavar="ID", help="Ids of documents to show.", show_default=False),
]
Filter = Annotated[
    str | None,
    typer.Option(metavar="CONDITIONS", help="Show the documents with these fields."),
]
All = Annotated[bool, typer.Option("--all", help="Show all documents.")]
Format = Annotated[
    str | None,
    SHOWN_FORMAT.option("The output format; text is for people, and the default."),
]


def show(
    directory: common.Directory,
    ids: Ids = None,
    filter: Filter = None,
    all_: All = False,
    format: Format = None,
    json: common.Json = False,
) -> None:
    """Show documents with all their fields.

    They are given by ids, by a filter, or --all. Formats other than text are files for other
    programs.
    """
    from likewise.cli.printing.documents import print_documents
    from likewise.filters import as_filter
    from likewise.index import Index

    _check(ids, filter, format, every=all_, json=json)
    as_filter(filter)
    index = Index.open(directory)
    records = index.records(ids) if ids else index.records(filter=filter)
    print_documents(records, "json" if json else format or TEXT)


def _check(
    ids: list[str] | None, filter: str | None, format: str | None, *, every: bool, json: bool
) -> None:
    ways = {"ids": bool(ids), "--filter": filter is not None, "--all": every}
    used = [way for way, given in ways.items() if given]
    if not used:
        raise UsageError("nothing to show: give ids, --filter or --all")
    if len(used) > 1:
        raise UsageError(f"{' and '.join(used)} exclude each other: give one of them")
    if json and format is not None:
        raise UsageError("--json and --format exclude each other: give one of them")
