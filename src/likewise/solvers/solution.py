"""The result of a solver."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from likewise.corpus import SparseVector

if TYPE_CHECKING:
    from likewise.corpus import Arrays, Floats, Ids, Vector
    from likewise.solvers.stopping import Progress


@dataclass(frozen=True)
class Solution:
    """A query vector, w = Σ alphas[i]·(document support[i]), and how good it is.

    w is a vector of the corpus' namespace, which `arrays` describes. `weights` are those of all
    documents of the corpus, or of the documents `ids`; they are a vector of the same namespace or a
    NumPy array. The support is looked for only if it is asked for: among millions of documents this
    takes as long as a pass. `scores` are those of the same documents by w, without the bias, where
    the solver knows them.
    """

    arrays: Arrays
    w: Vector
    weights: Any
    progress: Progress
    bias: float = 0.0
    ids: Ids | None = None
    scores: Any = None

    @property
    def support(self) -> Ids:
        """The documents with a weight."""
        places, _ = self._used
        return places if self.ids is None else self.ids[places]

    @property
    def alphas(self) -> Floats:
        """The weights of the support."""
        return self._used[1]

    def among(self, ids: Ids, arrays: Arrays) -> Solution:
        """The same, of a corpus that has the documents of this one as its documents `ids`."""
        there = ids if self.ids is None else ids[self.ids]
        if arrays is self.arrays:
            return replace(self, ids=there)
        host = self.arrays.host
        w, weights = arrays.vector(host(self.w)), host(self.weights)
        scores = None if self.scores is None else host(self.scores)
        return replace(self, arrays=arrays, w=w, weights=weights, ids=there, scores=scores)

    def reversed(self) -> Solution:
        """The opposite query."""
        scores = None if self.scores is None else -self.scores
        return replace(self, w=-self.w, weights=-self.weights, bias=-self.bias, scores=scores)

    @cached_property
    def _used(self) -> tuple[Ids, Floats]:
        if isinstance(self.weights, np.ndarray):
            places = np.flatnonzero(self.weights != 0.0)
            return places, self.weights[places]
        found = self.arrays.xp.nonzero(self.weights)[0]
        return self.arrays.host(found), self.arrays.host(self.arrays.take(self.weights, found))

    @property
    def sparse(self) -> SparseVector:
        return sparse(self.arrays.host(self.w))


def sparse(w: Floats) -> SparseVector:
    """The same vector by its non-zero weights."""
    columns = np.flatnonzero(w != 0.0)  # of numbers themselves, it takes several times as long
    return SparseVector(columns.astype(np.int32), w[columns].astype(np.float64))
