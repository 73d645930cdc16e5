"""What a learner sees: documents numbered 0 … n−1 and two products with their term vectors.

Both products take one vector or a block (one vector a column) and make one pass over the data
either way. Results have the dtype of the vectors given and do not depend on the number of threads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from likewise._core import Rows

Vector = NDArray[np.floating]
Vectors = NDArray[np.floating]
Ids = NDArray[np.integer]
Mask = NDArray[np.bool_]


class Csr(NamedTuple):
    """A few rows' entries, columns ascending, in the three arrays of a CSR matrix."""

    starts: NDArray[np.int64]
    columns: NDArray[np.int32]
    values: NDArray[np.float64]
    shape: tuple[int, int]


class SparseVector(NamedTuple):
    """A query's non-zero weights, columns ascending."""

    columns: NDArray[np.int32]
    weights: NDArray[np.float64]


class Corpus(Protocol):
    @property
    def shape(self) -> tuple[int, int]:
        """Documents, terms."""

    def scores(self, w: Vectors) -> Vectors:
        """s[i] = Σ_j X[i, j]·w[j]."""

    def weighted_sum(self, a: Vectors) -> Vectors:
        """g[j] = Σ_i a[i]·X[i, j]."""

    def rows(self, ids: Ids) -> Csr:
        """The vectors of a few documents."""

    def take(self, ids: Ids) -> Corpus:
        """A view of some documents, renumbered in the order given."""

    def top(
        self,
        w: Vector | SparseVector,
        k: int,
        keep: Mask | None = None,
        *,
        positive: bool = False,
    ) -> list[tuple[int, float]]:
        """The k best documents and their exact scores, ties by document number.

        `keep` says which documents may appear; `positive` leaves out scores of 0 and below.
        """


class RowAccess(Corpus, Protocol):
    """What an engine may offer beside: rows to be read many times, where they lie."""

    def row_access(self, ids: Ids) -> tuple[Rows, NDArray[np.float64]]:
        """Some documents' rows for the core, and their squared lengths."""
