"""Where the pieces of a vector over documents lie."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likewise.corpus import Ids


class Anchor:
    """Keeps what belongs to a shard on one worker: all its tasks need the anchor, which counts as
    large, so that they go where it is.
    """

    BYTES = 64 << 20

    def __init__(self, *of: Any) -> None:
        self._of = of

    def __sizeof__(self) -> int:
        return self.BYTES

    def __reduce__(self) -> tuple[Any, ...]:
        return Anchor, self._of


class Piece(NamedTuple):
    anchor: Any  # a future of an Anchor; None for a piece in this process
    size: int


class Layout:
    """Pieces in the order of their documents."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self.pieces = tuple(pieces)
        self.key = tuple((piece.anchor and piece.anchor.key, piece.size) for piece in self.pieces)

    @cached_property
    def firsts(self) -> NDArray[np.int64]:
        """The first document of each piece, and the number of all."""
        return np.cumsum([0, *(piece.size for piece in self.pieces)])

    @property
    def size(self) -> int:
        return int(self.firsts[-1])

    def ranges(self) -> list[tuple[int, int]]:
        return list(pairwise(self.firsts.tolist()))

    def resized(self, sizes: Sequence[int]) -> Layout:
        return Layout([p._replace(size=int(n)) for p, n in zip(self.pieces, sizes, strict=True)])

    def located(self, ids: Ids) -> tuple[list[NDArray[np.int64]], list[NDArray[np.int64]]]:
        """For each piece: the positions in ids of its documents, and their numbers in it."""
        numbers = np.asarray(ids, np.int64)
        owner = np.searchsorted(self.firsts, numbers, "right") - 1
        order = np.argsort(owner, kind="stable")
        ends = np.searchsorted(owner[order], np.arange(len(self.pieces) + 1))
        places = [order[ends[i] : ends[i + 1]] for i in range(len(self.pieces))]
        return places, [numbers[p] - self.firsts[i] for i, p in enumerate(places)]

    def overlap(self, start: int, stop: int) -> tuple[list[int], list[tuple[int, int]]]:
        """The pieces that have some of a range, and which part of each."""
        kept, cuts = [], []
        for i, (first, last) in enumerate(self.ranges()):
            begin, end = max(start, first), min(stop, last)
            if begin < end or (first == last and start <= first <= stop):
                kept.append(i)
                cuts.append((begin - first, max(end, begin) - first))
        return kept, cuts
