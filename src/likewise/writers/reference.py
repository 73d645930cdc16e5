"""A record as reference managers see it: its fields by their usual names, each a list of texts.

Indexes that were made before names were mapped have other ones; those are understood, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from likewise.document import as_text
from likewise.readers.fieldnames import CANONICAL
from likewise.readers.fieldvalues import VALUES, whole_year
from likewise.readers.mapping import Mapper
from likewise.writers.spool import MARKS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from likewise.writers.record import Record

_mapped = Mapper(filled=("title", "text"))
DATES = ("date", "created", "published")  # where there is no year
LABEL_NOTES = {"relevant": "ASReview_relevant", "not": "ASReview_irrelevant"}


class Reference(NamedTuple):
    """`known` has the fields of usual names, `others` all others as they are."""

    id: str
    known: dict[str, list[str]]
    others: dict[str, Any]

    def one(self, name: str) -> str:
        return "; ".join(self.known.get(name, ()))

    def own(self, name: str) -> str:
        """Another field, if it is text."""
        value = self.others.get(name)
        return value if isinstance(value, str) else ""

    @property
    def type(self) -> str:
        """CSL's name of the type; a periodical tells that it is an article."""
        return self.one("type") or ("article-journal" if self.known.get("journal") else "")


def reference_of(record: Record) -> Reference:
    document = record.document
    known: dict[str, list[str]] = {}
    others: dict[str, Any] = {}
    for name, value in _mapped(document.fields).items():
        found = _texts(name, value) if name in CANONICAL else []
        if found:
            known[name] = found
        elif name not in CANONICAL or value not in (None, "", []):
            others[name] = value
    if "year" not in known:
        dates = (whole_year(document.fields.get(name)) for name in DATES)
        years = [str(year) for year in dates if year]
        known |= {"year": years[:1]} if years else {}
    if document.title:
        known["title"] = [document.title]
    if document.text and "abstract" not in known:
        known["abstract"] = [document.text]
    known.pop("text", None)
    return Reference(document.id, known, others)


def remarks(record: Record) -> list[str]:
    """What was found and said of a document, as lines for the notes of a reference.

    Labels are written as ASReview reads them, reasons as Covidence writes them.
    """
    beside = record.beside
    lines = []
    if "rank" in beside:
        lines.append(f"likewise: rank {beside['rank']}, score {beside['score']!r}")
    label = beside.get("label")
    if label in LABEL_NOTES:
        lines.append(LABEL_NOTES[label])
    if label:
        said = beside.get("votes") or ", ".join(filter(None, [label, beside.get("reviewer")]))
        lines.append(f"likewise: {said}")
    if beside.get("copy_of"):
        lines.append(f"likewise: copy of {beside['copy_of']}")
    lines += [f"Exclusion reason: {reason}" for reason in _listed(beside.get("reasons"))]
    return lines + _listed(beside.get("note"))


def with_remarks(notes: Iterable[str], record: Record) -> list[str]:
    """Notes and remarks; a new label takes the place of an older one."""
    new = remarks(record)
    old = set(LABEL_NOTES.values()) if any(note in LABEL_NOTES.values() for note in new) else set()
    kept = [note for note in notes if note not in old]
    return [*kept, *(note for note in new if note not in kept)]


def keywords(reference: Reference, record: Record) -> list[str]:
    """Keywords, and the tags that somebody gave."""
    found = [*reference.known.get("keywords", ()), *_listed(record.beside.get("tags"))]
    return list(dict.fromkeys(found))


def joined(words: list[str], usual: str) -> str:
    """Keywords in one text; semicolons where other marks stand in a keyword itself."""
    odd = any(MARKS.intersection(word) for word in words)
    if not odd:
        return usual.join(words)
    return "; ".join(words) if len(words) > 1 else f"{words[0]};"


def _texts(name: str, value: Any) -> list[str]:
    """A value as texts; none where it is no text, as an object is."""
    if name in VALUES:
        found = VALUES[name](value)
        value = value if found is None else found
    try:
        items = value if isinstance(value, (list, tuple)) else [value]
        return [text for text in map(as_text, items) if text.strip()]
    except TypeError:
        return []


def _listed(value: Any) -> list[str]:
    if not value:
        return []
    return [value] if isinstance(value, str) else list(value)
