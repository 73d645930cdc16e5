"""`likewise explain`: why a document scores as it does, or what a query is made of."""

from typing import Annotated

import typer

from likewise.cli import asking, options
from likewise.cli.explanations import ExplanationFormat, write_explanation, write_query
from likewise.cli.groups import grouped
from likewise.cli.questions import question
from likewise.errors import UsageError

Id = Annotated[
    str | None,
    typer.Argument(metavar="ID", help="The document to explain.", show_default=False),
]
Number = Annotated[
    int, typer.Option("-k", metavar="N", min=1, help="How many terms and documents to show.")
]
Format = Annotated[ExplanationFormat, typer.Option(help="How to print it.")]


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
    from. What is asked is given as to likewise search.
    """
    from likewise.index import Index

    ask = question(words, asked)
    index = Index.open(directory)
    if id is not None and id not in index:
        raise UsageError(f"no document {id!r} in {directory}")
    query = ask.query(index)
    if id is None:
        write_query(index, query, ...)
    else:
        write_explanation(...)
