"""What a solver hands back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from likewise.corpus import SparseVector

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likewise.losses import Floats
    from likewise.solvers.stopping import Progress


@dataclass(frozen=True)
class Solution:
    """A query vector, w = Σ alphas[i]·(document support[i]), and how good it is."""

    w: Floats
    support: NDArray[np.intp]
    alphas: Floats
    progress: Progress
    bias: float = 0.0

    @property
    def sparse(self) -> SparseVector:
        columns = np.flatnonzero(self.w)
        return SparseVector(columns.astype(np.int32), self.w[columns])
