"""NBIB, PubMed's MEDLINE format: `TAG - value`; a long value goes on in lines that are set in.

A record begins with its PMID, or with its id as UI. Tags that MEDLINE lacks: URL, which other
programs pass over, and an id that is not the PMID, which is an AID of kind [likewise].
"""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

from likewise.document import as_text
from likewise.readers.fieldnames import PUBMED_TYPES
from likewise.readers.fieldvalues import whole_year
from likewise.readers.references.medline import ONE as READ
from likewise.readers.references.medline import OWN_ID, SEVERAL
from likewise.writers.reference import keywords, reference_of, with_remarks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from likewise.writers.record import Record
    from likewise.writers.reference import Reference

WIDTH = 82  # characters of a line after its tag, as PubMed has them
TAG = re.compile(r"[A-Z][A-Z0-9]{1,3}")
PLACED = ("pmid", "date")  # below
ONE = {tag: name for tag, name in READ.items() if name not in PLACED}
TYPES = {
    "article-journal": "Journal Article",
    "article": "Preprint",
    "thesis": "Academic Dissertation",
    "report": "Technical Report",
    "dataset": "Dataset",
    "book": "Book",
    "chapter": "Book Chapter",
    "paper-conference": "Conference Paper",
}


def write_nbib(records: Iterable[Record], always: Sequence[str]) -> Iterator[bytes]:
    for record in records:
        yield as_nbib(record).encode("utf-8", "replace")


def as_nbib(record: Record) -> str:
    written = ((tag, " ".join(value.split())) for tag, value in _tags(record))
    return "".join(_line(tag, value) for tag, value in written if value) + "\n"


def _line(tag: str, value: str) -> str:
    lines = textwrap.wrap(value, WIDTH, break_long_words=False, break_on_hyphens=False)
    return f"{tag:<4}- " + "\n      ".join(lines) + "\n"


def _tags(record: Record) -> Iterator[tuple[str, str]]:
    reference = reference_of(record)
    known, pmid = reference.known, reference.one("pmid")
    yield ("PMID", pmid) if pmid else ("UI", reference.id)
    yield "DP", _date(reference)
    yield from ((tag, reference.one(name)) for tag, name in ONE.items())
    yield from _people(reference)
    yield from (("IS", number) for number in reference.one("issn").split("; "))
    yield from (("LA", language) for language in reference.one("language").split("; "))
    yield from (("PT", kind) for kind in _types(reference))
    for tag in ("MH", "AD"):
        yield from ((tag, text) for text in _texts(reference.others.get(SEVERAL[tag])))
    yield from (("OT", word) for word in _keywords(reference, record))
    yield from (("GN", note) for note in with_remarks(known.get("notes", ()), record))
    yield "PMC", reference.one("pmcid")
    yield from ((tag, f"{doi} [doi]") for doi in known.get("doi", ()) for tag in ("LID", "AID"))
    if pmid and pmid != reference.id:
        yield "AID", f"{reference.id} {OWN_ID}"
    yield from (("URL", url) for url in known.get("urls") or known.get("url") or ())
    yield from _others(reference)


def _date(reference: Reference) -> str:
    """What tells the year, which MEDLINE has nowhere else."""
    date, year = reference.one("date"), reference.one("year")
    if date and (not year or str(whole_year(date)) == year):
        return date
    return f"{year} {date}"


def _people(reference: Reference) -> Iterator[tuple[str, str]]:
    """Names in full; where only some were, as the file had them."""
    for name, full, short in (("authors", "FAU", "AU"), ("editors", "FED", "ED")):
        names = reference.known.get(name, ())
        if full in reference.others:
            yield from ((short, one.replace(", ", " ", 1)) for one in names)
        else:
            yield from ((full, one) for one in names)


def _types(reference: Reference) -> list[str]:
    own = _texts(reference.others.get(PUBMED_TYPES))
    return own or [TYPES.get(reference.type, reference.type)]


def _keywords(reference: Reference, record: Record) -> list[str]:
    """None where the MeSH terms are all there is."""
    found = keywords(reference, record)
    return [] if found == _texts(reference.others.get("mesh_terms")) else found


def _others(reference: Reference) -> Iterator[tuple[str, str]]:
    """Tags of no known meaning, and further values of those that have one, as they were read."""
    for name, value in reference.others.items():
        if not TAG.fullmatch(name) or name in ("PMID", "UI"):
            continue
        if name in ONE and ONE[name] not in reference.known:
            continue  # it would be taken for the first
        yield from ((name, text) for text in _texts(value))


def _texts(value: object) -> list[str]:
    """A value as texts; none of an object, for which there is no place."""
    try:
        items = value if isinstance(value, (list, tuple)) else [value]
        return [text for text in map(as_text, items) if text.strip()]
    except TypeError:
        return []
