"""Problems found while reading: listed for the caller, or raised where reading is strict."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from likewise.errors import InputError, one_line
from likewise.readers.labels import LabelCounts

SOURCE = "documents given"  # where what a program gives comes from
MOST_NAMED = 3  # files that a remark names
MOST_SOURCES = 10_000  # files whose problems are counted apart
WITHIN = re.compile(r", (?:line|row|number|record|document|entry) [0-9,]+.*", re.DOTALL)


class Problem(NamedTuple):
    """A part of the input that was left out: where it is, and why."""

    place: str
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"


@dataclass(slots=True)
class Problems:
    """Lists the first `limit` problems and counts all, so that memory stays bounded."""

    strict: bool | None = False
    """None: strict for documents from a program, not for files."""
    limit: int = 1000
    listed: list[Problem] = field(default_factory=list)
    count: int = 0
    replaced: Counter[str] = field(default_factory=Counter)
    """Characters that stand for invalid bytes, by source."""
    unknown: Counter[str] = field(default_factory=Counter)
    """How many files in folders no reader knows, by suffix."""
    decoded: dict[str, str] = field(default_factory=dict)
    """Encodings that were detected, by source."""
    attached: int = 0
    """PDFs that are part of their records."""
    given: bool = False
    """Whether the documents came from a program."""
    most: int | None = None
    """How many problems there may be before reading stops with an error."""

    by_source: Counter[str] = field(default_factory=Counter)
    """How many there were in which file."""
    labels: LabelCounts = field(default_factory=LabelCounts)
    """Labels of screening that stand in the records."""

    def remarks(self) -> list[str]:
        """What was decided while reading and might surprise."""
        said = []
        if self.attached:
            pdfs = "1 PDF" if self.attached == 1 else f"{self.attached:,} PDFs"
            said.append(
                f"{pdfs} attached to {'its record' if self.attached == 1 else 'their records'}"
            )
        if not self.decoded:
            return said
        named = [f"{name} as {encoding}" for name, encoding in self.decoded.items()]
        more = f" and {len(named) - MOST_NAMED:,} more" if len(named) > MOST_NAMED else ""
        listed = ", ".join(named[:MOST_NAMED])
        said.append(f"not UTF-8, read {listed}{more}: if this is wrong, say --encoding (encoding=)")
        return said

    def report(self, place: str, message: str) -> None:
        problem = Problem(place, one_line(message))
        if self.strict:
            raise InputError(str(problem))
        self.count += 1
        if len(self.by_source) < MOST_SOURCES:
            self.by_source[source_of(place)] += 1
        if len(self.listed) < self.limit:
            self.listed.append(problem)
        if self.most is not None and self.count > self.most:
            raise InputError(
                f"more than {self.most} parts cannot be read, the first of them "
                f"{self.listed[0]}: correct them or give another file"
            )

    def replace(self, source: str, place: str, characters: int) -> None:
        """Count characters that were replaced by U+FFFD because their bytes are not valid."""
        if self.strict:
            raise InputError(f"{place}: not valid UTF-8; read without strict to have it replaced")
        self.replaced[source] += characters


def source_of(place: str) -> str:
    """The file of a place: "papers.ris" of "papers.ris, line 12"."""
    return WITHIN.sub("", place)
