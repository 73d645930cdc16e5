"""How a sparse matrix lies on a card: by document, and by term within tiles of documents.

A product with the documents' weights gathers them in the order of the terms' lists. Within a tile
these weights fit into the fast memory that a processor of the card has to itself, so the lists are
of one tile each: `tiled` makes them from the rows by sorting. Sums of lists are put together term
by term, tile by tile: no additions race, and the same input gives the same bits.

Everything here is for NumPy and for CuPy alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from likewise._core import CountArrays, Counts
    from likewise.corpus import Ids

Array = Any
"""A NumPy or CuPy array."""

AT_ONCE = 1 << 25  # entries sorted together; each takes about 60 bytes meanwhile
SHORT = (4, 24, 128)  # most places of a list that 1, 4 or 16 threads add; longer ones have 32
LARGE = 255  # stored for counts from 255 on
COUNT_BITS = 8
COLUMN_BITS = 32


class Sparse(NamedTuple):
    """Rows of places; in each, those counted once come first and have no amount.

    `amounts` are counts, a byte each, or real numbers: then every place has one, and `more` is
    `starts`.
    """

    starts: Array
    more: Array
    places: Array
    amounts: Array

    @property
    def height(self) -> int:
        return int(self.starts.shape[0]) - 1

    @property
    def real(self) -> bool:
        return bool(self.amounts.dtype == np.float32)


class Groups(NamedTuple):
    """Entries by what they are added to: places[starts[i]:starts[i+1]] to targets[i]."""

    targets: Array
    starts: Array
    places: Array
    order: Array


class Tiled(NamedTuple):
    """The lists of the terms of each tile, documents numbered within their tile.

    Tile t has the lists firsts[t] to firsts[t+1] − 1. by_size[sizes[t, c]:sizes[t, c+1]] are those
    of them whose length is of class c, see SHORT. Term terms[i] has the lists
    order[term_starts[i]:term_starts[i+1]], by tile.
    """

    tile: int
    lists: Sparse
    firsts: Array
    by_size: Array
    sizes: Array
    terms: Array
    term_starts: Array
    order: Array


def tiled(xp: Any, rows: Sparse, tile: int, at_once: int = AT_ONCE) -> Tiled:
    """The transposed matrix; `tile` is a power of 2 up to 65,536."""
    pieces = [_piece(xp, rows, tile, *run) for run in _runs(rows, tile, at_once)]
    lists = joined(xp, [lists for lists, _, _ in pieces])
    terms = _concatenated(xp, [terms for _, terms, _ in pieces], np.uint32)
    tiles = _concatenated(xp, [tiles for _, _, tiles in pieces], np.uint32)
    count = -(-rows.height // tile)
    by_size, sizes = _by_size(xp, lists, tiles, count)
    by_term = xp.sort((terms.astype(np.uint64) << 32) | xp.arange(len(terms), dtype=np.uint64))
    edges = _edges(xp, by_term >> 32)
    return Tiled(
        tile,
        lists,
        xp.concatenate([sizes[:, 0], xp.asarray([lists.height])]).astype(np.uint32),
        by_size,
        sizes,
        (by_term[edges[:-1]] >> 32).astype(np.uint32),
        edges.astype(np.uint32),
        (by_term & 0xFFFFFFFF).astype(np.uint32),
    )


def joined(xp: Any, parts: list[Sparse]) -> Sparse:
    """One matrix with the rows of all."""
    if len(parts) == 1:
        return parts[0]
    places = np.cumsum([0, *(part.places.shape[0] for part in parts)])
    amounts = np.cumsum([0, *(part.amounts.shape[0] for part in parts)])
    kinds = parts[0] if parts else Sparse(*(np.zeros(0, t) for t in "IIHB"))
    return Sparse(
        _shifted(xp, [part.starts for part in parts], places),
        _shifted(xp, [part.more for part in parts], amounts),
        _concatenated(xp, [part.places for part in parts], kinds.places.dtype),
        _concatenated(xp, [part.amounts for part in parts], kinds.amounts.dtype),
    )


def lengths(rows: Sparse, ids: Array) -> tuple[Array, Array]:
    """The numbers of places and of amounts of some rows."""
    return tuple(ends[ids + 1] - ends[ids] for ends in (rows.starts, rows.more))


class LargeCounts(NamedTuple):
    """Entries of counts from 255 on, which are 0 in a matrix on a card: rows, columns, counts."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    counts: NDArray[np.uint32]

    def chosen(self, ids: Ids) -> LargeCounts:
        """Those of some rows, renumbered in the order given."""
        first, last = np.searchsorted(self.rows, ids), np.searchsorted(self.rows, ids, "right")
        lengths = last - first
        at = np.repeat(np.arange(len(ids)), lengths)
        kept = np.arange(len(at)) + np.repeat(first - (np.cumsum(lengths) - lengths), lengths)
        return LargeCounts(at, self.columns[kept], self.counts[kept])


NO_LARGE = LargeCounts(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.uint32))


def large_counts(arrays: CountArrays, rows: Counts) -> LargeCounts:
    """Of rows as the core has them."""
    owners = np.unique(np.searchsorted(arrays["more"], arrays["large_at"], "right") - 1)
    starts, columns, counts = rows.entries(owners.astype(np.uint32))
    large = np.flatnonzero(counts >= LARGE)
    own = np.repeat(owners, np.diff(starts))[large]
    return LargeCounts(own.astype(np.int64), columns[large].astype(np.int64), counts[large])


