"""`likewise index`: makes an index of files and folders."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from likewise.cli.commands.embed import add_embeddings
from likewise.cli.failures import note
from likewise.cli.options import common, embeddings, reading
from likewise.cli.options.groups import grouped
from likewise.cli.printing.index import print_added
from likewise.cli.printing.units import count
from likewise.cli.progress import Bar
from likewise.errors import LeftOut, LikewiseError, LockedError, Unfinished, UsageError

if TYPE_CHECKING:
    from likewise.index import Index
    from likewise.store import Added

EXAMPLES = (
    "papers/ -o papers.idx",
    "records.csv --text-column Abstract -o papers.idx",
    "records.ris --preview",
    "- --language german -o news.idx < news.jsonl",
)

Output = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="DIR", help="The folder of the new index.", show_default=False
    ),
]


VIEWS = ("words", "titles", "latent")  # that can be made here; embeddings have options
Views = Annotated[
    str | None,
    typer.Option(
        "--views",
        metavar="NAMES",
        help="The views to have, separated by commas: words, titles, latent. By default all.",
    ),
]
Shards = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help="Divide the documents into so many indexes that each open alone; the whole ranks as "
        "one.",
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Let the workers of a Dask cluster build the shards: tcp://HOST:PORT, "
        "tls://HOST:PORT, or local:N for N processes on this machine.",
    ),
]
Preview = Annotated[
    bool,
    typer.Option(
        "--preview",
        help="Only say what is in the files: records, fields, duplicates, labels, and what cannot "
        "be read.",
    ),
]


@grouped
def index(
    paths: common.Paths,
    output: Output = None,
    preview: Preview = False,
    language: common.Language = "english",
    stop_words: common.StopWords = True,
    bigrams: common.Bigrams = False,
    fields: common.Fields = "title,text",
    latent: common.Latent = None,
    no_latent: common.NoLatent = False,
    views: Views = None,
    vectors: embeddings.Embeddings = embeddings.NONE,
    how: reading.Reading = reading.DEFAULT,
    labels: common.Labels = None,
    shards: Shards = None,
    cluster: Cluster = None,
    threads: common.Threads = None,
) -> None:
    """Make an index of files and folders.

    Reads papers, pages and notes (one document a file), tables (one a row), references (one a
    record), vectors, and archives of these; likewise formats lists all of them. Each may be
    compressed as .gz, .bz2, .xz or .zst. An existing index is never overwritten: use likewise
    add, or remove its folder first.
    """
    from likewise.index import Index
    from likewise.store.transaction import refuse_occupied

    if preview:
        _preview(paths, how)
        return
    if output is None:
        raise UsageError("say where the index is to be with --output (-o), or --preview")
    if cluster is not None and shards is None:
        raise UsageError("--cluster builds shards: say how many with --shards")
    vectors.check()
    latent, titles = _views(views, latent, no_latent)
    refuse_occupied(output)
    vectors.check_files()
    made = Index.create(
        output,
        language=language,
        stop_words=stop_words,
        bigrams=bigrams,
        fields=[name.strip() for name in fields.split(",")],
        latent=latent,
        titles=titles,
        shards=shards,
        threads=threads,
    )
    with _removed_on_failure(made, shards_stay=cluster is not None):
        with Bar("indexing") as bar, without_warning_twice():
            added = made.add(paths, progress=bar, cluster=cluster, **how.arguments())
        if added.documents and vectors.given:
            with _error_says_documents_are_in(made, output, vectors):
                add_embeddings(made, output, vectors)
        if labels is not None:
            take_labels(made, labels, added)
        print_added(added, output, paths, labels)


def _preview(paths: list[str], how: reading.Reading) -> None:
    from likewise.cli.printing.preview import print_preview
    from likewise.previewing import preview

    others = ("on_duplicate", "strict", "memory")
    given = {name: value for name, value in how.arguments().items() if name not in others}
    with Bar("reading") as bar:
        found = preview(paths, progress=bar, **given)
    print_preview(found, paths)


def take_labels(index: "Index", name: str, added: "Added") -> None:
    """Make a session of the labels in the documents, if there are any."""
    if not added.labels:
        raise UsageError(
            f"{index.path} is made, but no document has a label for --labels, such as 1 or included"
        )
    taken = index.session(name).load_labels()
    note(f"{count(taken.judged, 'judgement')} added to session {name}")


@contextmanager
def without_warning_twice() -> Iterator[None]:
    """What was left out or failed afterwards is printed by print_added."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Unfinished)
        warnings.simplefilter("ignore", LeftOut)
        yield


def _views(
    views: str | None, latent: int | None, no_latent: bool
) -> tuple[int | None, bool | None]:
    """Dimensions of the latent space, 0 for none, and whether there are titles; None leaves it
    to the documents.
    """
    if no_latent and latent is not None:
        raise UsageError("--latent and --no-latent exclude each other: give one of them")
    if views is None:
        return 0 if no_latent else latent, None
    names = {name.strip() for name in views.split(",")}
    if unknown := names.difference(VIEWS):
        raise UsageError(f"--views {min(unknown)}: choose from {', '.join(VIEWS)}")
    if "latent" in names:
        if no_latent:
            raise UsageError("--views names the latent space and --no-latent wants none")
        return latent, "titles" in names
    if latent is not None:
        raise UsageError("--latent goes with --views that name it, or without --views")
    return 0, "titles" in names


@contextmanager
def _error_says_documents_are_in(
    made: "Index", output: Path, vectors: embeddings.Embeddings
) -> Iterator[None]:
    """Where embeddings fail, the documents are indexed all the same: say how to continue."""
    try:
        yield
    except LikewiseError as error:
        verb = "is" if len(made) == 1 else "are"
        option = "--embed MODEL" if vectors.embed else "--embeddings FILE"
        raise type(error)(
            f"{error} ({count(len(made), 'document')} {verb} in {output} already: "
            f"continue with likewise embed {output} {option})"
        ) from error


@contextmanager
def _removed_on_failure(made: "Index", *, shards_stay: bool) -> Iterator[None]:
    """Leave no empty index behind, which would be in the way of the next attempt.

    Shards that a cluster has finished may stay: the next attempt goes on from there.
    """
    try:
        yield
    except LockedError:  # another process writes to it by now
        raise
    except BaseException:
        from likewise.store.manifest import NAME
        from likewise.store.shards import SHARDS

        stay = shards_stay and any((made.path / SHARDS).glob(f"*/{NAME}"))
        if not stay and made.refresh().info().generation == 0:
            import shutil

            shutil.rmtree(made.path)
        raise
