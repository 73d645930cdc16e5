"""Renew the table of formats in docs/indexing.md: `python tools/formats_table.py`."""

from __future__ import annotations

import re
from pathlib import Path

from likewise.readers.formats import FORMATS, distribution

PAGE = Path(__file__).resolve().parent.parent / "docs" / "indexing.md"
HEAD = "| format | suffixes | documents | id | needs |\n|---|---|---|---|---|\n"


def table() -> str:
    return HEAD + "".join(f"{row(name)}\n" for name in FORMATS)


def row(name: str) -> str:
    """A format's line."""
    format = FORMATS[name]
    suffixes = ", ".join(f"`{suffix}`" for suffix in format.suffixes)
    cells = (name, suffixes, format.documents, format.id, distribution(format.needs))
    return f"| {' | '.join(cells)} |".replace("  ", " ")


def main() -> None:
    page = PAGE.read_text()
    old = re.compile(re.escape(HEAD) + r"(\|.*\n)*")
    PAGE.write_text(old.sub(lambda found: table(), page, count=1))


if __name__ == "__main__":
    main()
