"""Documents as RIS, which reference managers read; what a document has no field for is left out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from likewise.document import as_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from likewise.document import Document

# Each tag with the names that the field goes by; the first that is there counts.
TAGS: dict[str, tuple[str, ...]] = {
    "AU": ("authors", "author", "first_authors"),
    "PY": ("year", "publication_year", "created", "date", "published"),
    "JO": ("journal", "journal_name", "source", "secondary_title"),
    "VL": ("volume",),
    "IS": ("issue", "number"),
    "SP": ("start_page", "pages"),
    "EP": ("end_page",),
    "SN": ("issn", "isbn"),
    "DO": ("doi",),
    "UR": ("url", "urls", "link"),
    "KW": ("keywords",),
}


def as_ris(document: Document) -> str:
    """One record: `TAG  - value`, a line each, a list one item a line."""
    lines = ["TY  - GEN", f"ID  - {_line(document.id)}"]
    lines += [f"TI  - {_line(document.title)}"] if document.title else []
    lines += [f"AB  - {_line(document.text)}"] if document.text else []
    fields = {name.lower().replace(" ", "_"): value for name, value in document.fields.items()}
    for tag, names in TAGS.items():
        found = next((fields[name] for name in names if fields.get(name)), None)
        lines += [f"{tag}  - {value}" for value in _values(tag, found)]
    return "\n".join([*lines, "ER  - ", "", ""])


def _values(tag: str, value: Any) -> Iterator[str]:
    items = value if isinstance(value, list) else [] if value is None else [value]
    for item in items:
        try:
            text = _line(as_text(item))
        except TypeError:  # an object, which has no place in a line
            continue
        yield text[:4] if tag == "PY" and re.match(r"\d{4}", text) else text


def _line(text: str) -> str:
    """Whatever ends a line would end the value, and could begin another tag."""
    return " ".join(text.split())
