"""What requests bring, by their address: JSON, a piece of a file, or a PDF; and how much of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from likewise.server.settings import Limits

PIECES = re.compile(r"/v1/uploads/[^/]+/files/.*")
PDFS = re.compile(r"/v1/indexes/[^/]+/sessions/[^/]+/attachments")
JSON, BYTES, PDF = "application/json", "application/octet-stream", "application/pdf"


class Body(NamedTuple):
    media_type: str
    what: str
    most: int
    """Bytes."""
    seconds: float
    """In which it must be complete."""


def body_of(path: str, limits: Limits) -> Body:
    if PDFS.fullmatch(path):
        slowest = limits.body / limits.body_seconds  # bytes a second, as for all others
        seconds = max(limits.body_seconds, limits.attachment / slowest)
        return Body(PDF, "a PDF", limits.attachment, seconds)
    if PIECES.fullmatch(path):
        return Body(BYTES, "a piece of a file", limits.body, limits.body_seconds)
    return Body(JSON, "JSON", limits.body, limits.body_seconds)
