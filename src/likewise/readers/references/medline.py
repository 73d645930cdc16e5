"""NBIB, which is PubMed's MEDLINE format: `TAG - value`, lines that continue one are indented."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from likewise.readers.batch import place
from likewise.readers.fieldnames import PUBMED_TYPES
from likewise.readers.fieldvalues import bare_doi, person, pmcid, whole_year
from likewise.readers.lines import line_blocks
from likewise.readers.records import Entry
from likewise.readers.references.roles import reference_batches
from likewise.readers.reftypes import pubmed_type

if TYPE_CHECKING:
    from collections.abc import Iterator

    from likewise.readers.batch import Batch
    from likewise.readers.options import ReadOptions
    from likewise.readers.problems import Problems
    from likewise.readers.streams import Source

    Tags = dict[str, list[str]]

TAG = re.compile(r"([A-Z][A-Z0-9]{1,3}) {0,2}-(?: (.*)|$)", re.DOTALL)
FIRST = ("PMID", "UI")
OWN_ID = "[likewise]"  # what ends an AID that is the id of a document
# Canonical names of tags with one value, and of those with several.
ONE = {
    "PMID": "pmid",
    "TI": "title",
    "AB": "abstract",
    "JT": "journal",
    "TA": "journal_abbreviation",
    "DP": "date",
    "VI": "volume",
    "IP": "issue",
    "PG": "pages",
    "PB": "publisher",
    "PL": "place",
    "EN": "edition",
    "ISBN": "isbn",
    "BTI": "booktitle",
    "CTI": "series",
}
SEVERAL = {"MH": "mesh_terms", "AD": "affiliations", "PT": PUBMED_TYPES, "GN": "notes"}


def read_medline(source: Source, options: ReadOptions, problems: Problems) -> Iterator[Batch]:
    entries = _entries(source, options, problems)
    yield from reference_batches(entries, source, options, problems)


def _entries(source: Source, options: ReadOptions, problems: Problems) -> Iterator[Entry]:
    """A record begins with its PMID; blank lines stand between records."""
    begun, tags = 0, dict[str, list[list[str]]]()
    last: list[str] | None = None
    outside = False
    for first, lines in line_blocks(source, options, problems):
        for number, line in enumerate(lines, first):
            found = TAG.match(line)
            if found is not None:
                tag = found[1]
                if tag in FIRST and (not begun or tag in tags):
                    if begun:
                        yield Entry(source.name, begun, values_of_tags(_joined(tags)))
                    begun, tags, outside = number, {}, False
                if begun:
                    last = [(found[2] or "").strip()]
                    tags.setdefault(tag, []).append(last)
                    continue
            elif begun and line[:1] in (" ", "\t") and last is not None:
                last.append(line.strip())
                continue
            if line.strip() and not outside:
                problems.report(
                    place(source.name, number),
                    "this line belongs to no MEDLINE record, which begins with PMID-",
                )
                outside = True
    if begun:
        yield Entry(source.name, begun, values_of_tags(_joined(tags)))


def _joined(tags: dict[str, list[list[str]]]) -> Tags:
    return {
        tag: found
        for tag, values in tags.items()
        if (found := [text for lines in values if (text := " ".join(filter(None, lines)))])
    }


def values_of_tags(left: Tags) -> dict[str, Any]:
    """The record with canonical names."""
    values: dict[str, Any] = {}
    for tag, name in ONE.items():
        if tag in left:
            values[name] = left[tag].pop(0)
            if not left[tag]:
                del left[tag]
    for tag, name in SEVERAL.items():
        if tag in left:
            values[name] = left.pop(tag)
    if "title" not in values and "booktitle" in values:
        values["title"] = values["booktitle"]
    _people(values, left)
    year = whole_year(values.get("date"))
    if year is not None:
        values["year"] = year
    if values.get("date") == str(year):
        del values["date"]
    if "IS" in left:
        values["issn"] = "; ".join(left.pop("IS"))
    if "LA" in left:
        values["language"] = "; ".join(left.pop("LA"))
    if "OT" in left or "mesh_terms" in values:
        values["keywords"] = left.pop("OT", None) or values["mesh_terms"]
    _identifiers(values, left)
    _addresses(values, left)
    values["type"] = pubmed_type(values.get(PUBMED_TYPES, ()), in_book="booktitle" in values)
    for tag, items in left.items():
        values[tag] = items[0] if len(items) == 1 else items
    return values


def _people(values: dict[str, Any], left: Tags) -> None:
    """Names in full where there are as many of them; then the short ones say nothing more."""
    for name, full, short in (("authors", "FAU", "AU"), ("editors", "FED", "ED")):
        names, shorter = left.get(full, []), left.get(short, [])
        if names and len(names) >= len(shorter):
            values[name] = names
            left.pop(full)
            left.pop(short, None)
        elif shorter:
            values[name] = [person(each) for each in shorter]
            del left[short]
    if "CN" in left and "authors" not in values:
        values["authors"] = left.pop("CN")


def _addresses(values: dict[str, Any], left: Tags) -> None:
    """What MEDLINE has no tag for, and our own writer one."""
    own = [item for item in left.get("AID", ()) if item.endswith(OWN_ID)]
    if own:
        values["id"] = own[0].removesuffix(OWN_ID).strip()
        left["AID"] = [item for item in left["AID"] if item not in own]
        if not left["AID"]:
            del left["AID"]
    elif "UI" in left and "pmid" not in values:
        values["id"] = left.pop("UI")[0]
    urls = left.pop("URL", [])
    values |= {"url": urls[0]} if urls else {}
    values |= {"urls": urls} if len(urls) > 1 else {}


def _identifiers(values: dict[str, Any], left: Tags) -> None:
    for tag in "LID", "AID":
        dois = [item for item in left.get(tag, ()) if item.endswith("[doi]")]
        found = bare_doi(dois[0].removesuffix("[doi]")) if dois else None
        if found is not None and values.setdefault("doi", found) == found:
            left[tag] = [item for item in left[tag] if item != dois[0]]
            if not left[tag]:
                del left[tag]
    central = pmcid(left["PMC"][0]) if "PMC" in left else None
    if central is not None:
        values["pmcid"] = central
        del left["PMC"]
