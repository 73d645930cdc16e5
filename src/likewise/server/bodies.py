"""What requests bring, by their address: JSON, a piece of a file, a PDF, or documents as lines;
and how much of it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from likewise.server.settings import Limits

PIECES = re.compile(r"/v1/uploads/[^/]+/files/.*")
PDFS = re.compile(r"/v1/indexes/[^/]+/sessions/[^/]+/attachments")
LINES = re.compile(r"/v1/indexes/[^/]+/bulk")
NDJSON = "application/x-ndjson"
JSON, BYTES, PDF = "application/json", "application/octet-stream", "application/pdf"


class Body(NamedTuple):
    media_type: str
    what: str
    most: int
    """Bytes."""
    seconds: float
    """In which it must be complete."""
    streamed: bool = False
    """Whether it is read as it comes, and never in memory as a whole."""


def body_of(path: str, limits: Limits) -> Body:
    if PDFS.fullmatch(path):
        return Body(PDF, "a PDF", limits.attachment, _seconds(limits.attachment, limits))
    if LINES.fullmatch(path):
        seconds = _seconds(limits.upload, limits)
        return Body(NDJSON, "a line of JSON for each document", limits.upload, seconds, True)
    if PIECES.fullmatch(path):
        return Body(BYTES, "a piece of a file", limits.body, limits.body_seconds)
    return Body(JSON, "JSON", limits.body, limits.body_seconds)


def _seconds(most: int, limits: Limits) -> float:
    """For so many bytes, at the slowest rate that all other requests may have."""
    return max(limits.body_seconds, most * limits.body_seconds / limits.body)
