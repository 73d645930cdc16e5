"""Hits as RIS records, for reference managers and screening programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from likewise.errors import LikewiseError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from likewise.document import Document
    from likewise.search.hits import Hit

TYPE = "GEN"  # of what does not say what it is


def as_records(hits: Iterable[Hit], document: Callable[[str], Document]) -> str:
    """Each hit's title, text and what other fields RIS knows; rank and score are in a note."""
    try:
        import rispy
    except ImportError:
        raise LikewiseError("--format ris needs rispy: pip install 'likewise[formats]'") from None
    text: str = rispy.dumps([_record(hit, document(hit.id)) for hit in hits])
    return text


def _record(hit: Hit, document: Document) -> dict[str, Any]:
    from rispy.config import LIST_TYPE_TAGS, TAG_KEY_MAPPING

    several = {TAG_KEY_MAPPING[tag] for tag in LIST_TYPE_TAGS}
    known = set(TAG_KEY_MAPPING.values()) - {"end_of_reference", "unknown_tag"}
    given = {name: value for name, value in document.fields.items() if name in known and value}
    record: dict[str, Any] = {"type_of_reference": TYPE}
    record |= {name: _texts(value) for name, value in given.items() if name in several}
    record |= {name: _line(value) for name, value in given.items() if name not in several}
    record |= {
        "id": _line(hit.id),
        "title": _line(document.title),
        "abstract": _line(document.text),
    }
    notes = [f"likewise: rank {hit.rank}, score {hit.score!r}"]
    return record | {"notes": [*record.get("notes", []), *notes]}


def _texts(value: Any) -> list[str]:
    return [_line(one) for one in (value if isinstance(value, list) else [value])]


def _line(value: Any) -> str:
    """On one line: a line of its own could be read as a tag."""
    return " ".join(str(value).split())
