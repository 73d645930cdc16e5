"""RIS: a line each `TAG  - value`, with the tags and the type that a record was read with."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from likewise.document import as_text
from likewise.readers.fieldnames import RIS, RIS_OTHERS, RIS_TYPE
from likewise.readers.reftypes import BOOK_PARTS, RIS_TYPES
from likewise.writers.reference import LABEL_NOTES, keywords, reference_of, with_remarks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from likewise.writers.record import Record
    from likewise.writers.reference import Reference

NO_TYPE = "GEN"
TYPE = re.compile(r"[A-Z][A-Z0-9]+")
TAG = re.compile(r"[A-Z][A-Z0-9]")
PAGES = re.compile(r"([^\s\-–]+)\s*[-–]+\s*([^\s\-–]+)")
OTHER_TAGS = "unknown_tag"  # in indexes of earlier versions
TYPES = {csl: ris for ris, csl in reversed(RIS_TYPES.items())}  # the first of several
SPECIAL = ("title", "abstract", "journal", "booktitle", "keywords", "notes")  # placed below
ONE_TAG = {tags[0]: name for name, tags in RIS.items() if name not in SPECIAL}
OTHERS = {name: tag for tag, name in RIS_OTHERS.items() if tag != "ID"}


def write_ris(records: Iterable[Record], always: Sequence[str]) -> Iterator[bytes]:
    for record in records:
        yield as_ris(record).encode("utf-8", "replace")


def as_ris(record: Record) -> str:
    reference = reference_of(record)
    lines = [("TY", _type(reference)), ("ID", reference.id), *_tags(reference, record)]
    written = ((tag, " ".join(value.split())) for tag, value in lines)
    return "".join(f"{tag}  - {value}\n" for tag, value in written if value) + "ER  - \n\n"


def _type(reference: Reference) -> str:
    own = reference.own(RIS_TYPE)
    return own if TYPE.fullmatch(own) else TYPES.get(reference.type, NO_TYPE)


def _tags(reference: Reference, record: Record) -> Iterator[tuple[str, str]]:
    known = reference.known
    yield "TI", reference.one("title")
    yield "AB", reference.one("abstract")
    yield from _in(reference)
    yield from (("PY", year) for year in known.get("year", ()))
    yield from (("DA", date) for date in known.get("date", ()))
    for tag, name in ONE_TAG.items():
        yield from ((tag, value) for value in known.get(name, ()))
    yield from (("UR", url) for url in known.get("urls", ()) if url not in known.get("url", ()))
    yield from _pages(reference.one("pages"))
    yield from (("SN", value) for name in ("issn", "isbn") for value in known.get(name, ()))
    if "accession_number" not in known:
        yield "AN", reference.one("pmid")
    yield from (("KW", word) for word in keywords(reference, record))
    yield from (("N1", note) for note in with_remarks(known.get("notes", ()), record))
    yield from (("N1", f"PMID: {pmid}") for pmid in known.get("pmid", ()))  # RIS has no tag for it
    yield from _others(reference)


def _in(reference: Reference) -> Iterator[tuple[str, str]]:
    """The journal or the book that it is in: T2 is the one by type, the other has its own tag.

    Some programs look for a journal in JO only.
    """
    journal, book = reference.one("journal"), reference.one("booktitle")
    in_book = reference.type in BOOK_PARTS
    yield "T2", book if in_book else journal
    yield ("JF", journal) if in_book else ("BT", book)
    if not in_book:
        yield "JO", journal


def _pages(pages: str) -> Iterator[tuple[str, str]]:
    both = PAGES.fullmatch(pages.strip())
    yield "SP", both[1] if both else pages
    if both:
        yield "EP", both[2]


def _others(reference: Reference) -> Iterator[tuple[str, str]]:
    """Tags beside the usual ones, as they were read; an object has no place in RIS."""
    others = dict(reference.others)
    if set(LABEL_NOTES.values()).intersection(reference.known.get("notes", ())):
        others.pop("label", None)  # it was read from the notes
    unknown = others.get(OTHER_TAGS)
    fields = {**others, **(unknown if isinstance(unknown, dict) else {})}
    taken = {tag for tags in RIS.values() for tag in tags} | {"TY", "ER", "ID", "T2"}
    for name, value in fields.items():
        tag = OTHERS.get(name.lower().replace(" ", "_"), name)
        if not TAG.fullmatch(tag) or tag in taken:
            continue
        for item in value if isinstance(value, (list, tuple)) else [value]:
            try:
                yield tag, as_text(item)
            except TypeError:
                continue
