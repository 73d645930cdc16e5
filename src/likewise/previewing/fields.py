"""The fields of records, how many have each, with an example; and what kinds of record they are."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from likewise.document import EMPTY, values_of

if TYPE_CHECKING:
    from likewise.readers import AnyBatch

MOST_FIELDS = 1_000  # that are told apart
LONGEST = 160  # characters of an example
TYPE = "type"


class FieldPreview(NamedTuple):
    """A field, how many documents have it, and what the first of them says."""

    name: str
    documents: int
    example: str


class FieldCounts:
    """Counts fields and kinds of record while batches pass by."""

    def __init__(self) -> None:
        self.types: Counter[str] = Counter()
        self._counts: Counter[str] = Counter()
        self._examples: dict[str, str] = {}

    def add(self, batch: AnyBatch) -> None:
        for i in range(len(batch)):
            values = values_of(batch.record(i))
            for name, value in values.items():
                if value not in EMPTY:
                    self._see(name, value)
            kind = values.get(TYPE)
            if isinstance(kind, str) and kind and (kind in self.types or self._has_room):
                self.types[kind] += 1

    def listed(self) -> tuple[FieldPreview, ...]:
        """Those that most documents have first."""
        return tuple(
            FieldPreview(name, count, self._examples[name])
            for name, count in self._counts.most_common()
        )

    @property
    def _has_room(self) -> bool:
        return len(self.types) < MOST_FIELDS

    def _see(self, name: str, value: Any) -> None:
        if name not in self._examples:
            if len(self._examples) >= MOST_FIELDS:
                return
            self._examples[name] = _shown(value)
        self._counts[name] += 1


def _shown(value: Any) -> str:
    if isinstance(value, list):
        value = "; ".join(map(_shown, value[:10]))
    if isinstance(value, dict):
        value = ", ".join(f"{name}: {_shown(one)}" for name, one in list(value.items())[:10])
    text = " ".join(str(value)[: 4 * LONGEST].split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
