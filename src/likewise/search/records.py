"""Documents of an index as the records that writers take."""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING, Any

from likewise.document import ID_NAMES, values_of
from likewise.writers import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from likewise.store.snapshot import Snapshot

NOTHING: Mapping[str, Any] = {}
SOME = 1_000  # documents whose ids are looked up together


def records(
    snapshot: Snapshot, ids: Sequence[str], beside: Iterable[Mapping[str, Any]] = repeat(NOTHING)
) -> Iterator[Record]:
    """Documents by their ids, each with what stands beside it; of one that is gone, its id."""
    said = iter(beside)
    for first in range(0, len(ids), SOME):
        some = ids[first : first + SOME]
        for id, number, one in zip(some, snapshot.numbers(some).tolist(), said, strict=False):
            yield Record(_values(snapshot, number, id), one)


def every(snapshot: Snapshot, numbers: Sequence[int]) -> Iterator[Record]:
    """Documents by their numbers."""
    for first in range(0, len(numbers), SOME):
        some = numbers[first : first + SOME]
        for number, id in zip(some, snapshot.ids(some), strict=True):
            yield Record(_values(snapshot, number, id))


def _values(snapshot: Snapshot, number: int, id: str) -> dict[str, Any]:
    """A document's values as they were given, its id as `id`, whatever it was called."""
    found = {} if number < 0 else snapshot.read(number, values_of)
    own = {name: value for name, value in found.items() if name not in ID_NAMES or value != id}
    return {**own, "id": id}
