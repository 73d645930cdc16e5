"""The bundle's memory: the cuts found so far, their minimiser, and the best point in their terms.

Every point is a combination of the cuts' directions g = Xᵀ(steps·members). Kept for each cut are
how far the documents reach by it, steps·Xg, and its products with the other directions, so that
no further pass is needed.
When there is no room, the oldest cut without dual weight goes; where all have some, the two
oldest become one, so that one cut stands for all that was aggregated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise.solvers import simplex

if TYPE_CHECKING:
    from likewise.corpus import Ids, Mask
    from likewise.losses import Cut, Floats
    from likewise.solvers.products import Products


class Minimiser(NamedTuple):
    """Of ½‖w‖² + C·(the highest cut): no point's objective is below `bound`."""

    reach: Floats
    square: float
    times_best: float
    bound: float


class Cuts:
    def __init__(self, corpus: Products, steps: Floats, C: float, room: int) -> None:
        self._corpus, self._steps, self._C = corpus, steps, C
        self._members: list[Mask | Floats] = []
        self._reach = np.empty((room, len(steps)))
        self._offsets = np.zeros(room)
        self._gram = np.zeros((room, room))
        self._alpha = np.zeros(room)
        self._times_alpha = np.zeros(room)
        self._times_best = np.zeros(room)
        self._born = np.zeros(room, dtype=int)
        self._share = np.zeros(room)  # what the best point holds of each cut …
        self._rest = np.zeros(len(steps))  # … and of the documents by cuts that are gone

    def add(self, cut: Cut, best: Floats) -> None:
        """Take in a cut, in two passes; `best` is how far documents reach by the best point."""
        slot = self._free_slot()
        used = slice(len(self._members))
        members = cut.members.astype(np.float64)
        scores = self._corpus.scores(self._corpus.weighted_sum(self._steps * members))
        np.multiply(self._steps, scores, out=self._reach[slot])
        self._members[slot] = cut.members
        # einsum stays on one thread: for products of this shape, BLAS' threads cost more
        self._gram[slot, used] = np.einsum("ij,j->i", self._reach[used], members)
        self._gram[used, slot] = self._gram[slot, used]
        self._offsets[slot] = cut.offset
        self._times_best[slot] = np.einsum("i,i->", members, best)
        self._alpha[slot] = self._share[slot] = 0.0
        self._born[slot] = self._born.max() + 1

    def minimise(self) -> Minimiser:
        used = slice(len(self._members))
        gram, offsets = self._gram[used, used], self._offsets[used]
        alpha = simplex.minimise(gram, offsets, self._C, self._alpha[used])
        self._alpha[used] = alpha
        self._times_alpha[used] = gram @ alpha
        square = float(alpha @ self._times_alpha[used])
        return Minimiser(
            reach=-np.einsum("i,ij->j", alpha, self._reach[used]),
            square=square,
            times_best=-float(alpha @ self._times_best[used]),
            bound=float(alpha @ offsets) - 0.5 * square,
        )

    def move_best(self, k: float) -> None:
        """The best point went from 0 (itself) to k on the line that has the minimiser at 1."""
        self._share += k * (self._alpha - self._share)
        self._times_best -= k * (self._times_alpha + self._times_best)
        self._rest *= 1.0 - k

    def weights(self) -> Floats:
        """The best point's weight of each document: w = Σ weights·x."""
        held = np.zeros(len(self._steps))
        for share, members in zip(self._share, self._members, strict=False):
            held += share * members
        return self._rest - self._steps * held

    def held(self, places: Ids) -> Floats:
        """How far some documents count in the minimiser, from 0 to 1."""
        members = np.array([members[places] for members in self._members], dtype=np.float64)
        return self._alpha[: len(members)] @ members / self._C

    def _free_slot(self) -> int:
        if len(self._members) < len(self._alpha):
            self._members.append(np.zeros(0))
            return len(self._members) - 1
        idle = np.flatnonzero(self._alpha == 0.0)
        if len(idle):
            slot = int(idle[self._born[idle].argmin()])
            self._release(slot)
        else:
            kept, slot = np.argsort(self._born)[:2].tolist()
            self._merge(kept, slot)
        return slot

    def _merge(self, kept: int, other: int) -> None:
        """Make one cut of two, weighted as the minimiser weighs them."""
        self._release(kept)
        self._release(other)
        total = self._alpha[kept] + self._alpha[other]
        p, q = self._alpha[kept] / total, self._alpha[other] / total
        self._members[kept] = p * self._members[kept] + q * self._members[other]
        for rows in (self._reach, self._offsets, self._times_best, self._gram, self._gram.T):
            rows[kept] = p * rows[kept] + q * rows[other]
        self._alpha[kept] = total

    def _release(self, slot: int) -> None:
        """Keep the best point's share of a cut by documents, not by the cut."""
        self._rest -= self._share[slot] * self._steps * self._members[slot]
        self._share[slot] = 0.0
