"""The most common terms of a corpus: what of each document's length is theirs.

They are few and have a third of all postings, but little of a document's length: so what they add
to its score is bounded well without reading them (core/pruned.h).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.engines.local.parts import CountPart
from likewise.engines.together import together

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likewise.engines.local.segments import Segment

    Floats = NDArray[np.float64]

COMMON = 16  # a term that one document in so many has is common
ROUNDED = 2.0**-23  # relative, of single precision, on the safe side


def common_terms(
    segments: Sequence[Segment], factors: Floats, threads: int
) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
    """Which terms are common, and each document's length by these alone, rounded up.

    The segments are of counts and have the corpus' columns; `factors` are those of the columns.
    """
    df = np.zeros(len(factors), np.int64)
    for segment in segments:
        if isinstance(segment.part, CountPart):
            segment.part.matrix.add_frequencies(df[: segment.part.shape[1]])
    common = COMMON * df > sum(len(segment.row) for segment in segments)
    scales = np.where(common, factors, 0.0)

    def lengths(segment: Segment) -> Floats:
        squares = segment.part.squares(scales[: segment.part.shape[1]], 1)
        return np.sqrt(squares) * np.abs(segment.row) * (1 + ROUNDED)

    found = together(lengths, segments, threads)
    return common, np.concatenate([np.zeros(0), *found]).astype(np.float32)
