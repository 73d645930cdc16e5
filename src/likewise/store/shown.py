"""Titles as hits show them, beside the records: a hit needs no block of records to be decompressed.

Sections: `titles.text` (packed by symbols, each title by itself), `titles.ends` and
`titles.symbols`; where no document has a title, all three are empty. A segment without them was
written before they were: its titles are in its records.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from likewise import _core
from likewise.document import Titles, title_from, title_of
from likewise.store.structure import BYTE, NUMBER, ends, expect

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from likewise.store.container import Container

TITLES = "titles"
PARTS = ("text", "ends", "symbols")
_decode_lines = msgspec.json.Decoder(Titles).decode_lines


class TitleCollector:
    """Collects the titles of a segment."""

    def __init__(self, threads: int = 1) -> None:
        self._text, self._threads = _core.TitleText(), threads

    @property
    def memory(self) -> int:
        return 2 * self._text.memory  # what grows has room to spare

    def add(self, titles: Sequence[str] | _core.Texts) -> None:
        self._text.add(titles)

    def add_records(self, records: bytes | memoryview, lines: Sequence[int]) -> None:
        """Those of some records; `lines` says where each ends."""
        self.add(titles_of(records, lines))

    def arrays(self) -> Iterator[tuple[str, NDArray[Any]]]:
        symbols, text, ends = self._text.pack(self._threads)
        if not self._text.any:
            ends = ends[:0]
        yield f"{TITLES}.symbols", symbols
        yield f"{TITLES}.text", text
        yield f"{TITLES}.ends", ends


def titles_of(records: bytes | memoryview, lines: Sequence[int]) -> list[str]:
    """The titles of records one after another."""
    try:
        found = [title_from(one) for one in _decode_lines(records)]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        found = []
    if len(found) == len(lines):
        return found
    starts = [0, *lines[:-1]]
    return [title_of(records[a:b]) for a, b in zip(starts, lines, strict=True)]


def has_titles(file: Container) -> bool:
    return f"{TITLES}.ends" in file


def sections(file: Container) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """The packed titles, where each ends, and the symbols that they are packed with."""
    stops = ends(file, f"{TITLES}.ends", f"{TITLES}.text")
    return file.array(f"{TITLES}.text"), stops, file.array(f"{TITLES}.symbols")


def add_to(
    tables: _core.StringTables, file: Container, documents: int, live: NDArray[np.uint32] | None
) -> None:
    """Let the core read a segment's titles."""
    text, stops, symbols = sections(file)
    if not len(stops):
        stops = np.zeros(documents, np.uint32)
    file.understood(f"{TITLES}.symbols", lambda: tables.add(text, stops, None, None, live, symbols))


def check_sections(file: Container, documents: int) -> None:
    """Refuse a segment whose titles are not laid out like this."""
    if not has_titles(file):
        return
    expect(file, f"{TITLES}.symbols", BYTE, (None,))
    expect(file, f"{TITLES}.text", BYTE, (None,))
    expect(file, f"{TITLES}.ends", NUMBER, (documents if file.size(f"{TITLES}.ends") else 0,))


def unpacked(file: Container, documents: int) -> Iterable[str]:
    """All titles of a segment, deleted documents included."""
    tables = _core.StringTables()
    add_to(tables, file, documents, None)
    return file.understood(f"{TITLES}.text", lambda: tables.at(range(documents)))
