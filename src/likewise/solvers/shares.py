"""Which examples a cut should leave out: whole ones, or each by a share.

The cut of a contingency table leaves out its lowest-scoring examples, and it takes many such cuts
until their mixture leaves out each example as often as it should. But a mixture of equally many
examples is as good a cut as a set of them. So now and then the examples of a cut are left out
by the shares that are best beside what the minimiser holds of the unlabeled documents. That
takes the examples' products with each other, and no pass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.solvers.dual import gram
from likewise.solvers.qp import Box

if TYPE_CHECKING:
    from likewise.corpus import Arrays, Csr, Floats, Ids, Vector
    from likewise.losses import Cut

ROUNDS = 2
STIFFNESS = 1.0  # of the number of examples left out, in units of their mean squared length


class Shares:
    def __init__(self, arrays: Arrays, rows: Csr, positives: Ids, steps: Vector, C: float) -> None:
        self.positives, self._arrays = positives, arrays
        ones = np.ones(len(positives), np.bool_)
        self._is_positive = arrays.placed(steps.shape[0], (positives, ones))
        self._steps = self._of_examples(steps)
        self._caps = -C * self._steps
        self._products = gram(rows)
        counts = self._caps.mean() / self._caps
        self._counts = np.sqrt(STIFFNESS * self._products.diagonal().mean()) * counts

    def refine(self, cut: Cut, reach: Vector, held: Floats) -> Cut:
        """The cut with as many examples left out, by shares.

        `reach` is the minimiser's, `held` what it leaves out of each example.
        """
        size = float(self._of_examples(cut.members).sum())
        shares = _resized(self._best(self._of_examples(reach), held), size)
        if shares is None:
            return cut
        arrays, xp = self._arrays, self._arrays.xp
        refined = arrays.placed(self._is_positive.shape[0], (self.positives, shares))
        others = xp.astype(cut.members, xp.float64)
        return cut._replace(members=xp.where(self._is_positive, refined, others))

    def _of_examples(self, values: Vector) -> Floats:
        return self._arrays.host(self._arrays.take(values, self.positives))

    def _best(self, reach: Floats, held: Floats) -> Floats:
        """Shares that are best for the unlabeled part of w, about as many in all as now."""
        start = self._caps * held
        by_others = reach / self._steps - self._products @ start
        matrix = self._products + np.outer(self._counts, self._counts)
        box = Box(matrix, self._counts * (self._counts @ start) - by_others, self._caps, start)
        for _ in range(ROUNDS):
            if not box.step():
                break
        return box.alpha / self._caps


def _resized(shares: Floats, size: float) -> Floats | None:
    """The shares times some factor, cut off at 1, so that they sum to `size`, if they can."""
    if np.count_nonzero(shares) < size:
        return None
    ordered = np.sort(shares)[::-1]
    rest = np.cumsum(ordered[::-1])[::-1]  # the sum of this one and all below
    left = size - np.arange(len(shares))  # for them, if those above are at 1
    fits = (rest > 0.0) & (left * ordered <= rest)
    if not fits.any():
        return None
    first = int(fits.argmax())
    resized: Floats = np.minimum(left[first] / rest[first] * shares, 1.0)
    return resized
