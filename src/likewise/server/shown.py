"""Hits as answers show them: with a piece of text, fields and, if wanted, reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from likewise.server.models.base import Weight
from likewise.server.models.search import Hit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from likewise.document import Document
    from likewise.search.hits import AnyQuery, Explanation
    from likewise.search.hits import Hit as Found
    from likewise.search.query import Weight as TermWeight


class Showing(NamedTuple):
    """How many terms explain a hit, and how many characters of its text are shown."""

    explain: int
    snippet: int


class Shelf(Protocol):
    """What has documents and reasons: an index, or a session."""

    def documents(self, ids: Iterable[str]) -> list[Document]: ...

    def explain(
        self, document: str, query: AnyQuery, *, weighting: str | None = None
    ) -> Explanation: ...


def shown(
    index: Shelf,
    found: Iterable[Found],
    query: AnyQuery | None,
    weighting: str | None,
    showing: Showing,
) -> list[Hit]:
    """`query` is what found them, if that is to be explained; `weighting` that of words."""
    hits = list(found)
    return [
        Hit(
            id=hit.id,
            score=hit.score,
            rank=hit.rank,
            title=hit.title,
            snippet=document.text[: showing.snippet],
            fields=document.fields,
            **_reasons(index, hit.id, query, weighting, showing.explain),
        )
        for hit, document in zip(hits, index.documents(hit.id for hit in hits), strict=True)
    ]


def weights(terms: Iterable[TermWeight]) -> list[Weight]:
    return [Weight(term=one.term, weight=one.weight) for one in terms]


def _reasons(
    index: Shelf, id: str, query: AnyQuery | None, weighting: str | None, count: int
) -> dict[str, Any]:
    if not count or query is None:
        return {}
    chosen = weighting if isinstance(query, str) else None
    terms = index.explain(id, query, weighting=chosen).terms
    others = sum(term.weight for term in terms[count:])
    return {"terms": weights(terms[:count]), "others": others}
