"""PDFs beside the records of a review: /v1/indexes/{index}/sessions/{name}/attachments."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from typing import IO, Annotated, Any, TypeVar
from urllib.parse import quote

from anyio import to_thread
from fastapi import APIRouter, Body, Path, Query
from fastapi.responses import Response, StreamingResponse

from likewise.readers.papers import paper
from likewise.reviews import Session
from likewise.reviews.fulltexts import FullText, check_pdf
from likewise.server.access import Caller, Role
from likewise.server.bodies import PDF
from likewise.server.causes import Cause
from likewise.server.models.attachments import Attachment, AttachmentList, Missing
from likewise.server.models.base import Id
from likewise.server.problems import ProblemError
from likewise.server.routes.common import (
    ALWAYS,
    INDEX,
    Parts,
    TheCaller,
    TheParts,
    at_least,
)
from likewise.server.routes.turns import Reviewer, TheTurn

T = TypeVar("T")
router = APIRouter(
    prefix="/indexes/{index}/sessions/{name}",
    tags=["sessions"],
    responses=ALWAYS | INDEX,
)
REVIEW: Any = {"dependencies": [at_least(Role.review)]}
BINARY = {"schema": {"type": "string", "format": "binary"}}
FILE: Any = {
    "response_class": Response,
    "responses": {200: {"description": "The PDF.", "content": {PDF: BINARY}}},
}
CHUNK = 1 << 20  # bytes that are in memory while a client reads
MOST_IDS = 100
Number = Annotated[int, Path(ge=1, le=(1 << 53) - 1, examples=[12])]
Content = Annotated[bytes, Body(media_type=PDF, description="The PDF.")]


@router.get("/attachments")
async def list_attachments(
    turn: TheTurn,
    caller: TheCaller,
    id: Annotated[
        list[Id] | None,
        Query(max_length=MOST_IDS, description="Whose; may be repeated. Otherwise all attached."),
    ] = None,
) -> AttachmentList:
    """The PDFs of records, attached or indexed with them; or all that are attached."""

    def work(session: Session) -> AttachmentList:
        if id is None:
            found = [(one.document, one) for one in session.full_texts.attached()]
        else:
            there = session.full_texts.of(dict.fromkeys(id))
            found = [(asked, one) for asked, ones in there.items() for one in ones]
        listed = [_attachment(session, caller, asked, one) for asked, one in found]
        return AttachmentList(attachments=listed)

    return await turn.do(work)


@router.post("/attachments", status_code=201, **REVIEW)
async def attach_full_text(
    turn: TheTurn,
    parts: TheParts,
    caller: TheCaller,
    file: Annotated[str, Query(min_length=1, max_length=300, examples=["smith 2020.pdf"])],
    content: Content = b"",
    id: Annotated[Id | None, Query(description="The record; else the one it belongs to.")] = None,
    reviewer: Reviewer = None,
) -> Attachment:
    """Attach a PDF, sent as it is (Content-Type: application/pdf).

    Without an id it goes to the record found relevant that links to it or has its DOI, its title
    or its name; if there is none, the answer is 422. One that is there already stays as it is.
    """
    check_pdf(file, content)
    says = None if id else await _large(parts, partial(paper, file, content))

    def work(session: Session) -> Attachment:
        texts = session.full_texts
        if id is not None:
            made = texts.attach(id, content, name=file)
        else:
            assert says is not None  # it was read above
            made = texts.attach_found(file, content, says)
        return _attachment(session, caller, id or made.document, made)

    return await _large(parts, lambda: turn.now(work, reviewer))


@router.get("/full-texts/missing")
async def list_missing_full_texts(turn: TheTurn) -> Missing:
    """Which full texts are still to be found."""

    def work(session: Session) -> Missing:
        sought = session.full_texts.sought()
        return Missing(ids=session.full_texts.missing(), sought=len(sought))

    return await turn.do(work)


@router.get("/full-texts/indexed", **FILE)
async def get_indexed_full_text(
    turn: TheTurn, id: Annotated[Id, Query(description="The record.")]
) -> Response:
    """The PDF that was indexed with a record, from a folder."""

    def work(session: Session) -> Response:
        found = session.full_texts.of([id])[id]
        one = next((one for one in found if one.path is not None), None)
        if one is None or one.path is None:
            raise ProblemError(
                Cause.unknown_attachment,
                f"no PDF was indexed with {id!r}, or it is not there any more",
            )
        return _answer(one.name, one.path.open("rb"))

    return await turn.do(work)


@router.get("/attachments/{number}", **FILE)
async def get_attachment(turn: TheTurn, parts: TheParts, number: Number) -> Response:
    """An attached PDF."""

    def work(session: Session) -> Response:
        one = _known(session, number)
        file = tempfile.SpooledTemporaryFile(CHUNK)  # noqa: SIM115  # closed when it was sent
        file.write(session.full_texts.read(one))
        file.seek(0)
        return _answer(one.name, file)

    return await _large(parts, lambda: turn.now(work))


@router.delete("/attachments/{number}", status_code=204, **REVIEW)
async def detach_full_text(
    turn: TheTurn, caller: TheCaller, number: Number, reviewer: Reviewer = None
) -> None:
    """Remove an attachment of your own; the session's owner may remove others'."""

    def work(session: Session) -> None:
        one = _known(session, number)
        if not _may_remove(session, caller, one):
            raise ProblemError(
                Cause.not_yours, f"{one.by} has attached it: they or the session's owner may"
            )
        session.full_texts.detach(number)

    await turn.do(work, reviewer)


async def _large(parts: Parts, work: Callable[[], T]) -> T:
    """Work that holds a PDF in memory: for few at a time."""
    return await to_thread.run_sync(work, limiter=parts.files)


def _known(session: Session, number: int) -> FullText:
    found = (one for one in session.full_texts.attached() if one.number == number)
    if (one := next(found, None)) is None:
        raise ProblemError(
            Cause.unknown_attachment,
            f"there is no attachment {number}: it was removed, or never there",
        )
    return one


def _may_remove(session: Session, caller: Caller, one: FullText) -> bool:
    own = caller.name == one.by or caller.owns(session.owner)
    return one.number is not None and own and caller.may(Role.review)


def _attachment(session: Session, caller: Caller, asked: str, one: FullText) -> Attachment:
    return Attachment(
        number=one.number,
        id=asked,
        document=one.document,
        name=one.name,
        size=one.size,
        by=one.by,
        at=datetime.fromtimestamp(one.at, UTC) if one.at else None,
        yours=_may_remove(session, caller, one),
    )


def _answer(name: str, file: IO[bytes]) -> StreamingResponse:
    return StreamingResponse(
        _pieces(file),
        media_type=PDF,
        headers={"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}"},
    )


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while piece := file.read(CHUNK):
            yield piece
