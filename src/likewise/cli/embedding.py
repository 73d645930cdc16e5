"""`likewise embed`: embeddings as a view of an index."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from likewise.cli import options
from likewise.cli.failures import INTERRUPTED, note, say
from likewise.cli.progress import Bar
from likewise.cli.reports import count
from likewise.errors import UsageError

if TYPE_CHECKING:
    from likewise.index import Index

Replace = Annotated[
    bool,
    typer.Option("--replace", help="Forget all other embeddings when some are brought in a file."),
]
Drop = Annotated[bool, typer.Option("--drop", help="Forget the embeddings that are there.")]


def embed(
    directory: options.Directory,
    embeddings: options.Embeddings = None,
    embeddings_ids: options.EmbeddingsIds = None,
    embed: options.Embed = None,
    replace: Replace = False,
    drop: Drop = False,
) -> None:
    """Bring embeddings of the documents, or make them, for method auto to use beside words.

    Those from a file join those that were brought before, if they have as many dimensions, and
    replace all others; documents that have one of the model named keep it. Documents that are
    added later have none until this is done again: with a file, or without any option by the
    model that made the others. What was interrupted goes on from where it was.
    """
    from likewise.index import Index

    refuse_two_kinds(embeddings, embeddings_ids, embed)
    if replace and embeddings is None:
        raise UsageError("--replace goes with --embeddings: it says what becomes of the others")
    index = Index.open(directory)
    if drop:
        if embeddings is not None or embed is not None:
            raise UsageError("--drop forgets embeddings: --embeddings and --embed bring them")
        index.drop_embeddings()
        note(f"{directory} has no embeddings now")
        return
    bring_embeddings(index, embeddings, embeddings_ids, embed, replace=replace)


def refuse_two_kinds(file: Path | None, ids: Path | None, model: str | None) -> None:
    if file is not None and model is not None:
        raise UsageError("--embeddings and --embed exclude each other: give one of them")
    if ids is not None and file is None:
        raise UsageError("--embeddings-ids goes with --embeddings: it names that file's rows")


def check_embeddings(file: Path | None, ids: Path | None, model: str | None) -> None:
    """What is wrong whatever the documents are is said before they are read."""
    if file is not None:
        from likewise.search import vectors as embedding

        embedding.check(embedding.load(file), embedding.names(ids), str(file))
    if model is not None:
        from likewise.views import models as encoder

        encoder.find(model)


def bring_embeddings(
    index: "Index",
    file: Path | None,
    ids: Path | None,
    model: str | None,
    *,
    replace: bool = False,
) -> None:
    """From a file, or by a model: the one named, or the one that is to go on."""
    with Bar("embedding") as bar:
        if file is not None:
            brought = index.embed(file, ids, replace=replace)
            new, lost = brought.given, brought.lost
        else:
            new, lost = _make(index, model, bar), 0
    view = index.info().views["embeddings"]
    more = "" if new == view.documents else f", {new:,} of them new"
    more += f"; {count(lost, 'other document')} lost the one from before" if lost else ""
    note(f"{index.path}: embeddings of {count(view.documents, 'document')} ({view.source}){more}")


def tell_unembedded(index: "Index") -> None:
    """After adding: documents without an embedding, where others have one."""
    view = index.info().views.get("embeddings")
    if view is not None and view.later:
        from likewise.search.notes import without

        place = str(index.path)
        note(without(view.later, by_model=view.by_model, model=view.model, index=place))


def _make(index: "Index", model: str | None, bar: Bar) -> int:
    try:
        return index.embed_with(model, progress=bar)
    except KeyboardInterrupt:
        bar.stop()
        again = f"likewise embed {index.path}" + (f" --embed {model}" if model else "")
        say(f"interrupted; what was embedded so far is kept: {again} goes on from there")
        raise typer.Exit(INTERRUPTED) from None
