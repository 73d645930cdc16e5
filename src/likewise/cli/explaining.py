"""`likewise explain`: why a document scores as it does, or what a query is made of."""

from typing import TYPE_CHECKING, Annotated

import typer

from likewise.cli import asking, options
from likewise.cli.explanations import (
    ExplainedDocument,
    ExplainedQuery,
    ExplanationFormat,
    write_explained,
)
from likewise.cli.groups import grouped
from likewise.cli.output import valid
from likewise.cli.questions import about, portable, question
from likewise.errors import UsageError

if TYPE_CHECKING:
    from likewise.index import Index
    from likewise.search.hits import Hits

Id = Annotated[
    str | None,
    typer.Argument(metavar="ID", help="The document to explain.", show_default=False),
]
Number = Annotated[
    int, typer.Option("-k", metavar="N", min=1, help="How many terms, and documents, to show.")
]
Format = Annotated[ExplanationFormat, typer.Option(help="How to print the explanation.")]


@grouped
def explain(
    directory: options.Directory,
    id: Id = None,
    words: asking.Words = None,
    k: Number = 10,
    format: Format = "table",
    asked: asking.Asked = asking.NOTHING,
) -> None:
    """Tell why a document scores as it does, or what a query is made of.

    With the id of a document: what each term adds to its score, or takes from it. Without: the
    terms that count most for and against a document, and the documents that this was learned
    from. What to look for is said as to likewise search.
    """
    from likewise.index import Index

    ask = question(words, asked)
    index = Index.open(directory)
    if id is not None and id not in index:  # before the work, not after it
        raise UsageError(f"no document {id!r} in {directory}")
    hits = ask.find(index, 1)
    fields = {"index": valid(str(directory)), **ask.asked(), **about(hits)}
    if id is None:
        write_explained(_query(index, hits, k), fields, format)
    else:
        explanation = index.explain(
            id, hits.query or " ".join(words or ()), weighting=asked.weighting
        )
        title = index.document(id).title
        write_explained(ExplainedDocument(explanation, title, k), fields, format)


def _query(index: "Index", hits: "Hits", k: int) -> ExplainedQuery:
    query = portable(hits)
    ids = [one.id for one in query.support[:k] if one.id in index]
    return ExplainedQuery(query, hits.known, {id: index.document(id).title for id in ids}, k)
