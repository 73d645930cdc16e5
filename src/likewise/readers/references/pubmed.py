"""A record of PubMed's XML."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from likewise.readers.fieldnames import PUBMED_TYPES
from likewise.readers.fieldvalues import bare_doi, pmcid, whole_year
from likewise.readers.mapping import page_range
from likewise.readers.reftypes import pubmed_type

if TYPE_CHECKING:
    from collections.abc import Iterable
    from xml.etree.ElementTree import Element

# Where values are, below MedlineCitation or BookDocument: canonical or own name, path.
ONE = {
    "pmid": "PMID",
    "title": "Article/ArticleTitle",
    "journal": "Article/Journal/Title",
    "journal_abbreviation": "Article/Journal/ISOAbbreviation",
    "issn": "Article/Journal/ISSN",
    "volume": "Article/Journal/JournalIssue/Volume",
    "issue": "Article/Journal/JournalIssue/Issue",
    "pages": "Article/Pagination/MedlinePgn",
    "vernacular_title": "Article/VernacularTitle",
    "country": "MedlineJournalInfo/Country",
    "nlm_id": "MedlineJournalInfo/NlmUniqueID",
    "conflicts_of_interest": "CoiStatement",
}
BOOK = {
    "pmid": "PMID",
    "title": "ArticleTitle",
    "booktitle": "Book/BookTitle",
    "publisher": "Book/Publisher/PublisherName",
    "place": "Book/Publisher/PublisherLocation",
    "isbn": "Book/Isbn",
    "series": "Book/CollectionTitle",
    "edition": "Book/Edition",
}
# Names of elements, wherever they are, with several values.
SEVERAL = {
    "PublicationType": PUBMED_TYPES,
    "Affiliation": "affiliations",
    "Keyword": "keywords",
    "NameOfSubstance": "chemicals",
    "GrantID": "grants",
    "AccessionNumber": "data_banks",
    "CitationSubset": "citation_subsets",
    "Language": "language",
}


def values_of(record: Element) -> dict[str, Any]:
    """The record with canonical names."""
    book = record.find("BookDocument")
    citation = record if record.tag == "MedlineCitation" else record.find("MedlineCitation")
    body = book if book is not None else citation if citation is not None else record
    values: dict[str, Any] = {}
    for name, path in (BOOK if book is not None else ONE).items():
        if text := _text(body.find(path)):
            values[name] = text
    if book is not None and "title" not in values and "booktitle" in values:
        values["title"] = values["booktitle"]
    for element in body.iter():
        if (several := SEVERAL.get(element.tag)) and (text := _text(element)):
            values.setdefault(several, {})[text] = None  # each once, in their order
    values |= {name: list(values[name]) for name in SEVERAL.values() if name in values}
    if abstract := _abstract(body.iterfind("Abstract" if book is not None else "Article/Abstract")):
        values["abstract"] = abstract
    if others := _abstract(body.iterfind("OtherAbstract")):
        values["other_abstract"] = others
    people = {name: _people(body, name) for name in ("authors", "editors")}
    values |= {name: names for name, names in people.items() if names}
    if "language" in values:
        values["language"] = "; ".join(values["language"])
    _pages(values, body)
    _date(values, body)
    _terms(values, body)
    _identifiers(values, record)
    in_book = book is not None and values.get("title") != values.get("booktitle")
    values["type"] = "book" if book is not None and not in_book else _type(values, in_book)
    return values


def _type(values: dict[str, Any], in_book: bool) -> str:
    return pubmed_type(values.get(PUBMED_TYPES, ()), in_book=in_book)


def _text(element: Element | None) -> str:
    return "" if element is None else " ".join("".join(element.itertext()).split())


def _texts(elements: Iterable[Element]) -> list[str]:
    return [text for text in map(_text, elements) if text]


def _abstract(abstracts: Iterable[Element]) -> str:
    """Sections one a line, each with its label."""
    sections = []
    for abstract in abstracts:
        for section in abstract.iterfind("AbstractText"):
            label, text = (section.get("Label") or "").strip(), _text(section)
            sections.append(f"{label}: {text}" if label and text else text)
    return "\n".join(filter(None, sections))


def _people(body: Element, kind: str) -> list[str]:
    names = []
    for people in body.iter("AuthorList"):
        if ("editors" if people.get("Type") == "editors" else "authors") == kind:
            names += [_person(person) for person in people.iterfind("Author")]
    return [name for name in names if name]


def _person(person: Element) -> str:
    family, suffix = _text(person.find("LastName")), _text(person.find("Suffix"))
    given = _text(person.find("ForeName")) or _text(person.find("Initials"))
    if not family:
        return _text(person.find("CollectiveName")) or given
    return ", ".join(filter(None, (family, given, suffix)))


def _pages(values: dict[str, Any], body: Element) -> None:
    if "pages" not in values:
        first, last = (_text(next(body.iter(tag), None)) for tag in ("StartPage", "EndPage"))
        values |= {"pages": page_range(first, last)} if first else {}


def _date(values: dict[str, Any], body: Element) -> None:
    date = next(body.iter("PubDate"), None)
    if date is None:
        return
    written = " ".join(_texts(date))
    year = whole_year(written)
    if year is not None:
        values["year"] = year
    if written and written != str(year):
        values["date"] = written


def _terms(values: dict[str, Any], body: Element) -> None:
    """Headings of MeSH, as MEDLINE writes them: Heart/*physiology."""
    terms = []
    for heading in body.iterfind("MeshHeadingList/MeshHeading"):
        major = ("*" if part.get("MajorTopicYN") == "Y" else "" for part in heading)
        terms.append(
            "/".join(mark + _text(part) for mark, part in zip(major, heading, strict=True))
        )
    if terms:
        values["mesh_terms"] = terms
        values.setdefault("keywords", terms)


def _identifiers(values: dict[str, Any], record: Element) -> None:
    found = [
        *((e.get("EIdType"), _text(e)) for e in record.iter("ELocationID")),
        *(
            (e.get("IdType"), _text(e))
            for e in record.iterfind("PubmedData/ArticleIdList/ArticleId")
        ),
        *((e.get("IdType"), _text(e)) for e in record.iterfind("*/ArticleIdList/ArticleId")),
    ]
    for kind, text in found:
        value = {"doi": bare_doi, "pmc": pmcid}.get(kind or "", lambda text: None)(text)
        if value is not None:
            values.setdefault("doi" if kind == "doi" else "pmcid", value)
        elif text and kind not in ("pubmed", "doi", "pmc", None):
            values.setdefault(f"id_{kind}", text)
