"""`likewise embed`: embeddings as a view of an index."""

from pathlib import Path
from typing import TYPE_CHECKING

from likewise.cli import options
from likewise.cli.failures import note
from likewise.cli.progress import Bar
from likewise.cli.reports import count
from likewise.errors import UsageError

if TYPE_CHECKING:
    from likewise.index import Index


def embed(
    directory: options.Directory,
    embeddings: options.Embeddings = None,
    embeddings_ids: options.EmbeddingsIds = None,
    embed: options.Embed = None,
) -> None:
    """Bring embeddings of the documents, or make them, for method auto to use beside words.

    They replace those that are there. Documents that are added later have none until this is
    done again, as likewise info tells.
    """
    from likewise.index import Index

    refuse_two_kinds(embeddings, embeddings_ids, embed)
    if embeddings is None and embed is None:
        raise UsageError("nothing to embed with: give --embeddings FILE or --embed MODEL")
    index = Index.open(directory)
    with Bar("embedding"):
        bring_embeddings(index, embeddings, embeddings_ids, embed)
    view = index.info().views["embeddings"]
    note(f"{directory}: embeddings of {count(view.documents, 'document')} ({view.source})")


def refuse_two_kinds(file: Path | None, ids: Path | None, model: str | None) -> None:
    if file is not None and model is not None:
        raise UsageError("--embeddings and --embed exclude each other: give one of them")
    if ids is not None and file is None:
        raise UsageError("--embeddings-ids goes with --embeddings: it names that file's rows")


def bring_embeddings(
    index: "Index", file: Path | None, ids: Path | None, model: str | None
) -> None:
    if file is not None:
        index.embed(file, ids)
    elif model is not None:
        index.embed_with(model)
