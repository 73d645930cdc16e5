"""A session's judgements and what was learned, as files."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

import msgspec
from fastapi.responses import Response

from likewise.readers.ris import as_ris
from likewise.search.bound import LearnedQuery
from likewise.server.problems import ProblemError

if TYPE_CHECKING:
    from likewise.reviews import Session
    from likewise.server.held import Held

MEDIA_TYPES = {
    "csv": "text/csv",
    "jsonl": "application/jsonl",
    "qrels": "text/plain",
    "ris": "application/x-research-info-systems",
    "query": "application/json",
}
SUFFIXES = {"query": "json"}


def export(held: Held, session: Session, format: str) -> Response:
    content = _content(held, session, format)
    file = f"{session.name}.{SUFFIXES.get(format, format)}"
    disposition = f"attachment; filename*=UTF-8''{quote(file, safe='')}"
    return Response(
        content, media_type=MEDIA_TYPES[format], headers={"Content-Disposition": disposition}
    )


def _content(held: Held, session: Session, format: str) -> bytes:
    if format == "csv":
        return session.export(format="csv").encode("utf-8", "replace")
    if format == "jsonl":
        return session.export(format="jsonl").encode("utf-8", "replace")
    if format == "qrels":
        return session.export(format="trec").encode("utf-8", "replace")
    return _relevant(held, session) if format == "ris" else _query(session)


def _relevant(held: Held, session: Session) -> bytes:
    """The documents that were found relevant and are still there."""
    index = held.current
    ids = [id for id, relevant in session.labels().items() if relevant and id in index]
    return "".join(map(as_ris, index.documents(ids))).encode("utf-8", "replace")


def _query(session: Session) -> bytes:
    query = session.query
    if query is None:
        raise ProblemError(409, "nothing was learned yet: judge some documents first")
    if isinstance(query, str):
        return msgspec.json.encode({"words": query})
    return msgspec.json.encode(query.portable if isinstance(query, LearnedQuery) else query)
