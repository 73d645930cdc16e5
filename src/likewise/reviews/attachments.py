"""Files beside documents, such as the PDF of a full text; in the database, so that they are kept
and copied with the judgements.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import func, select

from likewise.errors import UsageError
from likewise.reviews import audit
from likewise.reviews.records import locked
from likewise.reviews.rows import typed
from likewise.reviews.tables import attachments

if TYPE_CHECKING:
    from likewise.reviews.database import Database

LARGEST = 100 << 20  # bytes
NONE = "there is no attachment {number}: it was removed, or was never there"


class Attachment(NamedTuple):
    number: int
    document: str
    name: str
    media_type: str
    size: int
    by: str
    at: float


def attach(
    database: Database,
    session: int,
    document: str,
    name: str,
    content: bytes,
    by: str,
    media_type: str = "application/pdf",
) -> int:
    """Keep a file beside a document; returns its number."""
    if len(content) > LARGEST:
        raise UsageError(too_large(name, len(content)))
    row = {"session": session, "document": document, "name": name, "media_type": media_type}
    with database.writing() as connection:
        found = locked(connection, session)
        values = {**row, "content": content, "by": by, "at": time.time()}
        made = connection.execute(attachments.insert().values(**values)).inserted_primary_key
        detail = {"document": document, "file": name}
        audit.write(connection, session, found.name, by, "attach", **detail)
    assert made is not None  # rows are numbered
    return int(made[0])


def too_large(name: str, size: int) -> str:
    return f"{name} has {size >> 20:,} MB: it may have {LARGEST >> 20:,}"


def attached(database: Database, session: int) -> list[Attachment]:
    """What there is, without its content."""
    size = func.length(attachments.c.content).label("size")
    columns = [size if name == "size" else attachments.c[name] for name in Attachment._fields]
    wanted = select(*columns).where(attachments.c.session == session)
    with database.reading() as connection:
        rows = connection.execute(wanted.order_by(attachments.c.number))
        return [typed(connection, Attachment, row) for row in rows]


def content_of(database: Database, session: int, number: int) -> bytes:
    own = (attachments.c.session == session) & (attachments.c.number == number)
    with database.reading() as connection:
        found = connection.scalar(select(attachments.c.content).where(own))
    if found is None:
        raise UsageError(NONE.format(number=number))
    return bytes(found)


def detach(database: Database, session: int, number: int, by: str) -> bool:
    """Whether there was such an attachment; it is removed."""
    own = (attachments.c.session == session) & (attachments.c.number == number)
    with database.writing() as connection:
        found = locked(connection, session)
        document = connection.scalar(select(attachments.c.document).where(own))
        removed = bool(connection.execute(attachments.delete().where(own)).rowcount)
        if removed:
            audit.write(connection, session, found.name, by, "detach", document=document)
    return removed
