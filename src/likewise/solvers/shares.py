"""Better cuts of contingency tables: leave out a share of each example instead of whole examples.

The cut of a contingency table leaves out the lowest-scoring examples. It takes many such cuts until
their mixture leaves out each example with the right share. But shares that sum to the same number
of examples are as valid a cut as a set of examples. So some cuts leave out examples by the shares
that are best for the minimiser's part of the unlabeled documents. This needs the examples' dot
products, and no pass.
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
STIFFNESS = 1.0  # penalty on changing the number left out, in units of the mean squared length


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
        """The cut with the same number of examples left out, by shares.

        `reach` is the reach at the minimiser, `held` the share of each example that it leaves out.
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
        """The best shares for the unlabeled part of w, with about the same sum as now."""
        start = self._caps * held
        by_others = reach / self._steps - self._products @ start
        matrix = self._products + np.outer(self._counts, self._counts)
        box = Box(matrix, self._counts * (self._counts @ start) - by_others, self._caps, start)
        for _ in range(ROUNDS):
            if not box.step():
                break
        return box.alpha / self._caps


def _resized(shares: Floats, size: float) -> Floats | None:
    """The shares times a factor, limited to 1, so that they sum to `size`; None if impossible."""
    if np.count_nonzero(shares) < size:
        return None
    ordered = np.sort(shares)[::-1]
    rest = np.cumsum(ordered[::-1])[::-1]  # the sum of this share and all smaller ones
    left = size - np.arange(len(shares))  # what is left for them if the larger ones are at 1
    fits = (rest > 0.0) & (left * ordered <= rest)
    if not fits.any():
        return None
    first = int(fits.argmax())
    resized: Floats = np.minimum(left[first] / rest[first] * shares, 1.0)
    return resized
