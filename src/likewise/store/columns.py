"""Documents' fields by column, so that a filter need not read records.

A column holds the field's different values as they stand in the records, lists included, and for
each document the number of its value; the first is null, for documents that do not have the field.
Fields with long values have no column; their names are kept, so that it is known where records
must be read after all.
"""

from __future__ import annotations

import json
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from likewise.store.strings import Flat, batches

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from likewise.filters import Condition

    Arrays = Callable[[str], NDArray[Any]]
    Mask = NDArray[np.bool_]

ABSENT = b"null"


class Names(msgspec.Struct, frozen=True):
    """The fields of a segment: those with a column, in their order, and those without.

    `complete` says that there are no others.
    """

    stored: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    complete: bool = True


class Column:
    """One field of one segment; `arrays` gives `text` and `ends` of the values, and `codes`."""

    def __init__(self, arrays: Arrays) -> None:
        self._arrays = arrays

    @cached_property
    def values(self) -> list[Any]:
        """The different values, in the order of their codes."""
        flat = Flat(self._arrays("text").tobytes(), self._arrays("ends"))
        return decode_values([value for some in batches(flat) for value in some])

    @property
    def codes(self) -> NDArray[np.unsignedinteger]:
        return self._arrays("codes")

    def matching(self, condition: Condition) -> Mask:
        """Which documents meet a condition on this field."""
        values = self.values
        accepted = np.fromiter(map(condition.matches, values), np.bool_, len(values))
        return np.take(accepted, self.codes)

    def counts(self, live: Mask) -> NDArray[np.int64]:
        """How many of some documents have each value."""
        return np.bincount(self.codes[live], minlength=len(self.values))


class Columns(NamedTuple):
    """The fields of one segment."""

    names: Names
    stored: Mapping[str, Column]
    documents: int

    def matching(self, condition: Condition) -> Mask | None:
        """Which documents meet a condition; None if only their records can tell."""
        column = self.stored.get(condition.field)
        if column is not None:
            return column.matching(condition)
        if condition.field in self.names.left_out or not self.names.complete:
            return None
        return np.full(self.documents, condition.matches(None))


def open_columns(arrays: Arrays, documents: int) -> Columns:
    """The columns that a segment's file holds."""
    names = msgspec.json.decode(arrays("columns").data, type=Names)
    stored = {
        name: Column(_part(arrays, f"columns.{number}")) for number, name in enumerate(names.stored)
    }
    return Columns(names, stored, documents)


def decode_values(values: list[bytes]) -> list[Any]:
    """JSON values, as they would be in their records."""
    joined = b"[%b]" % b",".join(values)
    try:
        return msgspec.json.decode(joined, type=list[Any])
    except msgspec.DecodeError:  # a number beyond a double's range, which JSON does allow
        return list(json.loads(joined))


def _part(arrays: Arrays, prefix: str) -> Arrays:
    return lambda part: arrays(f"{prefix}.{part}")
