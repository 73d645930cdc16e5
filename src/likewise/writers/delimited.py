"""CSV; text that a spreadsheet would take for a formula is marked as text."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

from likewise.readers.cells import neutral
from likewise.writers.spool import cell, spooled

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from likewise.writers.record import Record


def write_csv(records: Iterable[Record], always: Sequence[str]) -> Iterator[bytes]:
    with spooled(records, always) as spool:
        names = list(spool.columns)
        yield line(map(neutral, names))
        for row in spool.rows():
            yield line(_cell(row.get(name), name) for name in names)


def _cell(value: Any, name: str) -> str:
    plain = cell(value, name)
    if plain is None:
        return ""
    if isinstance(plain, bool):
        return "true" if plain else "false"
    return neutral(plain) if isinstance(plain, str) else str(plain)


def line(cells: Iterable[str]) -> bytes:
    """A line of CSV, as other programs read it."""
    listed = list(cells)
    odd = any("\r" in one for one in listed)  # which Python 3.11 does not quote
    text = io.StringIO()
    quoting = csv.QUOTE_ALL if odd else csv.QUOTE_MINIMAL
    csv.writer(text, lineterminator="\n", quoting=quoting).writerow(listed)  # type: ignore[arg-type]
    return text.getvalue().encode("utf-8", "replace")
