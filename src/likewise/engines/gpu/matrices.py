"""Matrices on a card and their products; row factors come with each product."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from likewise.engines.gpu.layout import (
    NO_LARGE,
    Groups,
    LargeCounts,
    Sparse,
    groups_of,
    joined,
    joined_large,
    large_counts,
    lengths,
    tiled,
)
from likewise.engines.local.vectors import ValuePart

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from likewise.corpus import Floats, Ids
    from likewise.engines.gpu.card import Card
    from likewise.engines.gpu.layout import Array, Tiled
    from likewise.engines.local.parts import CountMatrix
    from likewise.engines.local.vectors import DensePart

    F = Callable[[NDArray[np.generic]], Floats]

BYTES_AN_ENTRY = 9  # by document and by term, with the lists' own numbers; measured: 7 to 8.5


class Matrix(Protocol):
    """What a corpus multiplies: a matrix of stored numbers, seen through a weighting's f."""

    @property
    def height(self) -> int: ...

    def dot(self, x: Array, factor: Array) -> Array:
        """y[i] = factor[i]·Σ f(X[i, j])·x[j]."""

    def add_sums(self, a: Array, factor: Array, out: Array) -> None:
        """out[j] += Σ f(X[i, j])·a[i]·factor[i]."""


class Counts:
    """Counts or real numbers by document, and by term as soon as that is asked for."""

    def __init__(self, card: Card, rows: Sparse, width: int, large: LargeCounts) -> None:
        self.card, self.rows, self.width, self.large = card, rows, width, large

    @cached_property
    def by_term(self) -> Tiled:
        return tiled(self.card.xp, self.rows, self.card.tile)

    @cached_property
    def large_by_row(self) -> Groups:
        return self._there(groups_of(self.large.rows, self.large.columns))

    @cached_property
    def large_by_term(self) -> Groups:
        return self._there(groups_of(self.large.columns, self.large.rows))

    def _there(self, groups: Groups) -> Groups:
        """On the card, except for the order, which the host uses."""
        targets, starts, places = map(self.card.xp.asarray, groups[:3])
        return Groups(targets, starts, places, groups.order)


class SparseMatrix:
    """f(counts), or real numbers as they are."""

    def __init__(self, counts: Counts, f: F) -> None:
        self._counts, self._f, self._card = counts, f, counts.card
        table = np.zeros(256) if counts.rows.real else f(np.arange(256)).copy()
        table[255] = 0.0  # large counts are added by themselves
        self._table = counts.card.xp.asarray(table)

    @property
    def height(self) -> int:
        return self._counts.rows.height

    def dot(self, x: Array, factor: Array) -> Array:
        y = self._card.rows_dot(self._counts.rows, self._table, x, factor)
        if len(self._counts.large.rows):
            groups = self._counts.large_by_row
            added = _scaled(self._values(groups), x[groups.places])
            owners = self._card.xp.asarray(self._counts.large.rows[groups.order])
            self._card.add_groups(groups, _scaled(factor[owners], added), y)
        return y

    def add_sums(self, a: Array, factor: Array, out: Array) -> None:
        self._card.add_lists(self._counts.by_term, self._table, a, factor, out)
        if len(self._counts.large.rows):
            groups = self._counts.large_by_term
            weights = self._values(groups) * factor[groups.places]
            self._card.add_groups(groups, _scaled(weights, a[groups.places]), out)

    def chosen(self, others: Sequence[SparseMatrix], owner: Ids, ids: Ids) -> SparseMatrix:
        """Rows ids[i] of matrix owner[i]: 0 is this one, the others follow."""
        every = [self._counts, *(other._counts for other in others)]
        return SparseMatrix(chosen(self._card, every, owner, ids), self._f)

    def _values(self, groups: Groups) -> Array:
        return self._card.xp.asarray(self._f(self._counts.large.counts[groups.order]))


class Elsewhere:
    """A matrix on another card than the vectors over all documents, which lie at `home`."""

    def __init__(self, matrix: Matrix, card: Card, home: Card) -> None:
        self._matrix, self._card, self._home = matrix, card, home

    @property
    def height(self) -> int:
        return self._matrix.height

    def dot(self, x: Array, factor: Array) -> Array:
        with self._card.active():
            return self._matrix.dot(self._card.brought(x), factor)

    def add_sums(self, a: Array, factor: Array, out: Array) -> None:
        with self._card.active():
            sums = self._card.xp.zeros(out.shape)
            self._matrix.add_sums(self._card.brought(a), factor, sums)
        out += self._home.brought(sums)


