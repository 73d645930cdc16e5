"""A query as it was learned: it knows its examples and can be explained, saved and run."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from likewise.query import Learned, Query, Support, Weight

if TYPE_CHECKING:
    from likewise.corpus import SparseVector
    from likewise.examples import Gathered
    from likewise.solvers.solution import Solution
    from likewise.store.snapshot import Snapshot

MOST_SUPPORT = 100  # documents that a saved query names


@dataclass(frozen=True, eq=False)
class LearnedQuery:
    """A query in the numbers of the generation it was learned on; `portable` is for elsewhere."""

    snapshot: Snapshot
    solution: Solution
    gathered: Gathered
    weighting: str
    learned: Learned

    @cached_property
    def vector(self) -> SparseVector:
        return self.solution.sparse

    @property
    def exclude(self) -> list[str]:
        """Ids of the judged documents, which results leave out."""
        return self.gathered.ids

    @cached_property
    def portable(self) -> Query:
        return Query(
            tuple(self.snapshot.term_names(self.vector.columns.tolist())),
            tuple(self.vector.weights.tolist()),
            self.weighting,
            self.learned,
            self._support(),
            tuple(self.gathered.ids),
        )

    def heaviest(self, count: int = 10) -> tuple[list[Weight], list[Weight]]:
        """The terms that pull most upwards and most downwards, without naming the others."""
        columns, weights = self.vector
        order = np.argsort(-np.abs(weights), kind="stable")
        sides = [order[weights[order] > 0][:count], order[weights[order] < 0][:count]]
        up, down = (
            list(map(Weight, self.snapshot.term_names(columns[side]), weights[side].tolist()))
            for side in sides
        )
        return up, down

    def _support(self) -> tuple[Support, ...]:
        """The documents of most weight."""
        judged = np.concatenate([self.gathered.liked, self.gathered.disliked]).tolist()
        ids = dict(zip(judged, self.gathered.ids, strict=True))
        alphas = self.solution.alphas
        order = np.argsort(-np.abs(alphas), kind="stable")[:MOST_SUPPORT]
        numbers = self.solution.support[order].tolist()
        return tuple(
            Support(ids[n] if n in ids else self.snapshot.ids([n])[0], float(a))
            for n, a in zip(numbers, alphas[order], strict=True)
        )
