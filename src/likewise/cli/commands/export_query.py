"""`likewise export-query`: writes a saved query for another engine or database."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from likewise.cli.failures import note
from likewise.cli.options import choices
from likewise.cli.printing import stdout
from likewise.errors import UsageError

if TYPE_CHECKING:
    from likewise.index import Index

EXAMPLES = (
    "q.json --to lucene --index papers.idx --terms 20",
    "q.json --to elasticsearch --index papers.idx --field title --field abstract",
    "q.json --to pubmed --index papers.idx --session review",
)


def _targets() -> dict[str, str]:
    from likewise.search.elsewhere import TARGETS

    return TARGETS


TARGET = choices.Choice(_targets)

Query = Annotated[
    Path, typer.Argument(metavar="QUERY", help="The file of a saved query.", show_default=False)
]
To = Annotated[str, TARGET.option("The engine or database.")]
Directory = Annotated[
    Path | None,
    typer.Option(
        "--index",
        metavar="DIR",
        help="An index of such documents: for whole words, boosts, and what is kept or found. A "
        "Boolean query needs one.",
    ),
]
Terms = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="Number of terms at most; 50, or 20 if Boolean."),
]
Field = Annotated[
    list[str] | None,
    typer.Option("--field", metavar="NAME", help="A field of documents there; may be repeated."),
]
Scoring = Annotated[
    str,
    choices.choice_of(("bm25", "index")).option(
        "How documents are weighted there: by BM25, or, for vectors of the index, as in it."
    ),
]
Session = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="A review whose judgements a Boolean query is learned from."),
]
Beta = Annotated[
    float | None,
    typer.Option(
        metavar="X",
        help="How many times as much recall counts as precision, in a Boolean query; 2 by default.",
    ),
]
Output = Annotated[
    Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write to a file.")
]


def export_query(
    query: Query,
    to: To,
    index: Directory = None,
    terms: Terms = None,
    field: Field = None,
    scoring: Scoring = "bm25",
    session: Session = None,
    beta: Beta = None,
    output: Output = None,
) -> None:
    """Write a saved query for another engine or database.

    Engines that rank get the terms that say most, with boosts. Databases get a Boolean query of few
    terms. How much of the ranking is kept, or how much is found, is said on standard error.
    """
    from likewise.index import Index
    from likewise.search.elsewhere import export_query
    from likewise.search.query import Query

    saved = Query.load(query)
    opened = None if index is None else Index.open(index)
    if session is not None and opened is None:
        raise UsageError("--session goes with --index: give the index of the review")
    relevant, others = _judged(opened, session) if opened and session else (None, None)
    exported = export_query(
        saved,
        to,
        None if opened is None else opened.searcher,
        terms=terms,
        fields=field or (),
        scoring=scoring,
        relevant=relevant,
        others=others,
        beta=beta,
    )
    for line in (f"{to}: {exported.about}", *exported.notes):
        note(line)
    if output is None:
        stdout.put(f"{exported.text}\n")
    else:
        exported.save(output)


def _judged(index: "Index", name: str) -> tuple[list[str], list[str]]:
    """The relevant documents of a review, and those that are not."""
    found = index.find_session(name)
    if found is None:
        raise UsageError(f"no session {name!r} in {index.path}: likewise sessions lists them")
    labels = {id: label for id, label in found.labels().items() if id in index}
    if True not in labels.values():
        raise UsageError(f"nothing in the session {name!r} is judged relevant: judge some first")
    return [id for id, label in labels.items() if label], [
        id for id, label in labels.items() if not label
    ]
