"""Formats that a file's first bytes tell: records in a .txt file, and what standard input is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from likewise.readers.streams import Source

HEAD = 1 << 12
MARK = rb"(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?\s*"
PREAMBLE = rb"(?:(?:\d+[.)]|[A-Z][\w ]{1,30}:[^\r\n]*)\s+){0,20}"
SIGNS = {
    "ris": re.compile(MARK + PREAMBLE + rb"TY {0,2}- ?[A-Z][A-Z0-9]{1,9}\s"),
    "nbib": re.compile(MARK + rb"PMID- ?\d"),
    "bibtex": re.compile(
        MARK + rb"(?:%[^\n]*\n\s*)*@(?:string|[a-z]+\s*\{[^\s,{}]+\s*,)", re.IGNORECASE
    ),
    "json": re.compile(MARK + rb"\[\s*\{\s*\""),
    "xml": re.compile(MARK + rb"<(?:\?xml|!DOCTYPE Pubmed|PubmedArticle)"),
}
IN_TEXT = ("ris", "nbib", "bibtex")


def recognised(source: Source) -> str | None:
    """The format of records that a source of plain text turns out to have."""
    head = source.head().replace(b"\0", b"")[:HEAD]  # of UTF-16, what ASCII is there
    names = IN_TEXT if source.path else SIGNS
    return next((name for name in names if SIGNS[name].match(head)), None)
