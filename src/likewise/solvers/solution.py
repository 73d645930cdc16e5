"""What a solver hands back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from likewise.corpus import SparseVector

if TYPE_CHECKING:
    from likewise.corpus import Ids, Vector
    from likewise.losses import Floats
    from likewise.solvers.stopping import Progress


@dataclass(frozen=True)
class Solution:
    """A query vector, w = Σ alphas[i]·(document support[i]), and how good it is."""

    w: Vector
    support: Ids
    alphas: Floats
    progress: Progress
    bias: float = 0.0

    @property
    def sparse(self) -> SparseVector:
        return sparse(self.w)


def sparse(w: Vector) -> SparseVector:
    """The same vector by its non-zero weights."""
    columns = np.flatnonzero(w)
    return SparseVector(columns.astype(np.int32), w[columns].astype(np.float64))
