"""Renew the reviews' table in docs/feedback.md: `python tools/reviews_table.py`.

It is that of the report that `likewise tables reviews` has made, benchmarks/tables/reviews.md.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REPORT = ROOT / "benchmarks" / "tables" / "reviews.md"
PAGE = ROOT / "docs" / "feedback.md"
TABLE = re.compile(r"\| views \| factors \|.*\n(\|.*\n)+")


def table(text: str) -> str:
    """The table of losses beside the peer's."""
    found = TABLE.search(text)
    if found is None:
        raise SystemExit(f"{REPORT} has no table of views and factors: make it anew")
    return found.group()


def main() -> None:
    new = table(REPORT.read_text())
    PAGE.write_text(TABLE.sub(lambda _: new, PAGE.read_text(), count=1))


if __name__ == "__main__":
    main()
