"""The names of the fields that documents have, and those that a filter may have meant."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from likewise.errors import UnknownFieldError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from likewise.store.snapshot import Snapshot

NEAREST, SIMILAR = 3, 0.6  # neighbours that are named, and how similar they must be
LISTED = 10  # names that are listed where none is similar


class FieldNames(NamedTuple):
    """`columns` can be counted and listed, `texts` are long; `complete` if there are no others."""

    columns: frozenset[str]
    texts: frozenset[str]
    complete: bool


def field_names(snapshot: Snapshot) -> FieldNames:
    """Of all segments: a field counts until the documents that had it are merged away."""
    columns: set[str] = set()
    texts: set[str] = set()
    complete = True
    for segment in snapshot.segments:
        if not segment.entry.live:
            continue
        if segment.columns is None:
            complete = False
            continue
        names = segment.columns.names
        columns.update(names.stored)
        texts.update(names.left_out)
        complete = complete and names.complete
    return FieldNames(frozenset(columns - texts), frozenset(texts), complete)


def refuse_unknown(snapshot: Snapshot, fields: Iterable[str]) -> None:
    """Raise if no document has one of the fields: it is a slip, not an empty result."""
    if not len(snapshot):
        return
    names = field_names(snapshot)
    known = sorted(names.columns | names.texts)
    for field in fields:
        if names.complete and field not in known:
            raise UnknownFieldError(f"no document has a field {field!r}: {_ways_out(field, known)}")


def _ways_out(field: str, known: list[str]) -> str:
    by_lower = {name.lower(): name for name in reversed(known)}
    from difflib import get_close_matches  # only where a name is wrong: it takes time to import

    near = get_close_matches(field.lower(), by_lower, NEAREST, SIMILAR)
    if near:
        return f"did you mean {' or '.join(by_lower[name] for name in near)}?"
    if not known:
        return "documents of this index have no fields"
    more = ", …" if len(known) > LISTED else ""
    return f"there are {', '.join(known[:LISTED])}{more}"
