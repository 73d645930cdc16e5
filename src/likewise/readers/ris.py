"""RIS, which reference managers and screening programs exchange: one record from TY to ER.

The id is that of the record (ID), else its accession number (AN), else a hash of its content.
Labels that ASReview leaves in the notes (N1) become the field `label`, 1 or 0.
"""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from likewise.errors import InputError
from likewise.readers.batch import Batch, place
from likewise.readers.records import Entry, batches
from likewise.readers.streams import open_utf8, replace_invalid

if TYPE_CHECKING:
    from collections.abc import Iterator

    from likewise.readers.options import ReadOptions
    from likewise.readers.problems import Problems
    from likewise.readers.streams import Source

END = re.compile(r"ER\s\s?-")
START = re.compile(r"TY\s\s?-")
LABELS = {"ASReview_relevant": 1, "ASReview_irrelevant": 0}


class _Record(NamedTuple):
    line: int
    text: str


def read_ris(source: Source, options: ReadOptions, problems: Problems) -> Iterator[Batch]:
    yield from batches(_entries(source, problems), options, problems)


def _entries(source: Source, problems: Problems) -> Iterator[Entry]:
    try:
        import rispy
    except ImportError:
        raise InputError(
            f"{source.name}: reading RIS needs rispy: pip install 'likewise[formats]'"
        ) from None
    for record in _records(source, problems):
        if not START.match(record.text):
            problems.report(place(source.name, record.line), "a record without its begin (TY)")
            continue
        try:
            found = rispy.loads(record.text)
        except (rispy.parser.ParseError, OSError, ValueError, KeyError) as error:
            reason = re.sub(r" in line \d+:?$", "", str(error).partition("\n")[0]).lower()
            problems.report(place(source.name, record.line), f"not a RIS record: {reason}")
            continue
        for values in found:
            yield Entry(source.name, record.line, _values(values))


def _records(source: Source, problems: Problems) -> Iterator[_Record]:
    """Each from its TY to its ER; a number that some programs put before it is passed over."""
    first, lines = 1, list[str]()
    for number, line in enumerate(_lines(source, problems), 1):
        if not lines:
            first = number
            if not line.strip() or re.fullmatch(r"\d+\.?\s*", line):
                continue
        elif START.match(line):
            problems.report(place(source.name, first), "a record without its end (ER)")
            first, lines = number, []
        lines.append(line)
        if END.match(line):
            yield _Record(first, "".join(lines))
            lines = []
    if lines:
        problems.report(place(source.name, first), "a record without its end (ER)")


def _lines(source: Source, problems: Problems) -> io.StringIO:
    with open_utf8(source, problems) as stream:
        data = stream.read()
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        text, replaced = replace_invalid(data)
        line = data.count(b"\n", 0, error.start) + 1
        problems.replace(source.name, place(source.name, line), replaced)
    return io.StringIO(text)


def _values(record: dict[str, Any]) -> dict[str, Any]:
    values = dict(record)
    if "id" not in values and values.get("accession_number"):
        values["id"] = values["accession_number"]
    labels = [LABELS[note] for note in values.get("notes", ()) if note in LABELS]
    if labels:
        values["label"] = labels[-1]
    return values
