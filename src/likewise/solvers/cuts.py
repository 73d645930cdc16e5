"""The bundle's memory: the cuts found so far, their minimiser, and the best point in their terms.

Every point is a combination of the cuts' directions g = Xᵀ(steps·members). Kept for each cut are
the scores Xg and the products with the other directions, so that no further pass is needed.
When there is no room, a cut without dual weight goes; where all have some, the two oldest
become one: the first cut is then what remains of all that was aggregated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise.solvers import simplex

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likewise.losses import Cut, Floats
    from likewise.solvers.corpora import Products


class Minimiser(NamedTuple):
    """Of ½‖w‖² + C·(the highest cut): no point's objective is below `bound`."""

    scores: Floats
    square: float
    times_best: float
    bound: float


class Cuts:
    def __init__(self, corpus: Products, steps: Floats, C: float, room: int) -> None:
        self._corpus, self._steps, self._C = corpus, steps, C
        self._members: list[NDArray[np.floating | np.bool_]] = []  # aggregated: between 0 and 1
        self._scores = np.empty((room, len(steps)))
        self._offsets = np.zeros(room)
        self._gram = np.zeros((room, room))
        self._alpha = np.zeros(room)
        self._times_alpha = np.zeros(room)
        self._times_best = np.zeros(room)
        self._share = np.zeros(room)  # what the best point holds of each cut …
        self._rest = np.zeros(len(steps))  # … and of the documents by cuts that are gone

    def add(self, cut: Cut, best: Floats) -> None:
        """Take in a cut, in two passes; `best` are the best point's scores."""
        if len(self._members) == len(self._alpha):
            self._make_room()
        new = len(self._members)
        push = self._steps * cut.members
        self._members.append(cut.members)
        self._scores[new] = self._corpus.scores(self._corpus.weighted_sum(push))
        products = self._scores[: new + 1] @ push
        self._gram[new, : new + 1] = self._gram[: new + 1, new] = products
        self._offsets[new] = cut.offset
        self._times_best[new] = push @ best
        self._alpha[new] = self._share[new] = 0.0

    def minimise(self) -> Minimiser:
        used = slice(len(self._members))
        gram, offsets = self._gram[used, used], self._offsets[used]
        alpha = simplex.minimise(gram, offsets, self._C, self._alpha[used])
        self._alpha[used] = alpha
        self._times_alpha[used] = gram @ alpha
        square = float(alpha @ self._times_alpha[used])
        return Minimiser(
            scores=-(alpha @ self._scores[used]),
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
        held = sum(
            (share * members for share, members in zip(self._share, self._members, strict=False)),
            start=np.zeros(len(self._steps)),
        )
        return self._rest - self._steps * held

    def _make_room(self) -> None:
        idle = np.flatnonzero(self._alpha == 0.0)
        if len(idle) == 0:
            self._merge_oldest()
        self._drop(int(idle[0]) if len(idle) else 1)

    def _merge_oldest(self) -> None:
        """Make the first two cuts one; the second is left without weight."""
        first, second = self._alpha[:2] / self._alpha[:2].sum()
        self._release(0)
        self._release(1)
        self._members[0] = first * self._members[0] + second * self._members[1]
        for rows in (self._scores, self._offsets, self._times_best, self._gram, self._gram.T):
            rows[0] = first * rows[0] + second * rows[1]
        self._alpha[:2] = self._alpha[:2].sum(), 0.0

    def _release(self, cut: int) -> None:
        """Keep the best point's share of a cut by documents, not by the cut."""
        self._rest -= self._share[cut] * self._steps * self._members[cut]
        self._share[cut] = 0.0

    def _drop(self, cut: int) -> None:
        self._release(cut)
        del self._members[cut]
        vectors = (self._offsets, self._alpha, self._times_alpha, self._times_best, self._share)
        for rows in (self._scores, self._gram, self._gram.T, *vectors):
            rows[cut:-1] = rows[cut + 1 :]
