"""Which small segments an addition merges, so that many small additions leave few segments.

A segment's tier is the number of its documents to the base FAN. Neighbours of the same tier, with
whatever smaller ones lie between them, are merged when there are FAN of them: n documents that are
added one by one leave at most FAN - 1 segments a tier, and each of them is rewritten once a tier.
Only neighbours can be merged, since documents and terms are numbered in the order of segments.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from likewise.store.manifest import SegmentEntry

FAN = 8  # segments of a tier that are merged
BUDGET = 256 << 20  # bytes that go into one segment at most
LARGE = BUDGET // FAN  # bytes: what building an index makes is left alone
START = 4  # bytes that each term takes at least in a segment that does not list its own


class Piece(NamedTuple):
    """Neighbouring segments that are to become one."""

    segments: range
    documents: int
    bytes: int

    @property
    def tier(self) -> int:
        tier, documents = 0, self.documents
        while documents >= FAN:
            tier, documents = tier + 1, documents // FAN
        return tier


def plan(segments: Sequence[SegmentEntry]) -> list[range]:
    """All segments, in order, in groups that are to be merged; most groups are of one segment."""
    pieces = [Piece(range(i, i + 1), one.live, _size(one)) for i, one in enumerate(segments)]
    while (fewer := _one_step(pieces)) is not None:
        pieces = fewer
    return [piece.segments for piece in pieces]


def _size(segment: SegmentEntry) -> int:
    """Bytes that merging a segment rewrites, without those of terms that it does not have."""
    rows = sum(view.bytes for view in (*segment.views.values(), *segment.sparse.values()))
    return max(segment.bytes - START * segment.terms, 0) + rows


def _one_step(pieces: list[Piece]) -> list[Piece] | None:
    """The same with one run of pieces merged; None if there is none to merge."""
    for run in _runs(pieces):
        merged = _merged(pieces[run.start : run.stop])
        if len(run) >= FAN and len(merged) < len(run):
            return [*pieces[: run.start], *merged, *pieces[run.stop :]]
    return None


def _runs(pieces: Sequence[Piece]) -> Iterator[range]:
    """From the first of a tier to the last of it, tier by tier downwards, between large pieces."""
    for large, stretch in groupby(range(len(pieces)), lambda i: pieces[i].bytes >= LARGE):
        left = list(stretch)
        while left and not large:
            top = max(pieces[i].tier for i in left)
            last = max(i for i in left if pieces[i].tier == top)
            yield range(left[0], last + 1)
            left = [i for i in left if i > last]


def _merged(run: Sequence[Piece]) -> list[Piece]:
    """A run as one piece, or as few as the budget allows."""
    found: list[Piece] = []
    for piece in run:
        if found and found[-1].bytes + piece.bytes <= BUDGET:
            found[-1] = _joined(found[-1], piece)
        else:
            found.append(piece)
    return found


def _joined(a: Piece, b: Piece) -> Piece:
    segments = range(a.segments.start, b.segments.stop)
    return Piece(segments, a.documents + b.documents, a.bytes + b.bytes)
