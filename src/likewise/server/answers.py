"""What the library returns, as the API's answers: hits, queries, documents, reviews, files.

Nothing here asks the library for more than it needs to show, and nothing changes anything.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from math import fsum
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from fastapi.responses import Response

from likewise.readers.fieldlabels import label_of
from likewise.search.telling import shown
from likewise.server.models import indexes as index_models
from likewise.server.models import sessions as session_models
from likewise.server.models.base import Weight
from likewise.server.models.queries import (
    ExportedBoost,
    ExportedQuery,
    FoundBoolean,
    Kept,
    SavedQuery,
)
from likewise.server.models.search import Hit, QueryInfo, SearchByExamples, SearchByQuery
from likewise.server.problems import without_paths
from likewise.server.wording import in_http
from likewise.text.surface import words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pydantic import BaseModel

    from likewise.document import Document
    from likewise.index import Index
    from likewise.reviews import Session
    from likewise.reviews.ledger import Entry as LedgerEntry
    from likewise.reviews.progress import Stats
    from likewise.search.bound import LearnedQuery
    from likewise.search.elsewhere import Exported
    from likewise.search.hits import AnyQuery, Explanation, Hits
    from likewise.search.hits import Hit as FoundHit
    from likewise.search.query import Learned, Query
    from likewise.search.query import Weight as TermWeight
    from likewise.server.access import Caller
    from likewise.server.indexes import ServedIndex
    from likewise.server.queries import Saved
    from likewise.store.fields import FieldSummary
    from likewise.text import Analyzer

HEAVIEST = 20  # terms of a saved query that are shown, each way


def _go_on() -> None:
    """Never end work early."""


class Detail(NamedTuple):
    """How many terms explain a hit, and how many characters of its text are shown.

    `check` raises where the work must end; it is called once a hit.
    """

    explain: int
    snippet: int
    check: Callable[[], None] = _go_on


class Documents(Protocol):
    """What hits are shown from: an index, or a session."""

    @property
    def analyzer(self) -> Analyzer: ...

    def documents(self, ids: Iterable[str]) -> list[Document]: ...

    def explain(
        self, document: str, query: AnyQuery, *, weighting: str | None = None
    ) -> Explanation: ...


def encoded(answer: BaseModel) -> bytes:
    """As JSON; large answers are encoded by the thread that made them, not by the event loop."""
    return answer.model_dump_json().encode()


def json_response(answer: BaseModel, status: int = 200) -> Response:
    return Response(encoded(answer), status, media_type="application/json")


def stamp(seconds: float) -> str:
    """A time as the answers show it."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def weights(terms: Iterable[TermWeight], words: Mapping[str, str]) -> list[Weight]:
    """`words` are whole ones for terms; a term that has none stands for itself."""
    return [
        Weight(term=one.term, weight=one.weight, word=words.get(one.term, one.term))
        for one in terms
    ]


# Indexes and documents


def index_info(served: ServedIndex) -> index_models.IndexInfo:
    info = served.current.info()
    return index_models.IndexInfo(
        name=served.name,
        kind=info.kind,
        documents=info.documents,
        deleted=info.deleted,
        terms=info.terms,
        generation=info.generation,
        bytes_on_disk=info.bytes_on_disk,
        settings=info.settings,
        views=list(info.views),
        problem=served.problem,
        notes=[without_paths(note, served.folders) for note in info.notes],
    )


def field_info(field: FieldSummary) -> index_models.FieldInfo:
    values = [
        index_models.FieldValue(value=value, documents=count) for value, count in field.values
    ]
    return index_models.FieldInfo(
        name=field.name,
        label=label_of(field.name),
        documents=field.documents,
        distinct=field.distinct,
        values=values,
        least=field.least,
        most=field.most,
        kind=field.kind,
    )


def stored_document(document: Document) -> index_models.StoredDocument:
    return index_models.StoredDocument(
        id=document.id, title=document.title, text=document.text, fields=document.fields
    )


# Searches and queries


def hits(
    source: Documents,
    found: Iterable[FoundHit],
    query: AnyQuery | None,
    weighting: str | None,
    detail: Detail,
) -> list[Hit]:
    """`query` is what found them, if that is to be explained; `weighting` that of words."""
    listed, made = list(found), []
    for hit, document in zip(listed, source.documents(hit.id for hit in listed), strict=True):
        detail.check()
        made.append(
            Hit(
                id=hit.id,
                score=hit.score,
                rank=hit.rank,
                title=hit.title,
                snippet=document.text[: detail.snippet],
                fields=document.fields,
                duplicates=_duplicates(found, hit.id),
                **_explained(source, document, query, weighting, detail.explain),
            )
        )
    return made


def _duplicates(found: Iterable[FoundHit], id: str) -> list[str] | None:
    others = getattr(found, "duplicates", {}).get(id)
    return None if others is None else list(others)


