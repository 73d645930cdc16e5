"""`likewise searches`: searches kept by name, and what came since the last look."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from likewise.cli.failures import note, say
from likewise.cli.options import common
from likewise.cli.printing import stdout
from likewise.cli.printing.hits import Results, print_hits
from likewise.errors import UsageError

if TYPE_CHECKING:
    from likewise.reviews.saved import SavedSearches

EXAMPLES = (
    'papers.idx robots --words "robot arm" --filter "year>=2020"',
    "papers.idx",
    "papers.idx robots",
    "papers.idx robots --delete",
)

Name = Annotated[str | None, typer.Argument(metavar="NAME", help="The search.", show_default=False)]
Words = Annotated[
    str | None, typer.Option("--words", metavar="WORDS", help="Keep a search by these words.")
]
Query = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Keep a search by a query saved with likewise search --save-query."
    ),
]
Filter = Annotated[
    str | None, typer.Option("--filter", metavar="FILTER", help="Of the search that is kept.")
]
Delete = Annotated[bool, typer.Option("--delete", help="Delete the search.")]
Number = Annotated[int, typer.Option("-k", metavar="N", min=1, help="Number of new documents.")]
MOST_COUNTED = 1_000  # new documents that are counted


def searches(
    directory: common.Directory,
    name: Name = None,
    words: Words = None,
    query: Query = None,
    filter: Filter = None,
    delete: Delete = False,
    k: Number = 10,
    reviewer: common.Reviewer = None,
    json: common.Json = False,
    database: common.Database = None,
) -> None:
    """Keep searches by name, and show what came since the last look.

    Without a name it lists them, each with the number of new documents that match. With a name it
    shows these, and they count as seen.
    """
    from likewise.index import Index
    from likewise.search.query import Query as Saved

    keeps = words is not None or query is not None
    if name is None and (keeps or delete or filter is not None):
        raise UsageError("give the name of the search")
    if delete and keeps:
        raise UsageError("--delete goes alone")
    if filter is not None and not keeps:
        raise UsageError("--filter goes with --words or --query")
    index = Index.open(directory)
    kept = index.reviews.searches(database)
    if name is None:
        _print_list(kept, reviewer, json=json)
    elif keeps:
        learned = None if query is None else Saved.load(query)
        kept.save(name, words or "", query=learned, filter=filter or "", owner=reviewer)
        note(f"search {name} is kept; what is there now counts as seen")
    elif delete:
        kept.delete(name)
        note(f"search {name} deleted")
    else:
        found = kept.new(name, reviewer=reviewer, k=k)
        results = Results(str(directory), {"search": name}, found.hits)
        print_hits(results, found.hits, "json" if json else "table")
        if not found.hits:
            say(f"nothing new for search {name}: {found.new:,} documents came, none matches")
        kept.seen(name, reviewer=reviewer)


def _print_list(kept: "SavedSearches", reviewer: str | None, *, json: bool) -> None:
    """Names, what is asked, and how much is new."""
    rows = []
    for one in kept.list():
        found = kept.new(one.name, reviewer=reviewer, k=MOST_COUNTED)
        new = 0 if found.since is None else len(found.hits)
        by = one.search.get("words") or "a learned query"
        filter = one.search.get("filter", "")
        rows.append({"name": one.name, "new": new, "by": by, "filter": filter})
    if json:
        stdout.put(stdout.as_json({"searches": rows}), "utf-8")
    elif rows:
        cells = [("new", "search", "by", "filter")]
        cells += [(f"{row['new']:,}", row["name"], row["by"], row["filter"]) for row in rows]
        stdout.put_table(cells)
    else:
        say("no search is kept: likewise searches DIR NAME --words WORDS")