def joined_large(parts: list[LargeCounts], heights: list[int]) -> LargeCounts:
    """Those of matrices below each other."""
    offsets = np.cumsum([0, *heights])
    rows = [part.rows + by for part, by in zip(parts, offsets[:-1], strict=True)]
    return LargeCounts(
        np.concatenate([np.zeros(0, np.int64), *rows]),
        np.concatenate([np.zeros(0, np.int64), *(part.columns for part in parts)]),
        np.concatenate([np.zeros(0, np.uint32), *(part.counts for part in parts)]),
    )


def groups_of(targets: NDArray[np.int64], places: NDArray[np.int64]) -> Groups:
    """Entries sorted by what they are added to."""
    order = np.lexsort((places, targets))
    found, first = np.unique(targets[order], return_index=True)
    starts = np.append(first, len(order)).astype(np.uint32)
    return Groups(found.astype(np.uint32), starts, places[order].astype(np.int64), order)


def _runs(rows: Sparse, tile: int, at_once: int) -> Iterator[tuple[int, int]]:
    """First and last documents of whole tiles with about so many entries together."""
    edges = [*range(0, rows.height, tile), rows.height]
    starts = [int(start) for start in rows.starts[edges]]  # brought from a card together
    first = 0
    for i in range(1, len(edges)):
        last = i == len(edges) - 1
        if last or starts[i + 1] - starts[first] > at_once:
            yield edges[first], edges[i]
            first = i


def _piece(xp: Any, rows: Sparse, tile: int, first: int, last: int) -> tuple[Sparse, Array, Array]:
    """The lists of some tiles, their terms and their tiles.

    Entries are sorted as numbers: tile, term, whether counted more than once, document, count.
    """
    begin, end = int(rows.starts[first]), int(rows.starts[last])
    position = xp.arange(begin, end, dtype=np.int64)
    document = xp.searchsorted(rows.starts[first : last + 1], position, side="right") - 1
    after = document + (first + 1)
    at = rows.more[after].astype(np.int64) - (rows.starts[after].astype(np.int64) - position)
    often = at >= rows.more[after - 1]
    bits = tile.bit_length() - 1
    low = bits + COUNT_BITS  # of a document and a count
    key = (document >> bits).astype(np.uint64) << (COLUMN_BITS + 1 + low)
    key |= rows.places[begin:end].astype(np.uint64) << (1 + low)
    key |= often.astype(np.uint64) << low
    key |= (document & (tile - 1)).astype(np.uint64) << COUNT_BITS
    if rows.real:
        order = xp.argsort(key)
        key, amounts = key[order], rows.amounts[begin:end][order]
    else:
        counts = (
            xp.where(often, rows.amounts[xp.where(often, at, 0)], 0) if len(rows.amounts) else 0
        )
        key = xp.sort(key | xp.asarray(counts, dtype=np.uint64))
        amounts = (key & 0xFF).astype(np.uint8)[(key >> low) & 1 == 1]
    group = key >> (1 + low)
    starts = _edges(xp, group)
    heads = group[starts[:-1]]
    marks = xp.concatenate([xp.zeros(1, np.uint32), xp.cumsum((key >> low) & 1, dtype=np.uint32)])
    places = ((key >> COUNT_BITS) & (tile - 1)).astype(np.uint16)
    lists = Sparse(starts.astype(np.uint32), marks[starts], places, amounts)
    return lists, (heads & 0xFFFFFFFF).astype(np.uint32), (heads >> 32) + first // tile


def _edges(xp: Any, ordered: Array) -> Array:
    """Where each run of equal numbers starts, and the end."""
    size = ordered.shape[0]
    inner = xp.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    ends = xp.asarray([0, size] if size else [0])
    return xp.concatenate([ends[:1], inner, ends[1:]]).astype(np.int64)


def _by_size(xp: Any, lists: Sparse, tiles: Array, count: int) -> tuple[Array, Array]:
    """The lists of each tile by the class of their length, and where each class starts."""
    classes = len(SHORT) + 1
    lengths = lists.starts[1:] - lists.starts[:-1]
    kind = xp.searchsorted(xp.asarray(SHORT), lengths).astype(np.uint64)
    own = tiles.astype(np.uint64) * classes + kind
    ordered = xp.sort((own << 32) | xp.arange(lists.height, dtype=np.uint64))
    starts = xp.searchsorted(ordered >> 32, xp.arange(count * classes + 1, dtype=np.uint64))
    ends = xp.arange(count)[:, None] * classes + xp.arange(classes + 1)[None, :]
    return (ordered & 0xFFFFFFFF).astype(np.uint32), starts[ends].astype(np.uint32)


def _shifted(xp: Any, ends: list[Array], offsets: NDArray[np.int64]) -> Array:
    moved = [each[:-1] + np.uint32(by) for each, by in zip(ends, offsets[:-1], strict=True)]
    return _concatenated(xp, [*moved, xp.asarray(offsets[-1:])], np.uint32)


def _concatenated(xp: Any, parts: list[Array], dtype: Any) -> Array:
    if not parts:
        return xp.zeros(0, dtype)
    return xp.concatenate([part.astype(dtype, copy=False) for part in parts])
