"""Which documents of a generation a filter leaves, and which fields there are to filter by."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from likewise.document import values_of
from likewise.filters import scalars

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likewise.filters import Condition, Filter
    from likewise.store.segment import Segment
    from likewise.store.snapshot import Snapshot

    Mask = NDArray[np.bool_]


def matching(snapshot: Snapshot, filter: Filter) -> Mask:
    """A mask over the live documents, read-only."""
    found = [_of_segment(segment, filter.conditions) for segment in snapshot.segments]
    mask = np.concatenate([np.zeros(0, np.bool_), *found])
    mask.flags.writeable = False
    return mask


def _of_segment(segment: Segment, conditions: Sequence[Condition]) -> Mask:
    """By columns first; records are read of documents that these leave, for what is left."""
    mask = ~segment.deleted_mask()
    left: list[Condition] = []
    for condition in conditions:
        found = segment.columns.matching(condition) if segment.columns else None
        if found is None:
            left.append(condition)
        else:
            mask &= found
    if left:
        for number in np.flatnonzero(mask).tolist():
            values = values_of(segment.records(number, number + 1).data)
            mask[number] = all(c.matches(values.get(c.field)) for c in left)
    return mask if segment.live is None else mask[segment.live]


class FieldSummary(NamedTuple):
    """What documents have in a field: how many have it, and its values, most frequent first.

    Items of a list count one by one. `distinct` counts all different values, `values` has at most
    as many as were asked for; `least` and `most` are of the numbers or, where there are none, of
    the texts.
    """

    name: str
    documents: int
    distinct: int
    values: list[tuple[Any, int]]
    least: Any
    most: Any


def summarise(snapshot: Snapshot, most: int) -> list[FieldSummary]:
    """Fields with columns, those that most documents have first."""
    present: Counter[str] = Counter()
    counts: dict[str, Counter[tuple[type, Any]]] = {}
    for segment in snapshot.segments:
        live = ~segment.deleted_mask()
        for name, column in segment.columns.stored.items() if segment.columns else ():
            counted = counts.setdefault(name, Counter())
            for value, number in zip(column.values, column.counts(live).tolist(), strict=True):
                items = {(type(item), item) for item in scalars(value)}
                present[name] += number if items else 0
                for item in items if number else ():
                    counted[item] += number
    return [_summary(name, n, counts[name], most) for name, n in present.most_common() if n]


def _summary(
    name: str, documents: int, counts: Counter[tuple[type, Any]], most: int
) -> FieldSummary:
    values = [(value, n) for (_, value), n in counts.most_common()]
    numbers = [v for v, _ in values if isinstance(v, (int, float)) and not isinstance(v, bool)]
    comparable: list[Any] = numbers or [v for v, _ in values if isinstance(v, str)]
    bounds = (min(comparable), max(comparable)) if comparable else (None, None)
    return FieldSummary(name, documents, len(values), values[:most], *bounds)
