"""`likewise explain`: why a document has its score, or what a query consists of."""

from typing import TYPE_CHECKING, Annotated

import typer

from likewise.cli.options import choices, common, engines
from likewise.cli.options.groups import grouped
from likewise.cli.options.query import NONE, QueryOptions, Words
from likewise.cli.printing import learned
from likewise.cli.printing.explanation import (
    FORMATS,
    ExplainedDocument,
    ExplainedQuery,
    print_explained,
)
from likewise.cli.printing.stdout import valid
from likewise.cli.queries import Search, portable, query_of
from likewise.errors import UsageError

if TYPE_CHECKING:
    from likewise.index import Index
    from likewise.search.hits import Hits

EXAMPLES = (
    "papers.idx doc-12 robot arm",
    "papers.idx doc-12 --like id:doc-7 --like new.txt",
    "papers.idx --query q.json",
)

MANY = 4  # times as many terms have words looked up for them as are shown: some tell nothing
EXPLANATION_FORMAT = choices.choice_of(FORMATS)

Id = Annotated[
    str | None,
    typer.Argument(metavar="ID", help="The document to explain.", show_default=False),
]
Number = Annotated[
    int, typer.Option("-k", metavar="N", min=1, help="Number of terms and documents to show.")
]
Format = Annotated[
    str,
    EXPLANATION_FORMAT.option("The output format."),
]


@grouped
def explain(
    directory: common.Directory,
    id: Id = None,
    words: Words = None,
    k: Number = 10,
    format: Format = "table",
    options: QueryOptions = NONE,
    details: common.Details = False,
    cluster: engines.Cluster = None,
) -> None:
    """Explain the score of a document, or a query.

    With the id of a document: what each term adds to its score or takes from it. Without one: the
    terms with the largest positive and negative weights, and the documents that the query was
    learned from. The query is given as for likewise search.
    """
    from likewise.index import Index

    query = query_of(words, options)
    index = Index.open(directory, engine=engines.chosen(None, None, cluster))
    if id is not None and id not in index:  # before the work, not after it
        raise UsageError(f"no document {id!r} in {directory}")
    # The table of a query has the details itself.
    hits = query.find(Search(index, directory, k=1, details=details and id is not None))
    fields = {"index": valid(str(directory)), **query.fields(), **learned.fields(hits)}
    if id is None:
        print_explained(_query(index, hits, k, details=details), fields, format)
    else:
        asked = hits.query or " ".join(words or ())
        explanation = index.explain(id, asked, weighting=options.weighting)
        parts = index.views.explain_title(id, asked) if details or format == "json" else []
        title = index.document(id).title
        words_for = index.words_of(term.term for term in explanation.terms[: MANY * k])
        typed = isinstance(asked, str)
        explained = ExplainedDocument(explanation, title, k, words_for, parts, typed=typed)
        print_explained(explained, fields, format)


def _query(index: "Index", hits: "Hits", k: int, *, details: bool) -> ExplainedQuery:
    query = portable(hits)
    ids = [one.id for one in query.support[:k] if one.id in index]
    titles = {id: index.document(id).title for id in ids}
    up, down = query.heaviest(k)
    words = index.words_of(one.term for one in (*up, *down))
    return ExplainedQuery(query, hits.known, titles, k, words, details=details)
