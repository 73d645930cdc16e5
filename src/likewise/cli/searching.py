"""`likewise search`: the documents that match best."""

from typing import Annotated

import typer

from likewise.cli import options
from likewise.cli.failures import say
from likewise.cli.formats import HitFormat, Results, write_hits

Words = Annotated[
    list[str], typer.Argument(metavar="WORDS", help="What to look for.", show_default=False)
]
Number = Annotated[int, typer.Option("-k", metavar="N", min=1, help="How many documents to show.")]
Format = Annotated[HitFormat, typer.Option(help="How to print what was found.")]
Topic = Annotated[
    str | None, typer.Option(metavar="ID", help="The topic in a TREC run; 1 by default.")
]
RunTag = Annotated[
    str | None, typer.Option(metavar="TAG", help="The name of a TREC run; likewise by default.")
]


def search(
    directory: options.Directory,
    words: Words,
    k: Number = 10,
    format: Format = "table",
    topic: Topic = None,
    run_tag: RunTag = None,
) -> None:
    """Find the documents that match some words best."""
    from likewise.index import Index

    query = " ".join(words)
    hits = Index.open(directory).search(query, k)
    write_hits(Results(str(directory), query, hits, topic, run_tag), format)
    if not hits:
        say(f"no document in {directory} has any of these words")
