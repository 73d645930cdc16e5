"""A card by NumPy: the engine `gpu` without one. Products are plain sums over the same layout."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array

from likewise.engines.arrays import NUMPY
from likewise.engines.gpu.collection import GpuCollection, GpuEngine
from likewise.engines.local.collection import LocalEngine

if TYPE_CHECKING:
    from collections.abc import Callable


class HostCard:
    xp = np
    arrays = NUMPY

    tile = 16
    few = 3

    def active(self) -> nullcontext[None]:
        return nullcontext()

    def brought(self, array: Any) -> Any:
        return array

    def room(self, bytes: int, what: str) -> None:
        assert bytes >= 0

    def rows_dot(self, rows: Any, table: Any, x: Any, factor: Any) -> Any:
        sums = _dot(rows, table, np.asarray(x, np.float64))
        return (_column(factor, sums) * sums).astype(x.dtype)

    def add_lists(self, by_term: Any, table: Any, a: Any, factor: Any, out: Any) -> None:
        weights = _column(factor, a) * np.asarray(a, np.float64)
        tiles = np.repeat(np.arange(len(by_term.firsts) - 1), np.diff(by_term.firsts))
        sums = _dot(by_term.lists, table, weights, tiles * by_term.tile)
        terms = np.repeat(by_term.terms, np.diff(by_term.term_starts))
        np.add.at(out, terms, sums[by_term.order])

    def add_groups(self, groups: Any, added: Any, out: Any) -> None:
        for i, target in enumerate(groups.targets):
            out[target] += added[groups.starts[i] : groups.starts[i + 1]].sum(axis=0)

    def copy_rows(self, rows: Any, ids: Any, to: Any, into: Any) -> None:
        for source, target in zip(ids, into, strict=True):
            for ends, values, new_ends, new in (
                (rows.starts, rows.places, to.starts, to.places),
                (rows.more, rows.amounts, to.more, to.amounts),
            ):
                new[new_ends[target] : new_ends[target + 1]] = values[
                    ends[source] : ends[source + 1]
                ]

    def widened(self, columns: Any) -> Any:
        if columns.dtype != np.uint8:
            return columns.astype(np.uint32)
        three = columns[: len(columns) // 3 * 3].reshape(-1, 3).astype(np.uint32)
        return three @ np.array([1, 1 << 8, 1 << 16], np.uint32)

    def dense_dot(self, matrix: Any, x: Any, factor: Any) -> Any:
        sums = matrix.astype(np.float64) @ x
        return (_column(factor, sums) * sums).astype(x.dtype)

    def dense_sums(self, matrix: Any, a: Any, factor: Any) -> Any:
        return matrix.astype(np.float64).T @ (_column(factor, a) * a)


class SmallPartitions(GpuEngine):
    """With partitions so small that there are several, on one or two cards."""

    def __init__(self, card: Callable[[], Any], cards: int = 1) -> None:
        super().__init__(lambda: [card() for _ in range(cards)])

    def collection(self, stored: Any, width: int, threads: int) -> GpuCollection:
        host = LocalEngine().collection(stored, width, threads)
        return GpuCollection(self._cards(), host, most=20)


ENGINE = SmallPartitions(HostCard)
TWO_CARDS = SmallPartitions(HostCard, cards=2)


def _dot(rows: Any, table: Any, x: Any, firsts: Any = 0) -> np.ndarray:
    """Each row times x; its places are numbered from `firsts` on."""
    starts, more = rows.starts.astype(np.int64), rows.more.astype(np.int64)
    lengths = np.diff(starts)
    behind = np.repeat(starts[1:], lengths) - np.arange(starts[-1])  # places from here to the end
    at = np.repeat(more[1:], lengths) - behind
    often = at >= np.repeat(more[:-1], lengths)
    data = np.full(len(at), table[1])
    data[often] = (rows.amounts if rows.real else table[rows.amounts])[at[often]]
    places = rows.places.astype(np.int64) + np.repeat(firsts + np.zeros(rows.height, int), lengths)
    matrix = csr_array((data, places, starts), shape=(rows.height, len(x)))
    product: np.ndarray = matrix @ x
    return product


def _column(factors: Any, like: Any) -> Any:
    return factors if like.ndim == 1 else factors[:, None]
