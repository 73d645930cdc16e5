"""What is written: a document's values as the index keeps them, and what stands beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from likewise.document import Document

# The order of columns: what was found and said, the document, its text at the end.
FOUND = ("rank", "score")
SAID = (
    "label", "reviewer", "time", "stage", "reasons", "note", "tags", "decision", "copy_of",
    "included",
)  # fmt: skip
FIRST = (
    "authors", "year", "journal", "doi", "pmid", "url", "type", "keywords", "volume", "issue",
    "pages", "date", "publisher", "issn", "isbn", "language",
)  # fmt: skip
BESIDE = (*FOUND, *SAID)


class Record(NamedTuple):
    """`beside` has what FOUND and SAID name, as far as it is known."""

    values: Mapping[str, Any]
    beside: Mapping[str, Any] = {}

    @property
    def document(self) -> Document:
        from likewise.document import Document  # the command line lists formats without it

        return Document.from_values(self.values)


def row(record: Record) -> dict[str, Any]:
    """A record as one flat object, in the order of columns.

    A field of the document that is named as something beside it is called document_….
    """
    from likewise.document import ID_NAMES, TEXT_NAMES, TITLE_NAMES

    values, beside = record.values, record.beside
    id = next((values[name] for name in ID_NAMES if values.get(name) not in (None, "")), "")
    found = {name: beside[name] for name in FOUND if name in beside}
    said = {name: beside[name] for name in SAID if name in beside}
    own = {
        (f"document_{name}" if name in beside else name): value
        for name, value in values.items()
        if name != "id"
    }
    first = dict.fromkeys(name for name in (*TITLE_NAMES, *FIRST) if name in own)
    last = dict.fromkeys(name for name in reversed(TEXT_NAMES) if name in own)
    middle = dict.fromkeys(name for name in own if name not in first and name not in last)
    ordered = {name: own[name] for name in (*first, *middle, *last)}
    return {**found, "id": id, **said, **ordered}
