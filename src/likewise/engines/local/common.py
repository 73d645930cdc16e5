"""The most common terms of a corpus: what of each document's length is theirs.

They are few and have a third of all postings, but little of a document's length: so what they add
to its score is bounded well without reading them (core/pruned.h).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.corpus import SparseVector
from likewise.engines.together import together

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likewise.engines.local.parts import CountPart
    from likewise.engines.local.segments import Segment

    Floats = NDArray[np.float64]

COMMON = 16  # a term that one document in so many has is common
ROUNDED = 2.0**-24  # relative, of single precision


def common_terms(
    segments: Sequence[Segment], parts: Sequence[CountPart], factors: Floats, threads: int
) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
    """Which terms are common, and each document's length by these alone, rounded up.

    `parts` are those of the segments, with inverted files and the corpus' columns; `factors` are
    those of the columns. Only the postings of the common terms are read.
    """
    df = np.zeros(len(factors), np.int64)
    for part in parts:
        part.matrix.add_frequencies(df[: part.shape[1]])
    common = COMMON * df > sum(len(segment.row) for segment in segments)
    terms = np.flatnonzero(common)
    squared = SparseVector(terms.astype(np.int32), factors[terms] ** 2)
    above = 1 + (len(terms) + 8) * ROUNDED  # each sum is rounded once a term, and a few times more

    def lengths(number: int) -> NDArray[np.float32]:
        row, squares = segments[number].row, parts[number].squares_by(squared)
        return (np.sqrt(squares) * (np.abs(row) * above)).astype(np.float32)

    found = together(lengths, range(len(parts)), threads)
    return common, np.concatenate([np.zeros(0, np.float32), *found])
