"""RIS, in the dialects of EndNote, Zotero, Mendeley, Embase, Cochrane, PubMed and others.

A record goes from TY to ER, or to the next TY where a program leaves ER out. A line that has no
tag continues the value before it or, where a tag may be repeated, is another item. Two blanks
stand before the hyphen; where TY has one, the other tags of the record may have one, too.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, Any

from likewise.readers.batch import place
from likewise.readers.fieldnames import RIS, RIS_OTHERS, RIS_REPEATED, RIS_TYPE
from likewise.readers.fieldvalues import bare_doi, pmcid, whole_year
from likewise.readers.labels import in_notes
from likewise.readers.lines import line_blocks
from likewise.readers.mapping import complete, page_range
from likewise.readers.records import Entry
from likewise.readers.references.roles import reference_batches
from likewise.readers.reftypes import BOOK_PARTS, RIS_TYPES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from likewise.readers.batch import Batch
    from likewise.readers.options import ReadOptions
    from likewise.readers.problems import Problems
    from likewise.readers.streams import Source

    Tags = dict[str, list[str]]

START = re.compile(r"TY {0,2}-\s?")
END = re.compile(r"ER {0,2}-")
TAG = re.compile(r"([A-Z][A-Z0-9])  -(?: |$)?(.*)", re.DOTALL)
LOOSE_TAG = re.compile(r"([A-Z][A-Z0-9]) {0,2}-(?: |$)(.*)", re.DOTALL)
NUMBER = re.compile(r"\d+[.)]?")  # which some programs put before a record
PREAMBLE = re.compile(r"[A-Z][\w ]{1,30}:")  # as in "Provider: Ovid"
SEVERAL_URLS = re.compile(r";\s+|;(?=[a-z]+://)")  # a semicolon alone may be part of a URL
PUBMED_URL = re.compile(r"(?:pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/pubmed)/(\d{1,9})\b")
PMID_NOTE = re.compile(r"(?:PMID:?|PUBMED)\s*(\d{1,9})\b", re.IGNORECASE)
PUBMED = re.compile(r"pubmed|medline|\bnlm\b", re.IGNORECASE)
ISBN = re.compile(r"[\dXx][\dXx -]{8,16}")
KNOWN = frozenset(chain(RIS_OTHERS, *RIS.values(), ("PY", "Y1", "DA", "SP", "EP", "SN", "T2")))
TEXTS = (
    "title",
    "journal_abbreviation",
    "series",
    "volume",
    "issue",
    "edition",
    "publisher",
    "place",
    "language",
    "accession_number",
    "database",
)
LISTS = ("authors", "editors", "files", "notes")


def read_ris(source: Source, options: ReadOptions, problems: Problems) -> Iterator[Batch]:
    entries = _entries(source, options, problems)
    yield from reference_batches(entries, source, options, problems)


def _entries(source: Source, options: ReadOptions, problems: Problems) -> Iterator[Entry]:
    records = _Records(source.name, problems)
    for first, lines in line_blocks(source, options, problems):
        yield from records.feed(first, lines)
    yield from records.finish()


class _Records:
    """Makes records of lines."""

    def __init__(self, source: str, problems: Problems) -> None:
        self._source, self._problems = source, problems
        self._line = 0  # where the record begins; 0 outside of one
        self._type = ""
        self._tags: Tags = {}
        self._last: list[str] | None = None  # what a line without a tag continues
        self._repeated = self._goes_on = False
        self._loose = self._ends = self._outside = False

    def feed(self, first: int, lines: list[str]) -> Iterator[Entry]:
        strict, tags = TAG.match, self._tags
        for number, line in enumerate(lines, first):
            found = strict(line)
            if found is None and (self._loose or line[:2] in ("TY", "ER") or not self._line):
                found = self._other_style(line)
            if found is None:
                self._continue(number, line)
                continue
            tag, value = found[1], found[2]
            if tag == "TY":
                if self._line:
                    yield self._entry()
                self._begin(number, line, value)
                tags = self._tags
            elif not self._line:
                self._report_outside(number, "a record that does not begin with TY")
                self._outside = tag != "ER"
            elif tag == "ER":
                self._ends = True
                yield self._entry()
            else:
                self._last = tags.get(tag)
                if self._last is None:
                    self._last = tags[tag] = []
                self._last.append(value.strip())
                self._repeated = tag in RIS_REPEATED

    def finish(self) -> Iterator[Entry]:
        if self._line and self._ends:
            self._problems.report(
                place(self._source, self._line),
                "a record that does not end with ER, as the others do: the file is cut short",
            )
        elif self._line:
            yield self._entry()

    def _other_style(self, line: str) -> re.Match[str] | None:
        """A tag with fewer blanks; text may look like one, so it must be known."""
        found = LOOSE_TAG.match(line.lstrip("\ufeff \t") if not self._line else line)
        if found is None or not (found[1] in KNOWN or found[1] in ("TY", "ER")):
            return None
        if found[1] == "TY" and not re.fullmatch(r"\s*[A-Z][A-Z0-9]{1,9}\s*", found[2]):
            return None
        if found[1] == "ER" and found[2].strip():
            return None
        return found

    def _begin(self, number: int, line: str, type: str) -> None:
        self._line, self._type, self._tags, self._last = number, type.strip(), {}, None
        self._goes_on = False
        self._loose = not line.startswith("TY  -")
        self._outside = False

    def _continue(self, number: int, line: str) -> None:
        bare = line.strip()
        if not bare:
            return
        if not self._line:
            if not (NUMBER.fullmatch(bare) or PREAMBLE.match(bare)):
                self._report_outside(number, "this is not in a RIS record, which begins with TY")
                self._outside = True
        elif self._last is None:
            self._last = self._tags.setdefault("untagged", [])
            self._last.append(bare)
        elif self._repeated:
            self._last.append(bare)
        else:
            self._last.append("\n" + bare)
            self._goes_on = True

    def _report_outside(self, number: int, message: str) -> None:
        """Once for all lines up to the next record."""
        if not self._outside:
            self._problems.report(place(self._source, number), message)

    def _entry(self) -> Entry:
        tags = self._tags
        if self._goes_on:
            tags = {tag: _joined(lines) for tag, lines in tags.items()}
        tags = {tag: items for tag, found in tags.items() if (items := [*filter(None, found)])}
        entry = Entry(self._source, self._line, values_of_tags(self._type, tags))
        self._line, self._tags, self._last = 0, {}, None
        return entry


def _joined(lines: list[str]) -> list[str]:
    """Values, each put together of its lines."""
    items: list[list[str]] = []
    for line in lines:
        if line.startswith("\n") and items:
            items[-1].append(line[1:])
        else:
            items.append([line])
    return [" ".join(filter(None, item)) for item in items]


def values_of_tags(type: str, tags: Tags) -> dict[str, Any]:
    """The record with canonical names."""
    values: dict[str, Any] = {}
    left = dict(tags)
    csl = RIS_TYPES.get(type.upper(), "document")
    for name in (*TEXTS, *LISTS):
        for tag in RIS[name]:
            if tag in left:
                items = left.pop(tag)
                if name in LISTS:
                    values[name] = items
                else:
                    values[name] = items.pop(0)
                    left |= {tag: items} if items else {}
                break
    _abstract(values, left)
    _dates(values, left)
    _container(values, left, csl)
    _numbers(values, left, csl)
    _identifiers(values, left)
    if "KW" in left:
        words = (word.strip() for line in left.pop("KW") for word in line.split(";"))
        values["keywords"] = [word for word in words if word]
    values["type"] = csl
    if type:
        values[RIS_TYPE] = type
    for tag, items in left.items():
        values[RIS_OTHERS.get(tag, tag)] = items[0] if len(items) == 1 else items
    label = in_notes(values["notes"]) if "notes" in values else None
    if label is not None and label.name != "unsure":
        values.setdefault("label", int(label.name == "relevant"))
    return complete(values)


def _abstract(values: dict[str, Any], left: Tags) -> None:
    for tag in RIS["abstract"]:
        if tag in left and "abstract" not in values:
            values["abstract"] = "\n".join(left.pop(tag))
        elif tag in left and "\n".join(left[tag]) == values["abstract"]:
            del left[tag]
    if "T1" in left and left["T1"] == [values.get("title")]:
        del left["T1"]
    if "A1" in left and "authors" in values:
        first = left.pop("A1")
        values["authors"] = [*first, *(name for name in values["authors"] if name not in first)]


def _dates(values: dict[str, Any], left: Tags) -> None:
    """The year of PY, Y1 or DA, and the date if one tells more; nothing is kept twice."""
    for tag in "PY", "Y1", "DA":
        given = left[tag][0] if tag in left else ""
        year = whole_year(given)
        if year is None:
            continue
        values.setdefault("year", year)
        date = given.rstrip("/ ")
        if values["year"] != year or len(left[tag]) > 1:
            continue
        if date == str(year) or values.setdefault("date", date) == date:
            del left[tag]


def _container(values: dict[str, Any], left: Tags, csl: str) -> None:
    """T2 is a journal or a book, by the type; JO is often the abbreviation of a journal."""
    book = csl in BOOK_PARTS
    for tag in ("BT", "T2", *RIS["journal"]) if book else ("JF", "T2", "SO", "JO"):
        if tag not in left:
            continue
        title = left[tag][0]
        name = "booktitle" if book and tag in ("BT", "T2") else "journal"
        if name in values and name == "journal" and tag == "JO":
            name = "journal_abbreviation" if values["journal"] != title else "journal"
        if len(left[tag]) == 1 and values.setdefault(name, title) == title:
            del left[tag]
    if "BT" in left and len(left["BT"]) == 1:
        values.setdefault("booktitle", left["BT"][0])
        if values["booktitle"] == left["BT"][0]:
            del left["BT"]


def _numbers(values: dict[str, Any], left: Tags, csl: str) -> None:
    first, last = (left[tag][0] if len(left.get(tag, ())) == 1 else "" for tag in ("SP", "EP"))
    if first:
        same = last and first.endswith((f"-{last}", f"\N{EN DASH}{last}"))
        values["pages"] = first if same else page_range(first, last)
        left.pop("SP")
        left.pop("EP", None)
    elif len(left.get("PG", ())) == 1:  # Cochrane
        values["pages"] = left.pop("PG")[0]
    if "SN" in left:
        numbers = "; ".join(left.pop("SN"))
        book = csl in ("book", "chapter") or bool(ISBN.fullmatch(numbers) and len(numbers) > 9)
        values["isbn" if book else "issn"] = numbers
    if "UR" in left:
        urls = [url for line in left.pop("UR") for url in SEVERAL_URLS.split(line) if url]
        values["url"] = urls[0]
        if len(urls) > 1:
            values["urls"] = urls


def _identifiers(values: dict[str, Any], left: Tags) -> None:
    """DOI and PMID, also where programs put them that have no tag for them."""
    for tag in (*RIS["doi"], "M3", "L3"):
        doi = bare_doi(left[tag][0]) if len(left.get(tag, ())) == 1 else None
        if doi is not None and "doi" not in values:
            values["doi"] = doi
            del left[tag]
    number, notes = values.get("accession_number", ""), values.get("notes", ())
    provider = f"{values.get('database', '')} {' '.join(left.get('DP', ()))}"
    noted = filter(None, map(PMID_NOTE.match, (*notes, *left.get("XR", ()))))
    linked = filter(None, map(PUBMED_URL.search, values.get("urls", [values.get("url", "")])))
    if number.isascii() and number.isdigit() and len(number) < 10 and PUBMED.search(provider):
        values["pmid"] = number
    elif found := next(noted, None) or next(linked, None) or PMID_NOTE.fullmatch(number):
        values["pmid"] = found[1]
    if "pmid" in values:  # said once is enough
        said = f"PMID: {values['pmid']}"
        values["notes"] = [note for note in values.get("notes", ()) if note != said]
        for name in ("notes", "accession_number"):
            if values.get(name) in ([], values["pmid"]):
                del values[name]
    central = pmcid(left["C2"][0]) if "C2" in left else None
    if central is not None:
        values["pmcid"] = central
