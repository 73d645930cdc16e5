"""EndNote's XML: a record each, with the type and the fields that it was read with."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from likewise.document import as_text
from likewise.readers.fieldnames import ENDNOTE_TYPE
from likewise.readers.references.endnote import EDITORS, ONE, SEVERAL
from likewise.readers.references.ris import PUBMED
from likewise.readers.references.xml import NOT_XML
from likewise.readers.reftypes import BOOK_PARTS
from likewise.writers.reference import keywords, reference_of, with_remarks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from likewise.writers.record import Record
    from likewise.writers.reference import Reference

HEAD = b'<?xml version="1.0" encoding="UTF-8" ?><xml><records>'
END = b"</records></xml>\n"
# EndNote's types with their numbers, and which of them a CSL type is.
NUMBERS = {
    "Artwork": 2, "Audiovisual Material": 3, "Bill": 4, "Book Section": 5, "Book": 6, "Case": 7,
    "Computer Program": 9, "Conference Proceedings": 10, "Web Page": 12, "Generic": 13,
    "Hearing": 14, "Journal Article": 17, "Magazine Article": 19, "Map": 20,
    "Film or Broadcast": 21, "Newspaper Article": 23, "Pamphlet": 24, "Patent": 25,
    "Personal Communication": 26, "Report": 27, "Edited Book": 28, "Statute": 31, "Thesis": 32,
    "Unpublished Work": 34, "Manuscript": 36, "Figure": 37, "Electronic Article": 43,
    "Electronic Book": 44, "Government Document": 46, "Conference Paper": 47, "Dictionary": 52,
    "Encyclopedia": 53, "Blog": 56, "Serial": 57, "Standard": 58, "Dataset": 59,
}  # fmt: skip
TYPES = {
    "article-journal": "Journal Article",
    "article-magazine": "Magazine Article",
    "article-newspaper": "Newspaper Article",
    "book": "Book",
    "chapter": "Book Section",
    "paper-conference": "Conference Paper",
    "thesis": "Thesis",
    "report": "Report",
    "webpage": "Web Page",
    "patent": "Patent",
    "dataset": "Dataset",
    "software": "Computer Program",
    "manuscript": "Manuscript",
    "standard": "Standard",
    "legislation": "Statute",
    "legal_case": "Case",
    "post-weblog": "Blog",
}
NO_TYPE = "Generic"
# Where fields are that the reader names by the last part of their path.
PATHS = {
    "author": EDITORS,
    "secondary-title": "titles/secondary-title",
    "alt-title": "titles/alt-title",
    "short-title": "titles/short-title",
    "translated-title": "titles/translated-title",
}
BESIDE = frozenset(
    {f"custom{number}" for number in range(1, 8)}
    | {"label", "work-type", "section", "num-vols", "reprint-edition", "orig-pub", "call-num"}
    | {"caption", "auth-address", "research-notes", "remote-database-provider", "access-date"}
)
NAME = re.compile(r"[a-z][a-z0-9-]*(/[a-z][a-z0-9-]*){0,4}")
PLACED = ("id", "journal", "abstract")  # below


def write_endnote(records: Iterable[Record], always: Sequence[str]) -> Iterator[bytes]:
    yield HEAD
    for record in records:
        yield as_endnote(record)
    yield END


def as_endnote(record: Record) -> bytes:
    reference = reference_of(record)
    made = Element("record")
    _put(made, "rec-number", reference.id)
    name = _type(reference)
    SubElement(made, "ref-type", name=_xml(name)).text = str(NUMBERS.get(name, NUMBERS[NO_TYPE]))
    for path, text in _fields(reference, record):
        _put(made, path, text)
    written: bytes = ElementTree.tostring(made, encoding="utf-8", xml_declaration=False)
    return written


def _type(reference: Reference) -> str:
    return reference.own(ENDNOTE_TYPE) or TYPES.get(reference.type, NO_TYPE)


def _fields(reference: Reference, record: Record) -> Iterator[tuple[str, str]]:
    known = reference.known
    placed = {path: name for path, name in ONE.items() if name not in PLACED}
    yield "abstract", reference.one("abstract")
    yield from _in(reference)
    yield from ((path, reference.one(name)) for path, name in placed.items())
    yield from (("dates/year", year) for year in known.get("year", ()))
    yield from (("dates/pub-dates/date", date) for date in known.get("date", ()))
    yield from (("isbn", number) for number in _numbers(reference))
    yield "electronic-resource-num", reference.one("doi")
    if "custom2" not in reference.others:
        yield "custom2", reference.one("pmcid")
    yield from _pubmed(reference)
    yield from ((EDITORS, name) for name in known.get("editors", ()))
    lists = {
        **{name: known.get(name, []) for name in ("authors", "files")},
        "keywords": keywords(reference, record),
        "urls": known.get("urls") or known.get("url", []),
        "notes": with_remarks(known.get("notes", ()), record) + _noted(reference),
    }
    for path, name in SEVERAL.items():
        yield from ((path, text) for text in lists[name])
    yield from _others(reference)


def _in(reference: Reference) -> Iterator[tuple[str, str]]:
    """The journal or the book that it is in: the second title is the one by type."""
    journal = reference.one("journal")
    in_book = reference.type in BOOK_PARTS
    if "secondary-title" not in reference.others:
        yield "titles/secondary-title", reference.one("booktitle") if in_book else journal
    yield "periodical/full-title", journal


def _numbers(reference: Reference) -> list[str]:
    """ISBN and ISSN share a place; the one that belongs to the type comes first."""
    names = ["isbn", "issn"] if reference.type in ("book", "chapter") else ["issn", "isbn"]
    return [text for name in names if (text := reference.one(name))]


def _pubmed(reference: Reference) -> Iterator[tuple[str, str]]:
    """The PMID is an accession number, where there is no other."""
    known = reference.known
    if "pmid" in known and "accession_number" not in known:
        yield "accession-num", reference.one("pmid")
        provider = f"{reference.one('database')} {reference.own('remote-database-provider')}"
        if not PUBMED.search(provider):
            yield "remote-database-provider", "NLM"


def _noted(reference: Reference) -> list[str]:
    """A PMID that has no place, as a note."""
    number, pmid = reference.one("accession_number"), reference.one("pmid")
    said = f"PMID: {pmid}"
    there = said in reference.known.get("notes", ())
    return [said] if number and pmid and number != pmid and not there else []


def _others(reference: Reference) -> Iterator[tuple[str, str]]:
    """Fields of no known meaning, where they were; of other sources those that EndNote has."""
    own = bool(reference.own(ENDNOTE_TYPE))
    for name, value in reference.others.items():
        path = PATHS.get(name, name)
        if not NAME.fullmatch(path) or (not own and name not in BESIDE):
            continue
        for item in value if isinstance(value, (list, tuple)) else [value]:
            try:
                yield path, as_text(item)
            except TypeError:
                continue  # an object


def _put(record: Element, path: str, text: str) -> None:
    """Add an element at a path; those on the way are shared."""
    plain = " ".join(_xml(text).split())
    if not plain:
        return
    *above, last = path.split("/")
    place = record
    for name in above:
        found = place.find(name)
        place = SubElement(place, name) if found is None else found
    SubElement(place, last).text = plain


def _xml(text: str) -> str:
    """Without characters that XML cannot hold."""
    return NOT_XML.sub("\ufffd", text.encode("utf-8", "replace").decode())
