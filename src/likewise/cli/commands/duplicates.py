"""`likewise duplicates`: lists groups of records of the same paper."""

from typing import TYPE_CHECKING, Annotated

import typer

from likewise.cli.failures import note
from likewise.cli.options import common
from likewise.cli.printing import stdout
from likewise.cli.printing.text import one_line
from likewise.cli.printing.units import count
from likewise.cli.progress import Bar
from likewise.errors import UsageError

if TYPE_CHECKING:
    from likewise.duplicates import Duplicates

EXAMPLES = ("papers.idx", "papers.idx --threshold 0.95 --csv > duplicates.csv")

Threshold = Annotated[
    float,
    typer.Option(metavar="X", min=0.0, max=1.0, help="The least similarity of two records."),
]
Csv = Annotated[bool, typer.Option("--csv", help="Print CSV, a row for each document.")]


def duplicates(
    directory: common.Directory,
    threshold: Threshold = 0.8,
    json: common.Json = False,
    csv: Csv = False,
) -> None:
    """List records of the same paper.

    They have the same DOI or PMID, or titles, authors, years and abstracts that are alike. The
    first of each group is the most complete one. Nothing is changed: likewise delete removes
    documents, and likewise search --group-duplicates shows one of each group.
    """
    from likewise.index import Index

    if json and csv:
        raise UsageError("--json and --csv exclude each other: give one of them")
    index = Index.open(directory)
    with Bar("comparing") as bar:
        found = index.duplicates(threshold, progress=bar)
    if json:
        groups = [{"members": [one._asdict() for one in group.members]} for group in found.groups]
        head = {"documents": found.documents, "duplicates": found.extra}
        stdout.put(
            stdout.as_json({**head, "threshold": found.threshold, "groups": groups}), "utf-8"
        )
    elif csv:
        stdout.put(_as_csv(found), "utf-8")
    else:
        stdout.put(_as_text(found))
        note(
            f"{count(len(found.groups), 'group')} among {count(found.documents, 'document')}: "
            f"{count(found.extra, 'document')} besides the first of each"
        )


def _as_text(found: "Duplicates") -> str:
    blocks = []
    for group in found.groups:
        lines = [
            f"{one.similarity:.3f}  {one_line(one.id)}  {one_line(one.title)}  ({one.reason})"
            for one in group.members
        ]
        blocks.append("\n".join(lines) + "\n")
    return "\n".join(blocks)


def _as_csv(found: "Duplicates") -> str:
    import csv
    import io

    from likewise.readers.cells import neutral

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("group", "id", "similarity", "reason", "title"))
    for number, group in enumerate(found.groups, 1):
        for one in group.members:
            shown = neutral(one.id), round(one.similarity, 4), one.reason, neutral(one.title)
            writer.writerow((number, *shown))
    return text.getvalue()
