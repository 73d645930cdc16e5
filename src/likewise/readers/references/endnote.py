"""A record of EndNote's XML; styles of its text are left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from likewise.readers.fieldnames import ENDNOTE_TYPE
from likewise.readers.fieldvalues import bare_doi, pmcid, whole_year
from likewise.readers.mapping import complete
from likewise.readers.references.ris import PMID_NOTE, PUBMED
from likewise.readers.reftypes import BOOK_PARTS, csl_type

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

# Canonical names of elements with one value, and of those with several; by their paths.
ONE = {
    "titles/title": "title",
    "abstract": "abstract",
    "periodical/full-title": "journal",
    "periodical/abbr-1": "journal_abbreviation",
    "titles/tertiary-title": "series",
    "volume": "volume",
    "number": "issue",
    "pages": "pages",
    "edition": "edition",
    "publisher": "publisher",
    "pub-location": "place",
    "language": "language",
    "accession-num": "accession_number",
    "remote-database-name": "database",
    "rec-number": "id",
}
SEVERAL = {
    "contributors/authors/author": "authors",
    "keywords/keyword": "keywords",
    "urls/pdf-urls/url": "files",
    "urls/related-urls/url": "urls",
    "notes": "notes",
}
NOT_FIELDS = frozenset({"database", "source-app", "foreign-keys"})  # of the library, not the record
EDITORS = "contributors/secondary-authors/author"


def values_of(record: Element) -> dict[str, Any]:
    """The record with canonical names."""
    left = _leaves(record)
    values: dict[str, Any] = {}
    for path, name in ONE.items():
        if path in left:
            values[name] = " ".join(left.pop(path)) if name == "abstract" else left[path].pop(0)
            if path in left and not left[path]:
                del left[path]
    for path, name in SEVERAL.items():
        if path in left:
            values[name] = left.pop(path)
    kind = record.find("ref-type")
    code = (kind.get("name") or "") if kind is not None else ""
    values["type"] = csl_type(code) or "document"
    if code:
        values[ENDNOTE_TYPE] = code
    left.pop("ref-type", None)
    _container(values, left)
    _others(values, left)
    for path, items in left.items():
        name = path.rpartition("/")[2]
        values.setdefault(
            name if name not in values else path, items[0] if len(items) == 1 else items
        )
    return complete(values)


def _leaves(record: Element) -> dict[str, list[str]]:
    """Texts by their path; an element with styles only is a leaf."""
    found: dict[str, list[str]] = {}
    waiting = [(child, child.tag) for child in reversed(record) if child.tag not in NOT_FIELDS]
    while waiting:
        element, path = waiting.pop()
        children = [child for child in element if child.tag != "style"]
        if children and path.count("/") < 4:
            waiting += [(child, f"{path}/{child.tag}") for child in reversed(children)]
        elif text := " ".join("".join(element.itertext()).split()):
            found.setdefault(path, []).append(text)
    return found


def _container(values: dict[str, Any], left: dict[str, list[str]]) -> None:
    """The second title is the journal or the book, by the type."""
    second = left.pop("titles/secondary-title", [])
    book = values["type"] in BOOK_PARTS
    name = "booktitle" if book else "journal"
    if second and values.setdefault(name, second[0]) != second[0]:
        left["titles/secondary-title"] = second
    if book and values.get("journal") == values.get("booktitle"):
        values.pop("journal", None)
    if EDITORS in left and values["type"] in (*BOOK_PARTS, "book"):
        values["editors"] = left.pop(EDITORS)


def _others(values: dict[str, Any], left: dict[str, list[str]]) -> None:
    for path in ("dates/year", "dates/pub-dates/date"):
        given = left[path][0] if path in left else ""
        year = whole_year(given)
        if year is not None and values.setdefault("year", year) == year and given == str(year):
            del left[path]
        elif given and path.endswith("date"):
            values["date"] = left.pop(path)[0]
    if "isbn" in left:
        numbers = "; ".join(left.pop("isbn"))
        values["isbn" if values["type"] in ("book", "chapter") else "issn"] = numbers
    number = left.get("electronic-resource-num", [""])[0]
    if (doi := bare_doi(number)) is not None:
        values["doi"] = doi
        del left["electronic-resource-num"]
    if (central := pmcid(left.get("custom2", [""])[0])) is not None:
        values["pmcid"] = central
    accession = values.get("accession_number", "")
    provider = " ".join([values.get("database", ""), *left.get("remote-database-provider", ())])
    if accession.isascii() and accession.isdigit() and PUBMED.search(provider):
        values["pmid"] = accession
    elif noted := next(filter(None, map(PMID_NOTE.fullmatch, values.get("notes", ()))), None):
        values["pmid"] = noted[1]
        values["notes"] = [note for note in values["notes"] if note != noted[0]]
        if not values["notes"]:
            del values["notes"]
    urls = values.pop("urls", [])
    if urls:
        values["url"] = urls[0]
    if len(urls) > 1:
        values["urls"] = urls
