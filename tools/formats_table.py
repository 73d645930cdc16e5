"""Renew the formats in docs/indexing.md, web.md and http.md: `python tools/formats_table.py`."""

from __future__ import annotations

import re
from pathlib import Path

from likewise.readers.formats import FORMATS, distribution
from likewise.readers.preview import TEXT_FORMATS

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGE = DOCS / "indexing.md"
UPLOADS = (DOCS / "web.md", DOCS / "http.md")  # say which files the server reads
LISTED = re.compile(r"`text`(,\s`\w+`){5,}")
HEAD = "| format | suffixes | documents | id | needs |\n|---|---|---|---|---|\n"


def table() -> str:
    return HEAD + "".join(f"{row(name)}\n" for name in FORMATS)


def row(name: str) -> str:
    """A format's line."""
    format = FORMATS[name]
    suffixes = ", ".join(f"`{suffix}`" for suffix in format.suffixes)
    cells = (name, suffixes, format.documents, format.id, distribution(format.needs))
    return f"| {' | '.join(cells)} |".replace("  ", " ")


def uploads() -> str:
    """The formats of files that a browser or a program may send, three lines of them."""
    names = [f"`{name}`" for name in TEXT_FORMATS]
    third = -(-len(names) // 3)
    return ",\n".join(", ".join(names[i : i + third]) for i in range(0, len(names), third))


def main() -> None:
    for upload in UPLOADS:
        upload.write_text(LISTED.sub(lambda found: uploads(), upload.read_text(), count=1))
    page = PAGE.read_text()
    old = re.compile(re.escape(HEAD) + r"(\|.*\n)*")
    PAGE.write_text(old.sub(lambda found: table(), page, count=1))


if __name__ == "__main__":
    main()
