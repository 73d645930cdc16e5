"""The result of a solver."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from likewise.corpus import SparseVector

if TYPE_CHECKING:
    from likewise.corpus import Arrays, Floats, Ids, Vector
    from likewise.solvers.stopping import Progress


@dataclass(frozen=True)
class Solution:
    """A query vector, w = Σ alphas[i]·(document support[i]), and how good it is.

    w is a vector of the corpus' namespace, which `arrays` describes.
    """

    arrays: Arrays
    w: Vector
    support: Ids
    alphas: Floats
    progress: Progress
    bias: float = 0.0

    @classmethod
    def of(cls, arrays: Arrays, w: Vector, weights: Vector, progress: Progress) -> Solution:
        """The solution with these weights of all documents."""
        on_host = arrays.host(weights)
        support = np.flatnonzero(on_host)
        return cls(arrays, w, support, on_host[support], progress)

    @property
    def sparse(self) -> SparseVector:
        return sparse(self.arrays.host(self.w))


def sparse(w: Floats) -> SparseVector:
    """The same vector by its non-zero weights."""
    columns = np.flatnonzero(w)
    return SparseVector(columns.astype(np.int32), w[columns].astype(np.float64))
