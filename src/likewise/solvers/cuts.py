"""The state of the bundle: the cuts so far, their minimiser, and the best point.

Every point is a combination of the cuts' directions g = Xᵀ(steps·members). For each cut the state
has the documents' reach by it, steps·Xg, and its products with the other directions, so that no
further pass is needed. Vectors over documents stay in the corpus' namespace; vectors and matrices
over cuts are NumPy arrays.
If there is no room, the oldest cut without dual weight is removed; if all have weight, the two
oldest are merged, so that one cut represents all that were aggregated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise.solvers.qp import on_simplex

if TYPE_CHECKING:
    from likewise.corpus import Floats, Ids, Vector
    from likewise.losses import Cut, Members
    from likewise.solvers.products import Products


class Minimiser(NamedTuple):
    """The minimiser of ½‖w‖² + C·(the highest cut); `bound` is a lower bound on the objective."""

    reach: Vector
    square: float
    times_best: float
    bound: float


class Cuts:
    def __init__(self, corpus: Products, steps: Vector, C: float, room: int) -> None:
        self._corpus, self._arrays, self._steps, self._C = corpus, corpus.arrays, steps, C
        xp = self._arrays.xp
        self._members: list[Members] = []
        self._reach = xp.empty((room, steps.shape[0]), dtype=xp.float64)
        self._offsets = np.zeros(room)
        self._gram = np.zeros((room, room))
        self._alpha = np.zeros(room)
        self._times_alpha = np.zeros(room)
        self._times_best = np.zeros(room)
        self._born = np.zeros(room, dtype=int)
        self._share = np.zeros(room)  # the weight of each cut in the best point
        self._rest = xp.zeros_like(steps)  # the weights of documents in it by removed cuts

    def add(self, cut: Cut, best: Vector) -> None:
        """Add a cut, in two passes; `best` is the documents' reach at the best point."""
        slot = self._free_slot()
        used = slice(len(self._members))
        members = self._numbers(cut.members)
        scores = self._corpus.scores(self._corpus.weighted_sum(self._steps * members))
        self._reach[slot, :] = self._steps * scores
        self._members[slot] = cut.members
        *products, beside = self._arrays.dots(self._reach[used, :], members, best)
        self._gram[slot, used] = self._gram[used, slot] = products
        self._offsets[slot] = float(cut.offset)
        self._times_best[slot] = beside
        self._alpha[slot] = self._share[slot] = 0.0
        self._born[slot] = self._born.max() + 1

    def minimise(self) -> Minimiser:
        used = slice(len(self._members))
        gram, offsets = self._gram[used, used], self._offsets[used]
        alpha = on_simplex(gram, offsets, self._C, self._alpha[used])
        self._alpha[used] = alpha
        self._times_alpha[used] = gram @ alpha
        square = float(alpha @ self._times_alpha[used])
        return Minimiser(
            reach=-self._arrays.mixed(alpha, self._reach[used, :]),
            square=square,
            times_best=-float(alpha @ self._times_best[used]),
            bound=float(alpha @ offsets) - 0.5 * square,
        )

    def move_best(self, k: float) -> None:
        """Move the best point to k on the line from itself (0) to the minimiser (1)."""
        self._share += k * (self._alpha - self._share)
        self._times_best -= k * (self._times_alpha + self._times_best)
        self._rest = (1.0 - k) * self._rest

    def weights(self) -> Vector:
        """The weight of each document in the best point: w = Σ weights·x."""
        held = self._arrays.xp.zeros_like(self._steps)
        for share, members in zip(self._share.tolist(), self._members, strict=False):
            held = held + share * self._numbers(members)
        return self._rest - self._steps * held

    def held(self, places: Ids) -> Floats:
        """The shares of some documents in the minimiser, from 0 to 1."""
        arrays = self._arrays
        chosen = [arrays.take(members, places) for members in self._members]  # and then together
        members = np.array([arrays.host(each) for each in chosen], dtype=np.float64)
        return self._alpha[: len(members)] @ members / self._C

    def _numbers(self, members: Members) -> Vector:
        xp = self._arrays.xp
        return xp.astype(members, xp.float64, copy=False)

    def _free_slot(self) -> int:
        if len(self._members) < len(self._alpha):
            self._members.append(None)
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
        """Merge two cuts, with their weights in the minimiser."""
        self._release(kept)
        self._release(other)
        total = float(self._alpha[kept] + self._alpha[other])
        p, q = float(self._alpha[kept]) / total, float(self._alpha[other]) / total
        one, two = (self._numbers(self._members[slot]) for slot in (kept, other))
        self._members[kept] = p * one + q * two
        self._reach[kept, :] = p * self._reach[kept, :] + q * self._reach[other, :]
        for rows in (self._offsets, self._times_best, self._gram, self._gram.T):
            rows[kept] = p * rows[kept] + q * rows[other]
        self._alpha[kept] = total

    def _release(self, slot: int) -> None:
        """Remove a cut, and keep its part of the best point as weights of documents."""
        share = float(self._share[slot])
        self._rest = self._rest - share * self._steps * self._numbers(self._members[slot])
        self._share[slot] = 0.0
