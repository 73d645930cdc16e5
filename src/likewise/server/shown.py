"""Pages of a review as answers: `models.sessions.Page`, made and encoded in a fraction of the time.

Every judgement has such an answer, of ten documents.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import msgspec
from fastapi.responses import Response

from likewise.server import answers
from likewise.server.direct import Hit, Weight, encode

if TYPE_CHECKING:
    from likewise.reviews import ReviewPage, Session
    from likewise.reviews.ledger import Label
    from likewise.server.answers import Detail


class PageHit(Hit, gc=False):
    """As `models.sessions.PageHit`."""

    label: Label | None = None
    reasons: tuple[str, ...] = ()
    note: str = ""
    tags: tuple[str, ...] = ()


class Page(msgspec.Struct, gc=False):
    """As `models.sessions.Page`."""

    number: int
    method: str
    reason: str
    hits: list[PageHit]
    seconds: float


class Entered(msgspec.Struct, gc=False):
    """As `models.sessions.Entered`."""

    entered: int
    page: Page | None


def response(answer: Page | Entered) -> Response:
    return Response(encode(answer), media_type="application/json")


def page(session: Session, shown: ReviewPage, detail: Detail, began: float) -> Page:
    said = session.said(shown.ids)
    query, weighting = session.query if detail.explain else None, session.settings.weighting
    hits = []
    for hit, document in zip(shown.hits, session.documents(shown.ids), strict=True):
        detail.check()
        why = answers.reasons(session, document, query, weighting, detail.explain)
        terms = None if why is None else [Weight(w.term, w.weight, w.word) for w in why[0]]
        others = None if why is None else why[1]
        own, text = said[hit.id], document.text[: detail.snippet]
        one = PageHit(hit.id, hit.score, hit.rank, hit.title, text, document.fields, terms, others)
        one.label, one.reasons, one.note, one.tags = own
        hits.append(one)
    return Page(shown.number, shown.method, shown.reason, hits, time.perf_counter() - began)
