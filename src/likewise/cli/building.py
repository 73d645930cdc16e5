"""`likewise index` and `likewise add`: from files to an index."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from likewise.cli import options
from likewise.cli.embedding import (
    bring_embeddings,
    check_embeddings,
    refuse_two_kinds,
    tell_unembedded,
)
from likewise.cli.progress import Bar
from likewise.cli.reports import count, tell_added
from likewise.errors import LeftOut, LikewiseError, LockedError, Unfinished, UsageError

if TYPE_CHECKING:
    from likewise.index import Index

Output = Annotated[
    Path,
    typer.Option(
        "--output", "-o", metavar="DIR", help="The folder to make the index in.", show_default=False
    ),
]


def index(
    paths: options.Paths,
    output: Output,
    language: options.Language = "english",
    stop_words: options.StopWords = True,
    bigrams: options.Bigrams = False,
    fields: options.Fields = "title,text",
    latent: options.Latent = None,
    no_latent: options.NoLatent = False,
    embeddings: options.Embeddings = None,
    embeddings_ids: options.EmbeddingsIds = None,
    embed: options.Embed = None,
    on_duplicate: options.OnDuplicate = "error",
    strict: options.Strict = False,
    text_column: options.TextColumn = None,
    title_column: options.TitleColumn = None,
    id_column: options.IdColumn = None,
    ids: options.IdsFile = None,
    format: options.ReadFormat = None,
    memory: options.Memory = 256,
    threads: options.Threads = None,
) -> None:
    """Make an index of files and folders.

    Reads .txt and .md files (one document each), .jsonl, .csv and .tsv files (one document a
    line), .ris files (one a record), vectors in svmlight, .npy or .npz files, and all of these
    compressed as .gz, .bz2, .xz or .zst. An index that is there already is left alone: add to it
    with likewise add, or remove its folder first.
    """
    from likewise.index import Index
    from likewise.store.transaction import refuse_occupied

    refuse_two_kinds(embeddings, embeddings_ids, embed)
    refuse_occupied(output)
    check_embeddings(embeddings, embeddings_ids, embed)
    made = Index.create(
        output,
        language=language,
        stop_words=stop_words,
        bigrams=bigrams,
        fields=[name.strip() for name in fields.split(",")],
        latent=_dimensions(latent, no_latent),
        threads=threads,
    )
    with _removed_on_failure(made):
        with Bar("indexing") as bar, _told_in_the_end():
            added = made.add(
                paths,
                on_duplicate=on_duplicate,
                strict=strict,
                text_column=text_column,
                title_column=title_column,
                id_column=id_column,
                ids_file=ids,
                format=format,
                memory=memory << 20,
                progress=bar,
            )
        if added.documents and (embeddings is not None or embed is not None):
            with _documents_are_in(made, "--embed MODEL" if embed else "--embeddings FILE"):
                bring_embeddings(made, embeddings, embeddings_ids, embed)
        tell_added(added, output, paths)


def add(
    directory: options.Directory,
    paths: options.Paths,
    on_duplicate: options.OnDuplicate = "error",
    strict: options.Strict = False,
    text_column: options.TextColumn = None,
    title_column: options.TitleColumn = None,
    id_column: options.IdColumn = None,
    ids: options.IdsFile = None,
    format: options.ReadFormat = None,
    memory: options.Memory = 256,
    threads: options.Threads = None,
) -> None:
    """Add files and folders to an index.

    Documents are read as by likewise index, and their words treated as was said there. All of
    them appear in the index at once, at the end; if anything fails, it stays as it was.
    """
    from likewise.index import Index

    index = Index.open(directory, threads=threads)
    with Bar("adding") as bar, _told_in_the_end():
        added = index.add(
            paths,
            on_duplicate=on_duplicate,
            strict=strict,
            text_column=text_column,
            title_column=title_column,
            id_column=id_column,
            ids_file=ids,
            format=format,
            memory=memory << 20,
            progress=bar,
        )
    tell_unembedded(index)
    tell_added(added, directory, paths)


def _dimensions(latent: int | None, no_latent: bool) -> int | None:
    if no_latent and latent is not None:
        raise UsageError("--latent and --no-latent exclude each other: give one of them")
    return 0 if no_latent else latent


@contextmanager
def _told_in_the_end() -> Iterator[None]:
    """What was left out or failed later is printed by tell_added."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Unfinished)
        warnings.simplefilter("ignore", LeftOut)
        yield


@contextmanager
def _documents_are_in(made: "Index", option: str) -> Iterator[None]:
    """That only embeddings are missing is part of what went wrong with them."""
    try:
        yield
    except LikewiseError as error:
        there = f"{count(len(made), 'document')} {'is' if len(made) == 1 else 'are'} in {made.path}"
        way = f"likewise embed {made.path} {option} goes on from there"
        raise type(error)(f"{error} ({there} already: {way})") from error


@contextmanager
def _removed_on_failure(made: "Index") -> Iterator[None]:
    """Leave no empty index behind, which the next attempt would have to step around."""
    try:
        yield
    except LockedError:  # somebody else writes to it: it is theirs by now
        raise
    except BaseException:
        if made.refresh().info().generation == 0:
            import shutil

            shutil.rmtree(made.path)
        raise
