"""`likewise search`: finds documents by words, by examples or by a saved query."""

from pathlib import Path
from typing import Annotated

import typer

from likewise.cli.failures import say
from likewise.cli.options import choices, common, engines
from likewise.cli.options.groups import grouped
from likewise.cli.options.query import NONE, QueryOptions, Words
from likewise.cli.printing import learned
from likewise.cli.printing.hits import FORMATS, Results, check_run_options, print_hits
from likewise.cli.queries import Search, portable, query_of, since_last_look
from likewise.errors import UsageError

EXAMPLES = (
    'papers.idx "quantum gases"',
    "papers.idx robot arm -k 100 --format ris > hits.ris",
    "papers.idx robot arm --filter 'year>=2019 category=cs.RO'",
    "papers.idx --like id:doc-7 --like new.txt --unlike id:doc-3",
    "papers.idx --like id:doc-7 --like id:doc-9 --method ba --save-query q.json",
    "papers.idx --query q.json --format trec --topic 7 --run-tag ba",
)

HIT_FORMAT = choices.choice_of(FORMATS)

Number = Annotated[int, typer.Option("-k", metavar="N", min=1, help="Number of documents to show.")]
Format = Annotated[
    str,
    HIT_FORMAT.option("The output format."),
]
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
        help="Show only documents with these fields, as in 'year>=2019 category=cs.CL,cs.LG'.",
    ),
]
SaveQuery = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Save the learned query, to run it again with --query."),
]
GroupDuplicates = Annotated[
    bool,
    typer.Option(
        "--group-duplicates", help="Show one of each group of duplicates, and name the others."
    ),
]
New = Annotated[
    bool,
    typer.Option(
        "--new", help="With --query: only what came since this query was last run with --new."
    ),
]


@grouped
def search(
    directory: common.Directory,
    words: Words = None,
    k: Number = 10,
    format: Format = "table",
    topic: Topic = None,
    run_tag: RunTag = None,
    options: QueryOptions = NONE,
    filter: Filter = None,
    group_duplicates: GroupDuplicates = False,
    save_query: SaveQuery = None,
    new: New = False,
    engine: engines.Engine = None,
    gpu_memory: engines.GpuMemory = None,
    cluster: engines.Cluster = None,
    details: common.Details = False,
) -> None:
    """Find documents by words, by examples or by a saved query.

    The best matches are shown. With --like, a query is learned from examples of what to find, and
    of what not to find (--unlike). The examples themselves are not shown. Notes go to standard
    error.
    """
    from likewise.filters import as_filter
    from likewise.index import Index
    from likewise.writers.formats import refuse_missing

    as_filter(filter)  # an invalid one is refused before any work
    query = query_of(words, options)
    check_run_options(format, topic, run_tag)
    if new and options.query is None:
        raise UsageError("--new goes with --query: what is new is remembered for a saved query")
    refuse_missing(format)
    if save_query is not None:
        _check_save(save_query, learned=bool(options.like))
    index = Index.open(directory, engine=engines.chosen(engine, gpu_memory, cluster))
    index.searcher.kept(as_filter(filter))  # and a field that no document has
    with since_last_look(index, options.query if new else None) as among:
        hits = query.find(Search(index, directory, k, filter, details, among, group_duplicates))
        if save_query is not None:
            portable(hits).save(save_query)
        fields = query.fields() | learned.fields(hits)
        results = Results(str(directory), fields, hits, topic, run_tag, hits.duplicates)
        print_hits(results, hits, format)
    if not hits:
        filtered = f" and meets the filter {filter}" if filter else ""
        since = ", of those that came since the last look" if new else ""
        say(f"no document in {directory} {query.nothing}{filtered}{since}")


def _check_save(path: Path, *, learned: bool) -> None:
    """Refuse before learning what could not be saved after it."""
    if not learned:
        raise UsageError("--save-query goes with --like: only then a query is learned")
    if path.is_dir():
        raise UsageError(f"--save-query {path} is a folder: give the name of a file")
    if not path.parent.is_dir():
        raise UsageError(f"--save-query {path}: there is no folder {path.parent}")
