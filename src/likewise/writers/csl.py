"""CSL-JSON: one list of items; what CSL has no variable for is in `custom`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from likewise.readers.fieldnames import CSL
from likewise.readers.references.csl import SIGNS
from likewise.readers.reftypes import BOOK_PARTS
from likewise.writers.jsonl import as_line
from likewise.writers.reference import joined, keywords, reference_of, with_remarks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from likewise.writers.record import Record
    from likewise.writers.reference import Reference

NO_TYPE = "document"
DATE = re.compile(r"(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?(?![\d-])")
PEOPLE = ("authors", "editors")
APART = (*PEOPLE, "keywords", "notes", "type")
VARIABLES = {name: names[0] for name, names in CSL.items() if name not in APART}


def write_csl(records: Iterable[Record], always: Sequence[str]) -> Iterator[bytes]:
    before = b"[\n"
    for record in records:
        yield before + as_line(item(record)).rstrip(b"\n")
        before = b",\n"
    yield b"[]\n" if before == b"[\n" else b"\n]\n"


def item(record: Record) -> dict[str, Any]:
    reference = reference_of(record)
    known = reference.known
    made: dict[str, Any] = {"id": reference.id, "type": reference.type or NO_TYPE}
    made |= {variable: reference.one(name) for name, variable in VARIABLES.items() if name in known}
    for role in PEOPLE:
        if role in known:
            made[CSL[role][0]] = [_name(name) for name in known[role]]
    made |= _container(reference) | _issued(reference)
    words = keywords(reference, record)
    notes = with_remarks(known.get("notes", ()), record)
    made |= {"keyword": joined(words, "; ")} if words else {}
    made |= {"note": "\n".join(notes)} if notes else {}
    taken = {*VARIABLES, *APART, "journal", "booktitle", "year"}
    custom = {name: known[name] for name in known if name not in taken} | reference.others
    beside = {name: value for name, value in record.beside.items() if value not in (None, "", [])}
    if beside or SIGNS.isdisjoint(made):  # something must tell that this is CSL
        custom |= {"likewise": beside}
    return made | ({"custom": custom} if custom else {})


def _name(name: str) -> dict[str, str]:
    family, comma, given = name.partition(",")
    if not comma or not family.strip():
        return {"literal": name}
    return {"family": family.strip(), "given": given.strip()}


def _container(reference: Reference) -> dict[str, str]:
    journal, book = reference.one("journal"), reference.one("booktitle")
    first, second = (book, journal) if reference.type in BOOK_PARTS else (journal, book)
    container = first or second
    return {"container-title": container} if container else {}


def _issued(reference: Reference) -> dict[str, Any]:
    date, year = reference.one("date"), reference.one("year")
    found = DATE.match(date)
    if found and (not year or found[1] == year):
        return {"issued": {"date-parts": [[int(part) for part in found.groups() if part]]}}
    if year.isdigit():
        return {"issued": {"date-parts": [[int(year)]]}}
    return {"issued": {"raw": date or year}} if date or year else {}
