"""`likewise embed`: embeddings as a view of an index."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from likewise.cli.failures import INTERRUPTED, note, say
from likewise.cli.options import common, embeddings
from likewise.cli.options.groups import grouped
from likewise.cli.printing.units import count
from likewise.cli.progress import Bar
from likewise.errors import UsageError

if TYPE_CHECKING:
    from likewise.index import Index

EXAMPLES = (
    "papers.idx",
    "papers.idx --embeddings vectors.npy --embeddings-ids ids.txt",
    "papers.idx --embed models/all-MiniLM-L6-v2",
    "papers.idx --precision int8",
)

Replace = Annotated[
    bool, typer.Option("--replace", help="Remove all other embeddings when a file brings some.")
]
Precision = Annotated[
    str | None,
    typer.Option(
        "--precision",
        metavar="TYPE",
        help="Keep all embeddings as int8, a quarter of the space, or as float32.",
    ),
]
Drop = Annotated[bool, typer.Option("--drop", help="Remove the embeddings of the index.")]


@grouped
def embed(
    directory: common.Directory,
    vectors: embeddings.Embeddings = embeddings.NONE,
    replace: Replace = False,
    drop: Drop = False,
    precision: Precision = None,
) -> None:
    """Add embeddings from a file, or compute them by a model.

    Method auto uses them beside the words. Embeddings from a file are added to earlier ones from
    files if their dimensions are equal; otherwise they replace them. A model computes only those
    that it has not computed before: by default that of the other embeddings, or all-MiniLM-L6-v2.
    Run this again for documents that were added later: with a file, or without options to use the
    same model. An interrupted run continues where it stopped.
    """
    from likewise.index import Index

    vectors.check()
    if replace and vectors.embeddings is None:
        raise UsageError("--replace goes with --embeddings: it removes all other embeddings")
    index = Index.open(directory)
    if drop:
        if vectors.given or precision:
            raise UsageError("--drop removes the embeddings: it goes without other options")
        index.drop_embeddings()
        note(f"{directory} has no embeddings now")
        return
    if vectors.given or precision is None:
        add_embeddings(index, directory, vectors, replace=replace)
    if precision is not None:
        index.views.store_embeddings(precision)
        note(f"{directory}: embeddings are kept as {precision}")


def add_embeddings(
    index: "Index", directory: Path, vectors: embeddings.Embeddings, *, replace: bool = False
) -> None:
    """From a file, or by a model: the one named, or the one that made the others."""
    with Bar("embedding") as bar:
        if vectors.embeddings is not None:
            brought = index.embed(vectors.embeddings, vectors.embeddings_ids, replace=replace)
            new, lost = brought.given, brought.lost
        else:
            new, lost = _compute(index, directory, vectors.embed, bar), 0
    view = index.info().views["embeddings"]
    more = "" if new == view.documents else f", {new:,} of them new"
    more += f"; {count(lost, 'other document')} lost the earlier one" if lost else ""
    note(f"{directory}: embeddings of {count(view.documents, 'document')} ({view.source}){more}")


def print_unembedded(index: "Index", directory: Path) -> None:
    """After adding: documents without an embedding, where others have one."""
    view = index.info().views.get("embeddings")
    if view is not None and view.later:
        from likewise.search.notes import without

        place = str(directory)
        note(without(view.later, by_model=view.by_model, model=view.model, index=place))


def _compute(index: "Index", directory: Path, model: str | None, bar: Bar) -> int:
    try:
        return index.embed_with(model, progress=bar)
    except KeyboardInterrupt:
        bar.stop()
        again = f"likewise embed {directory}" + (f" --embed {model}" if model else "")
        say(f"interrupted; the embeddings computed so far are kept: continue with {again}")
        raise typer.Exit(INTERRUPTED) from None
