"""A corpus as the matrix that scipy would have of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from likewise.corpus import Corpus

PIECE = 100_000  # documents copied at a time, in double precision


def scipy_matrix(corpus: Corpus) -> Any:
    """The very same weights in a float32 CSR with 32-bit indices."""
    numbers = np.arange(corpus.shape[0])
    pieces = [piece(corpus, numbers[i : i + PIECE]) for i in range(0, len(numbers), PIECE)]
    return sparse.vstack(pieces, "csr") if len(pieces) > 1 else pieces[0]


def piece(corpus: Corpus, numbers: np.ndarray) -> Any:
    starts, columns, values, shape = corpus.rows(numbers)
    arrays = (values.astype(np.float32), columns.astype(np.int32), starts.astype(np.int32))
    return sparse.csr_array(arrays, shape=shape)