class DenseMatrix:
    """Rows of float32 or of bytes."""

    def __init__(self, card: Card, numbers: Array) -> None:
        self._card, self._numbers = card, numbers

    @property
    def height(self) -> int:
        return int(self._numbers.shape[0])

    def dot(self, x: Array, factor: Array) -> Array:
        return self._card.dense_dot(self._numbers, x, factor)

    def add_sums(self, a: Array, factor: Array, out: Array) -> None:
        out += self._card.dense_sums(self._numbers, a, factor)

    def chosen(self, others: Sequence[DenseMatrix], owner: Ids, ids: Ids) -> DenseMatrix:
        """Rows ids[i] of matrix owner[i]: 0 is this one, the others follow."""
        xp = self._card.xp
        numbers = xp.empty((len(ids), self._numbers.shape[1]), self._numbers.dtype)
        for number, matrix in enumerate([self, *others]):
            into = np.flatnonzero(owner == number)
            if len(into):
                numbers[xp.asarray(into)] = matrix._numbers[xp.asarray(ids[into])]
        return DenseMatrix(self._card, numbers)


def loaded_dense(
    card: Card, stored: Sequence[tuple[DensePart, NDArray[np.uint32] | None]]
) -> Array:
    """Live rows of all on the card, in one matrix."""
    parts = [part.numbers if live is None else part.numbers[live] for part, live in stored]
    card.room(sum(part.nbytes for part in parts), "a view")
    return card.xp.concatenate([card.xp.asarray(np.ascontiguousarray(part)) for part in parts])


def loaded_sparse(
    card: Card,
    stored: Sequence[tuple[CountMatrix | ValuePart, NDArray[np.uint32] | None]],
    width: int,
) -> Counts:
    entries = sum(int(matrix.arrays["starts"][-1]) for matrix, _ in stored)
    card.room(BYTES_AN_ENTRY * entries, f"an index of {entries:,} entries")
    parts = [_loaded(card, matrix, live, width) for matrix, live in stored]
    large = joined_large([p.large for p in parts], [p.rows.height for p in parts])
    return Counts(card, joined(card.xp, [part.rows for part in parts]), width, large)


def chosen(card: Card, every: Sequence[Counts], owner: Ids, ids: Ids) -> Counts:
    """Rows ids[i] of matrix owner[i]."""
    xp, first = card.xp, every[0]
    sizes = [np.zeros(len(ids), np.uint32) for _ in range(2)]
    groups = []
    for number, counts in enumerate(every):
        into = np.flatnonzero(owner == number)
        if not len(into):
            continue
        there = xp.asarray(ids[into])
        for size, found in zip(sizes, lengths(counts.rows, there), strict=True):
            size[into] = card.arrays.host(found)
        groups.append((counts, there, into))
    starts, more = (np.append(0, np.cumsum(each)).astype(np.uint32) for each in sizes)
    made = Sparse(
        xp.asarray(starts),
        xp.asarray(more),
        xp.empty(int(starts[-1]), first.rows.places.dtype),
        xp.empty(int(more[-1]), first.rows.amounts.dtype),
    )
    for counts, there, into in groups:
        card.copy_rows(counts.rows, there, made, xp.asarray(into))
    return Counts(card, made, first.width, _large_of(every, owner, ids))


def _large_of(every: Sequence[Counts], owner: Ids, ids: Ids) -> LargeCounts:
    found = []
    for number, counts in enumerate(every):
        into = np.flatnonzero(owner == number)
        part = counts.large.chosen(ids[into])
        found.append(part._replace(rows=into[part.rows]))
    large = joined_large(found, [0] * len(found))
    order = np.argsort(large.rows, kind="stable")
    return LargeCounts(large.rows[order], large.columns[order], large.counts[order])


def _loaded(
    card: Card, matrix: CountMatrix | ValuePart, live: NDArray[np.uint32] | None, width: int
) -> Counts:
    """By the columns of the corpus, which are so many."""
    xp = card.xp
    starts = xp.asarray(matrix.arrays["starts"])
    columns = card.widened(xp.asarray(matrix.arrays["columns"]))
    if isinstance(matrix, ValuePart):
        rows = Sparse(starts, starts, columns, xp.asarray(matrix.arrays["values"]))
        large = NO_LARGE
    else:
        more, amounts = (xp.asarray(matrix.arrays[name]) for name in ("more", "counts"))
        rows = Sparse(starts, more, columns, amounts)
        large = large_counts(matrix.arrays, matrix.rows)
        if matrix.columns is not None:
            numbers = matrix.columns.numbers
            rows = rows._replace(places=xp.asarray(numbers)[columns])
            large = large._replace(columns=numbers[large.columns].astype(np.int64))
    counts = Counts(card, rows, width, large)
    if live is None:
        return counts
    return chosen(card, [counts], np.zeros(len(live), np.int64), live.astype(np.int64))


def _scaled(factors: Array, values: Array) -> Array:
    return (factors if values.ndim == 1 else factors[:, None]) * values
