"""Rows out of vectors as they are given: counts or real values of numbered features, or dense."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from likewise import _core
from likewise.errors import InputError
from likewise.store.arrays import concatenate_values, counts_from_values
from likewise.store.numbering import Numbered
from likewise.store.strings import flatten
from likewise.text.unicode import unicode_classes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likewise._core import CountArrays
    from likewise.corpus import ValueArrays
    from likewise.readers.batch import DenseBatch, SparseBatch
    from likewise.store.strings import Flat, StringTable


class CountRows:
    """Counts of features; a feature's number as text is the term."""

    def __init__(self, known: Sequence[StringTable]) -> None:
        self._counter = _core.Counter(unicode_classes)
        self._numbered = Numbered(self._counter, known)

    def add(self, batch: SparseBatch) -> None:
        refuse_fractions(batch)
        features, columns = by_first_appearance(batch.columns)
        rows = counts_from_values(batch.starts, columns, batch.values)
        self._counter.add_rows(rows, [str(feature) for feature in features.tolist()])

    @property
    def memory(self) -> int:
        return self._counter.memory

    def drain(self) -> CountArrays:
        return self._numbered.drain()

    @property
    def terms(self) -> int:
        return self._numbered.terms

    def terms_since(self, first: int) -> Flat:
        return self._numbered.terms_since(first)

    def close(self) -> None:
        """Nothing is held open."""


class ValueRows:
    """Real values of features; a feature's number as text is the term."""

    def __init__(self, known: Sequence[StringTable]) -> None:
        names = [name for terms in known for name in terms.all()]
        self._numbers = {int(name): number for number, name in enumerate(names)}
        self._parts: list[ValueArrays] = []
        self.memory = 0

    def add(self, batch: SparseBatch) -> None:
        features, columns = by_first_appearance(batch.columns)
        numbers = [self._numbers.setdefault(f, len(self._numbers)) for f in features.tolist()]
        rows: ValueArrays = {
            "starts": batch.starts.astype(np.uint32),
            "columns": np.array(numbers, np.uint32)[columns],
            "values": batch.values,
        }
        self._parts.append(rows)
        self.memory += rows["starts"].nbytes + rows["columns"].nbytes + rows["values"].nbytes

    def drain(self) -> ValueArrays:
        parts, self._parts, self.memory = self._parts, [], 0
        return concatenate_values(parts)

    @property
    def terms(self) -> int:
        return len(self._numbers)

    def terms_since(self, first: int) -> Flat:
        return flatten(map(str, list(self._numbers)[first:]))

    def close(self) -> None:
        """Nothing is held open."""


class DenseRows:
    """Vectors of one length; a column's number as text is the term."""

    def __init__(self, known: Sequence[StringTable]) -> None:
        self.terms = sum(map(len, known))
        self._parts: list[NDArray[np.float32]] = []
        self.memory = 0

    def add(self, batch: DenseBatch) -> None:
        width = batch.values.shape[1]
        if self.terms not in (0, width):
            raise InputError(
                f"{batch.place(0)}: the vector has {width} numbers, those before it have "
                f"{self.terms}: vectors of one index are of one length"
            )
        self.terms = width
        self._parts.append(batch.values)
        self.memory += batch.values.nbytes

    def drain(self) -> NDArray[np.float32]:
        parts, self._parts, self.memory = self._parts, [], 0
        return np.concatenate(parts)

    def terms_since(self, first: int) -> Flat:
        return flatten(map(str, range(first, self.terms)))

    def close(self) -> None:
        """Nothing is held open."""


def are_counts(values: NDArray[np.float32]) -> bool:
    return bool(np.all((values >= 0) & (values == np.floor(values)) & (values < 2**32)))


def refuse_fractions(batch: SparseBatch) -> None:
    if are_counts(batch.values):
        return
    entry = next(i for i, value in enumerate(batch.values) if not are_counts(value))
    row = int(np.searchsorted(batch.starts, entry, "right")) - 1
    raise InputError(
        f"{batch.place(row)}: {batch.values[entry]:g} is no count, but the index holds counts: "
        "create it for real values (kind 'values')"
    )


def by_first_appearance(columns: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The features that occur, in the order in which they do, and each entry's place in it."""
    features, first, inverse = np.unique(columns, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return features[order], place[inverse]
