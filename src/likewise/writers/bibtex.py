"""BibTeX: entries with unique citation keys, their values as LaTeX reads them."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from likewise.document import as_text
from likewise.readers.fieldnames import BIBTEX, BIBTEX_TYPE, ENDNOTE_TYPE, PUBMED_TYPES, RIS_TYPE
from likewise.readers.reftypes import BIBTEX_TYPES
from likewise.writers.latex import escaped
from likewise.writers.reference import joined, keywords, reference_of, with_remarks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from likewise.writers.record import Record
    from likewise.writers.reference import Reference

NO_TYPE = "misc"
TYPE = re.compile(r"[A-Za-z]+")
KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9:._/+-]{0,79}")
HASH = re.compile(r"[0-9a-f]{32}")  # an id that was made of the content is no good key
NAME = re.compile(r"[a-z][a-z0-9_-]*")
AND = re.compile(r"\band\b|,", re.IGNORECASE)
TYPES = {csl: bibtex for bibtex, csl in reversed(BIBTEX_TYPES.items())}  # the first of several
# BibTeX's own names where BibLaTeX has others, which come first in the table of readers.
PLAIN = {"journal": "journal", "issue": "number", "place": "address", "notes": "note"}
NAMES = {name: PLAIN.get(name, names[0]) for name, names in BIBTEX.items()}
PUBLISHERS = {"thesis": "school", "report": "institution"}
PEOPLE = ("authors", "editors")
VERBATIM = ("url", "doi")
APART = (*PEOPLE, "keywords", "notes", "pages", "publisher")
ELSEWHERE = {BIBTEX_TYPE, RIS_TYPE, ENDNOTE_TYPE, PUBMED_TYPES, "citation_key"}


def write_bibtex(records: Iterable[Record], always: Sequence[str]) -> Iterator[bytes]:
    keys: set[str] = set()
    for record in records:
        reference = reference_of(record)
        key = _unique(_key(reference), keys)
        fields = "".join(f"  {name} = {{{value}}},\n" for name, value in _fields(reference, record))
        entry = f"@{_type(reference)}{{{key},\n{fields}}}\n\n"
        yield entry.encode("utf-8", "replace")


def _type(reference: Reference) -> str:
    own = reference.own(BIBTEX_TYPE)
    return own.lower() if TYPE.fullmatch(own) else TYPES.get(reference.type, NO_TYPE)


def _fields(reference: Reference, record: Record) -> Iterator[tuple[str, str]]:
    known = reference.known
    for name, called in NAMES.items():
        if name in known and name not in APART:
            text = reference.one(name)
            yield called, _verbatim(text) if name in VERBATIM else _value(text)
    for role in PEOPLE:
        if role in known:
            yield NAMES[role], " and ".join(map(_person, known[role]))
    if "pages" in known:
        yield "pages", re.sub(r"\s*(-\{\}|[-–])+\s*", "--", _value(reference.one("pages")))
    if "publisher" in known:
        yield PUBLISHERS.get(reference.type, "publisher"), _value(reference.one("publisher"))
    words = keywords(reference, record)
    if words:
        yield "keywords", _value(joined(words, ", "))
    notes = with_remarks(known.get("notes", ()), record)
    if notes:
        yield "note", _value("; ".join(notes))
    taken = {*NAMES.values(), *PUBLISHERS.values()}
    for name, value in reference.others.items():
        called = name.lower().replace(" ", "_")
        if not NAME.fullmatch(called) or called in taken or name in ELSEWHERE:
            continue
        try:
            text = as_text(value)
        except TypeError:  # an object has no place in BibTeX
            continue
        if text.strip():
            taken.add(called)
            yield called, _value(text)


def _value(text: str) -> str:
    return escaped(" ".join(text.split()))


def _verbatim(text: str) -> str:
    """An address is not read as LaTeX; a brace in it would end the value."""
    replaced = {"{": "%7B", "}": "%7D", "\\": "%5C"}
    return re.sub(r"[{}\\]", lambda found: replaced[found[0]], "".join(text.split()))


def _person(name: str) -> str:
    """Braces keep together what BibTeX would take for several people, or for first names."""
    if "," not in name:
        apart = " " in name.strip() or AND.search(name)
        return f"{{{_value(name)}}}" if apart else _value(name)
    parts = (part.strip() for part in name.split(",", 1))
    return ", ".join(f"{{{_value(part)}}}" if AND.search(part) else _value(part) for part in parts)


def _key(reference: Reference) -> str:
    """The key that it was read with, its id, or author, year and a word of the title."""
    for own in (reference.own("citation_key"), reference.id):
        if KEY.fullmatch(own) and not HASH.fullmatch(own):
            return own
    authors = reference.known.get("authors", [])
    family = authors[0].partition(",")[0] if authors else ""
    first = next((word for word in re.findall(r"\w+", reference.one("title")) if len(word) > 3), "")
    made = _ascii(family) + reference.one("year")[:4] + _ascii(first)
    return made or _ascii(reference.id)[:40] or "document"


def _ascii(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]", "", plain.lower())


def _unique(key: str, keys: set[str]) -> str:
    """BibTeX does not tell upper from lower case in keys."""
    found, number = key, 1
    while found.lower() in keys:
        number += 1
        found = f"{key}-{number}"
    keys.add(found.lower())
    return found
