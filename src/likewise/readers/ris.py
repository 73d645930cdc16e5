"""RIS as it is written: a document with the fields that were read gets the same tags."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from likewise.document import as_text

if TYPE_CHECKING:
    from likewise.document import Document

LABELS = {"ASReview_relevant": 1, "ASReview_irrelevant": 0}

# The field of each tag; the first name is the one that reading gives.
FIELDS: dict[str, tuple[str, ...]] = {
    "AU": ("authors", "author"),
    "A1": ("first_authors",),
    "A2": ("secondary_authors",),
    "A3": ("tertiary_authors",),
    "A4": ("subsidiary_authors",),
    "PY": ("year", "created", "published"),
    "Y1": ("publication_year",),
    "DA": ("date",),
    "JO": ("journal_name", "journal"),
    "JF": ("alternate_title3",),
    "JA": ("alternate_title2",),
    "J2": ("alternate_title1",),
    "T1": ("primary_title",),
    "T2": ("secondary_title",),
    "T3": ("tertiary_title",),
    "ST": ("short_title",),
    "TT": ("translated_title",),
    "VL": ("volume",),
    "IS": ("number", "issue"),
    "SP": ("start_page", "pages"),
    "EP": ("end_page",),
    "SN": ("issn", "isbn"),
    "DO": ("doi",),
    "UR": ("urls", "url", "link"),
    "KW": ("keywords",),
    "AD": ("author_address",),
    "AN": ("accession_number",),
    "C1": ("custom1",),
    "C2": ("custom2",),
    "C3": ("custom3",),
    "C4": ("custom4",),
    "C5": ("custom5",),
    "C6": ("custom6",),
    "C7": ("custom7",),
    "C8": ("custom8",),
    "CA": ("caption",),
    "CN": ("call_number",),
    "CY": ("place_published",),
    "DB": ("name_of_database",),
    "DP": ("database_provider",),
    "ET": ("edition",),
    "L1": ("file_attachments1",),
    "L2": ("file_attachments2",),
    "L4": ("figure",),
    "LA": ("language",),
    "LB": ("label",),
    "M1": ("note",),
    "M3": ("type_of_work",),
    "N1": ("notes",),
    "N2": ("notes_abstract",),
    "NV": ("number_of_volumes",),
    "OP": ("original_publication",),
    "PB": ("publisher",),
    "RI": ("reviewed_item",),
    "RN": ("research_notes",),
    "RP": ("reprint_edition",),
    "SE": ("section",),
    "TA": ("translated_author",),
    "Y2": ("access_date",),
}
REPEATED = {"AU", "A1", "A2", "A3", "A4", "KW", "N1", "UR"}  # one line for each item
SEPARATED = REPEATED - {"N1", "UR"}  # where a text may list several, as in "Doe, J; Roe, R"
TYPE, NO_TYPE = "type_of_reference", "GEN"
OTHER_TAGS = "unknown_tag"


def as_ris(document: Document, note: str = "") -> str:
    """A document as one record: `TAG  - value`, a line each; `note` is added to its notes."""
    fields = {name.lower().replace(" ", "_"): value for name, value in document.fields.items()}
    lines = [("TY", _type(fields)), ("ID", _line(document.id))]
    lines += [("TI", _line(document.title)), ("AB", _line(document.text))]
    for tag, names in FIELDS.items():
        lines += [(tag, value) for value in _written(tag, names, fields)]
    lines += [("N1", _line(note)), *_other_tags(fields)]
    return "".join(f"{tag}  - {value}\n" for tag, value in lines if value) + "ER  - \n\n"


def _type(fields: dict[str, Any]) -> str:
    type = fields.get(TYPE)
    known = isinstance(type, str) and re.fullmatch(r"[A-Z][A-Z0-9]+", type)
    return str(type) if known else NO_TYPE


def _written(tag: str, names: tuple[str, ...], fields: dict[str, Any]) -> list[str]:
    """The values of a tag, from the first of the fields that has one."""
    name = next((name for name in names if fields.get(name) not in (None, "", [])), "")
    value = fields.get(name)
    if tag == "LB" and isinstance(value, int) and _is_labelled(fields.get("notes")):
        return []  # it was read from the notes, where it still is
    if tag in SEPARATED and isinstance(value, str):
        value = value.split(";")
    lines = _lines_of(value)
    if tag == "PY" and name != names[0]:  # a date
        lines = [line[:4] for line in lines if re.match(r"\d{4}", line)]
    return lines if tag in REPEATED else ["; ".join(lines)]


def _is_labelled(notes: Any) -> bool:
    return isinstance(notes, list) and any(label in notes for label in LABELS)


def _lines_of(value: Any) -> list[str]:
    """Each item on one line; an object has no place in RIS."""
    lines = []
    for item in value if isinstance(value, (list, tuple)) else [value]:
        try:
            lines.append(_line(as_text(item)))
        except TypeError:
            continue
    return [line for line in lines if line]


def _other_tags(fields: dict[str, Any]) -> list[tuple[str, str]]:
    """Tags that RIS does not define, as they were read."""
    tags = fields.get(OTHER_TAGS)
    if not isinstance(tags, dict):
        return []
    taken = {*FIELDS, "TY", "ER", "ID", "TI", "AB", "UK"}
    return [
        (tag, line)
        for tag, values in tags.items()
        if re.fullmatch(r"[A-Z][A-Z0-9]", tag) and tag not in taken
        for line in _lines_of(values)
    ]


def _line(text: str) -> str:
    """Text on one line: whatever ends a line would end the value and could begin another tag."""
    return " ".join(text.split())
