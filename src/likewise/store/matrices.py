"""The matrices that a segment may hold, and how each is written and merged."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from likewise import _core
from likewise.store import packing
from likewise.store.arrays import (
    all_rows,
    concatenate_counts,
    concatenate_values,
    keep_columns,
    listed_rows,
    select_values,
    side_by_side,
    slice_rows,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from likewise._core import CountArrays
    from likewise.corpus import ValueArrays
    from likewise.store.container import ContainerWriter
    from likewise.store.segment import Segment

    Inverted = tuple[CountArrays, NDArray[np.uint32] | None]  # and the terms that it lists

M = TypeVar("M")
INVERTED = "inverted"
LISTED = 0.6  # of all terms: with more, a list of them takes more than it saves
SIZE = 1 << 18  # of what merging has in memory at a time: entries and, for each segment, terms


class Matrix(Protocol[M]):
    """How a matrix is written: of rows collected in memory (M), or of those of segments."""

    def transpose(self, rows: M, width: int, threads: int) -> M | None: ...
    def write(
        self, writer: ContainerWriter, rows: M, inverted: Callable[[], M | None], width: int
    ) -> None:
        """`inverted` is asked for what `transpose` gives once the rows are written."""

    def merge(self, writer: ContainerWriter, segments: Sequence[Segment], width: int) -> None:
        """Write the live documents of all segments, numbered through."""


class CountMatrix:
    """Counts by document and by term."""

    def transpose(self, rows: CountArrays, width: int, threads: int) -> CountArrays:
        return _core.Counts(rows, width).transpose(threads)

    def write(
        self,
        writer: ContainerWriter,
        rows: CountArrays,
        inverted: Callable[[], CountArrays | None],
        width: int,
    ) -> None:
        documents = len(rows["starts"]) - 1
        write_stacked(writer, "rows", [rows], width)
        if (by_term := inverted()) is not None:
            write_stacked(writer, INVERTED, [by_term], documents)

    def merge(self, writer: ContainerWriter, segments: Sequence[Segment], width: int) -> None:
        documents = sum(segment.entry.live for segment in segments)
        write_stacked(writer, "rows", live_counts(segments), width)
        few = sum(segment.entries for segment in segments) <= SIZE
        merged = transposed(segments, width) if few else merged_postings(segments, width)
        write_stacked(writer, INVERTED, merged, documents)


class ValueMatrix:
    """Real values by document and by term."""

    def transpose(self, rows: ValueArrays, width: int, threads: int) -> ValueArrays:
        return transpose_values(rows, width)

    def write(
        self,
        writer: ContainerWriter,
        rows: ValueArrays,
        inverted: Callable[[], ValueArrays | None],
        width: int,
    ) -> None:
        writer.arrays("rows", rows)
        writer.arrays(INVERTED, inverted() or {})

    def merge(self, writer: ContainerWriter, segments: Sequence[Segment], width: int) -> None:
        rows = concatenate_values(list(map(live_values, segments)))
        self.write(writer, rows, lambda: transpose_values(rows, width), width)


class DenseMatrix:
    """Rows of one length; every document has every term, so there is nothing to invert."""

    def transpose(self, rows: NDArray[np.float32], width: int, threads: int) -> None:
        return None

    def write(
        self, writer: ContainerWriter, rows: NDArray[np.float32], inverted: object, width: int
    ) -> None:
        writer.array("dense", rows)

    def merge(self, writer: ContainerWriter, segments: Sequence[Segment], width: int) -> None:
        writer.pieces("dense", np.float32, (live_of(s.dense, s) for s in segments))


def live_counts(segments: Iterable[Segment]) -> Iterator[CountArrays]:
    for segment in segments:
        rows, live = segment.rows, segment.live
        yield rows if live is None else _core.Counts(rows, segment.width).select(live)
        segment.release()


def live_values(segment: Segment) -> ValueArrays:
    rows = segment.value_rows
    return rows if segment.live is None else select_values(rows, segment.live)


def live_of(values: NDArray[Any], segment: Segment) -> NDArray[Any]:
    return values if segment.live is None else values[segment.live]


def write_stacked(
    writer: ContainerWriter, name: str, pieces: Iterable[CountArrays], width: int
) -> None:
    """Write matrices one below another as one. Their columns, which are most, are not kept."""
    others: list[CountArrays] = []

    def columns() -> Iterator[NDArray[Any]]:
        for piece in pieces:
            others.append({**piece, "columns": np.zeros(0, np.uint32)})
            yield from packing.packed(piece["columns"], width)
        yield packing.end(width)

    writer.pieces(f"{name}.columns", packing.type_for(width), columns())
    rest = others[0] if len(others) == 1 else concatenate_counts(others)
    if name == INVERTED:
        rest = write_listed(writer, rest)
    writer.arrays(name, {part: values for part, values in rest.items() if part != "columns"})


def write_listed(writer: ContainerWriter, inverted: CountArrays) -> CountArrays:
    """Of an inverted file in which most terms have no document, list those that have."""
    terms = len(inverted["starts"]) - 1
    found = np.flatnonzero(np.diff(inverted["starts"])).astype(np.uint32)
    if len(found) > LISTED * terms:
        return inverted
    writer.array(f"{INVERTED}.terms", found)
    return listed_rows(inverted, found)


def transposed(segments: Sequence[Segment], width: int) -> Iterator[CountArrays]:
    """What merged_postings gives, in one piece. It takes memory for all rows, but less time where
    these are few beside the terms, of which every segment has a list.
    """
    rows = concatenate_counts(list(map(packing.unpacked, live_counts(segments))))
    yield _core.Counts(rows, width).transpose(1)


def merged_postings(
    segments: Sequence[Segment], width: int, size: int = SIZE
) -> Iterator[CountArrays]:
    """The inverted files of several segments as one: live documents only, numbered through.

    Each segment has its own sorted by term already, so this takes memory for some terms at a time
    and for none of the rows. The pieces, put one below another, are what transposing all rows at
    once would give.
    """
    firsts = np.cumsum([0, *(segment.entry.live for segment in segments)])
    live = [None if s.live is None else ~s.deleted_mask() for s in segments]
    inverted = list(_checked(segments))
    for first, last in pairwise(_cuts(inverted, width, size)):
        parts: list[CountArrays] = []
        for (part, listed), kept, shift in zip(inverted, live, firsts, strict=False):
            piece = _terms_between(part, listed, first, last)
            piece = piece if kept is None else keep_columns(piece, kept)
            parts.append({**piece, "columns": piece["columns"] + np.uint32(shift)})
        yield side_by_side(parts)
        for segment in segments:
            segment.release()


def _checked(segments: Sequence[Segment]) -> Iterator[Inverted]:
    for segment in segments:
        yield segment.inverted, segment.listed
        segment.release()


def _terms_between(
    part: CountArrays, listed: NDArray[np.uint32] | None, first: int, last: int
) -> CountArrays:
    if listed is None:
        return slice_rows(part, first, last)
    begin, end = np.searchsorted(listed, [first, last]).tolist()
    rows = listed[begin:end].astype(np.int64) - first
    return all_rows(slice_rows(part, begin, end), rows, last - first)


def _cuts(inverted: Sequence[Inverted], width: int, size: int) -> list[int]:
    """Terms at which to cut, so that about as much lies between any two of them."""
    before = np.arange(width + 1) * len(inverted)
    for part, listed in inverted:
        of_segment = (part if listed is None else all_rows(part, listed, width))["starts"]
        before[: len(of_segment)] += of_segment
        before[len(of_segment) :] += of_segment[-1]
    cuts = np.searchsorted(before, np.arange(size, before[-1], size))
    return sorted({0, *cuts.tolist(), width})


def transpose_values(rows: ValueArrays, width: int) -> ValueArrays:
    from scipy.sparse import csr_array

    shape = (len(rows["starts"]) - 1, width)
    columns, starts = rows["columns"].astype(np.int64), rows["starts"].astype(np.int64)
    turned = csr_array((rows["values"], columns, starts), shape=shape).tocsc()
    return {
        "starts": turned.indptr.astype(np.uint32),
        "columns": turned.indices.astype(np.uint32),
        "values": turned.data,
    }
