"""`likewise search`: the documents that match best."""

from pathlib import Path
from typing import Annotated

import typer

from likewise.cli import asking, options
from likewise.cli.failures import say
from likewise.cli.formats import HitFormat, Results, refuse_run_options, write_hits
from likewise.cli.groups import grouped
from likewise.cli.questions import about, portable, question
from likewise.errors import UsageError

Number = Annotated[int, typer.Option("-k", metavar="N", min=1, help="How many documents to show.")]
Format = Annotated[HitFormat, typer.Option(help="How to print what was found.")]
Topic = Annotated[
    str | None, typer.Option(metavar="ID", help="The topic in a TREC run; 1 by default.")
]
RunTag = Annotated[
    str | None, typer.Option(metavar="TAG", help="The name of a TREC run; likewise by default.")
]
Filter = Annotated[
    str | None,
    typer.Option(
        metavar="CONDITIONS",
        help="Which documents may be shown, as in 'year>=2019 category=cs.CL,cs.LG'.",
    ),
]
SaveQuery = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Where to save what was learned, to run it again."),
]


@grouped
def search(
    directory: options.Directory,
    words: asking.Words = None,
    k: Number = 10,
    format: Format = "table",
    topic: Topic = None,
    run_tag: RunTag = None,
    asked: asking.Asked = asking.NOTHING,
    filter: Filter = None,
    save_query: SaveQuery = None,
) -> None:
    """Find the documents that match best: by words, by examples, or by a saved query.

    With --like, a query is learned from examples of what to find, and perhaps of what not to
    find (--unlike). The examples themselves are left out of what is shown. How learning went is
    told on standard error.
    """
    from likewise.filters import as_filter
    from likewise.index import Index

    as_filter(filter)  # what is wrong with it is said before any work
    ask = question(words, asked)
    refuse_run_options(format, topic, run_tag)
    if save_query is not None:
        _refuse_to_save(save_query, learned=bool(asked.like))
    index = Index.open(directory)
    hits = ask.find(index, k, filter)
    if save_query is not None:
        portable(hits).save(save_query)
    answer = ask.asked() | about(hits)
    results = Results(str(directory), answer, hits, topic, run_tag, index.document)
    write_hits(results, format)
    if not hits:
        kept = f" and meets the filter {filter}" if filter else ""
        say(f"no document in {directory} {ask.nothing}{kept}")


def _refuse_to_save(path: Path, *, learned: bool) -> None:
    """What can be known before learning is said before it."""
    if not learned:
        raise UsageError("--save-query goes with --like: nothing else is learned")
    if path.is_dir():
        raise UsageError(f"--save-query {path} is a folder: give the name of a file")
    if not path.parent.is_dir():
        raise UsageError(f"--save-query {path}: there is no folder {path.parent}")
