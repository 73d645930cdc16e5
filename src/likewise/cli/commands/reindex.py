"""`likewise reindex`: analyses the documents of an index anew."""

import warnings
from typing import Annotated

import typer

from likewise.cli.options import common
from likewise.cli.printing.index import print_reindexed
from likewise.cli.progress import Bar
from likewise.errors import Drifted

EXAMPLES = ("papers.idx", "papers.idx --language german", "papers.idx --fields title,text,keywords")

SAME = "as before by default."
Language = Annotated[
    str | None,
    typer.Option(metavar="NAME", help=f"The language for stemming, or none; {SAME}"),
]
StopWords = Annotated[
    bool | None,
    typer.Option("--stop-words/--no-stop-words", help=f"Leave out stop words, or not; {SAME}"),
]
Bigrams = Annotated[
    bool | None,
    typer.Option("--bigrams/--no-bigrams", help=f"Index pairs of words as well, or not; {SAME}"),
]
Fields = Annotated[
    str | None,
    typer.Option(metavar="NAMES", help=f"The fields to index, separated by commas; {SAME}"),
]


def reindex(
    directory: common.Directory,
    language: Language = None,
    stop_words: StopWords = None,
    bigrams: Bigrams = None,
    fields: Fields = None,
    memory: common.Memory = 256,
    threads: common.Threads = None,
) -> None:
    """Analyse the documents of an index anew.

    Needed after an upgrade that changes how words are stemmed, and the way to change an index's
    language, stop words or fields. The documents are those that the index holds: their files are
    not read again. Judgements and embeddings stay. If anything fails, the index stays as it was.
    """
    from likewise.index import Index

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Drifted)  # that is why
        index = Index.open(directory, threads=threads)
    with Bar("analysing") as bar:
        index.reindex(
            language=language,
            stop_words=stop_words,
            bigrams=bigrams,
            fields=None if fields is None else [name.strip() for name in fields.split(",")],
            memory=memory << 20,
            progress=bar,
        )
    print_reindexed(directory, index.info())