def _explained(
    source: Documents, found: Document, query: AnyQuery | None, weighting: str | None, count: int
) -> dict[str, Any]:
    why = reasons(source, found, query, weighting, count)
    return {} if why is None else {"terms": why[0], "others": why[1]}


def reasons(
    source: Documents, found: Document, query: AnyQuery | None, weighting: str | None, count: int
) -> tuple[list[Weight], float] | None:
    """What brought a document up, and what all else added; words are those that stand in it."""
    if not count or query is None:
        return None
    chosen = weighting if isinstance(query, str) else None
    terms = source.explain(found.id, query, weighting=chosen).terms
    listed = terms[:count] if isinstance(query, str) else shown(terms, count)
    others = fsum(term.weight for term in terms) - fsum(term.weight for term in listed)
    words = words_of(source.analyzer, [one.term for one in listed], (found.title, found.text))
    return weights(listed, words), others


def query_info(
    id: str,
    query: Query | LearnedQuery,
    found: Hits,
    request: SearchByExamples | SearchByQuery,
    index: Index,
) -> QueryInfo:
    learned = query.learned
    up, down = _heaviest(query, request.heaviest, index)
    return QueryInfo(
        id=id,
        method=learned.method,
        reason=learned.reason,
        examples=learned.examples,
        unlike=learned.unlike,
        unlabeled=learned.unlabeled,
        gap=learned.gap,
        tol=learned.tol,
        converged=learned.converged,
        passes=learned.passes,
        seconds=learned.seconds,
        weighting=query.weighting,
        views=learned.views,
        known=found.known,
        up=up,
        down=down,
        off=request.terms.off,
        pinned=request.terms.pinned,
        warnings=[*_stopped_early(learned), *map(in_http, found.notes)],
    )


def _stopped_early(learned: Learned) -> list[str]:
    if learned.converged:
        return []
    return [f"learning stopped early, at a gap of {learned.gap:.2g}, above {learned.tol:g}"]


def _heaviest(
    query: Query | LearnedQuery, count: int, index: Index
) -> tuple[list[Weight], list[Weight]]:
    up, down = query.heaviest(count)
    words = index.words_of(one.term for one in (*up, *down))
    return weights(up, words), weights(down, words)


def saved_query(saved: Saved, index: Index) -> SavedQuery:
    up, down = _heaviest(saved.query, HEAVIEST, index)
    return SavedQuery(
        name=saved.name,
        created=stamp(saved.created),
        method=saved.query.learned.method,
        examples=saved.query.learned.examples,
        terms=len(saved.query.terms),
        up=up,
        down=down,
    )


def exported_query(exported: Exported) -> ExportedQuery:
    found = exported.found
    held = found.held_out if found else None
    return ExportedQuery(
        to=exported.to,
        text=exported.text,
        about=exported.about,
        terms=list(exported.terms),
        boosts=[ExportedBoost(**one._asdict()) for one in exported.boosts],
        kept=[Kept(first=first, share=share) for first, share in exported.kept.items()],
        found=found
        and FoundBoolean(
            relevant=found.relevant,
            documents=found.documents,
            recall=found.recall,
            precision=found.precision,
            estimated_recall=held.recall if held else None,
            estimated_precision=held.precision if held else None,
            judged=found.judged,
        ),
        notes=list(exported.notes),
    )


# Reviews


def session_info(
    served: ServedIndex, session: Session, caller: Caller
) -> session_models.SessionInfo:
    stats, settings = session.stats(()), session.settings
    return session_models.SessionInfo(
        name=session.name,
        index=served.name,
        owner=session.owner,
        yours=caller.owns(session.owner),
        archived=session.archived,
        reviewers=list(stats.reviewers),
        names=session.team.names(),
        closed=session.team.closed,
        blinded=stats.blinded,
        judged=judged(stats),
        documents=stats.documents,
        method=settings.method,
        selection=settings.selection,
        weighting=settings.weighting,
        seed=settings.seed,
        page_size=settings.page_size,
        combine=settings.combine,
        overlap=settings.overlap,
        stage=settings.stage,
        random_rate=settings.random_rate,
        group_duplicates=settings.group_duplicates,
    )


def judged(stats: Stats) -> session_models.Judged:
    return session_models.Judged(
        relevant=stats.relevant, others=stats.others, undecided=stats.undecided
    )


def entry(one: LedgerEntry) -> session_models.Entry:
    changes = [
        session_models.Change(
            id=change.document,
            before=change.before,
            after=change.after,
            stage=change.stage,
            reasons=list(change.reasons),
        )
        for change in one.changes
    ]
    return session_models.Entry(
        number=one.number,
        at=stamp(one.at),
        reviewer=one.reviewer,
        action=one.action,
        changes=changes,
    )
