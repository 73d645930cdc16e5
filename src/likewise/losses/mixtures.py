"""Mixtures of contingency tables: how large Δ is on average where each document has its share.

A mixture leaves out each example, and includes each unlabeled document, in a share of its tables.
Tables of given sizes can be filled so that all have their shares if, for every k, the k largest
shares sum to no more than the mean of min(size, k), and all shares to the mean size (Gale 1957,
Ryser 1957). So the largest mean Δ is a linear programme over the tables' sizes. Sizes near those of
the mean table suffice, in particular those with the same precision.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from likewise.corpus import Floats, Ids

ALONG = 8  # more or fewer examples left out than in the mean table
BESIDE = 3  # more or fewer unlabeled documents than the same precision asks for
WHOLE = 1.0 - 1e-12  # a share of 1, but for rounding
PRECISION = 1e-10  # of the linear programme


class _Side(NamedTuple):
    """The shares of some documents, the largest first."""

    shares: Floats

    @property
    def mean(self) -> float:
        return float(self.shares.sum())

    @property
    def least(self) -> int:
        """Tables must have all documents with a share of 1."""
        return int(np.count_nonzero(self.shares >= WHOLE))

    def limits(self, sizes: Ids) -> tuple[Floats, Floats]:
        """For each k that matters: min(size, k), and the sum of the k largest shares."""
        k = np.arange(sizes.min(), sizes.max() + 1)
        sums = np.concatenate([[0.0], np.cumsum(self.shares)])
        return np.minimum(sizes[None, :], k[:, None]).astype(np.float64), sums[k]


def largest_mean(
    delta: Callable[[Floats, Floats], Floats], examples: Floats, others: Floats
) -> float | None:
    """The largest mean of delta(a, b) with these shares left out and included, or almost that.

    a are the examples that are not left out. None if no mixture of the tables tried has the shares.
    """
    from scipy.optimize import linprog

    left, entered = (_Side(np.sort(each[each > 0.0])[::-1]) for each in (examples, others))
    count = len(examples)
    out, included = _sizes(left, entered, count)
    if not len(out):
        return None
    pairs = ((left, out), (entered, included))
    room, sums = zip(*(side.limits(sizes) for side, sizes in pairs), strict=True)
    found = linprog(
        -delta((count - out).astype(np.float64), included.astype(np.float64)),
        A_ub=-np.concatenate(room),
        b_ub=-np.concatenate(sums),
        A_eq=np.stack([np.ones(len(out)), out, included]),
        b_eq=[1.0, left.mean, entered.mean],
        method="highs",
        options={"primal_feasibility_tolerance": PRECISION},
    )
    return -float(cast("float", found.fun)) if found.success else None


def _sizes(left: _Side, entered: _Side, examples: int) -> tuple[Ids, Ids]:
    """Sizes of tables around the mean one: examples left out, documents included."""
    mean, corner = int(left.mean), int(entered.mean)
    first, last = max(left.least, mean - ALONG), min(len(left.shares), mean + ALONG + 1)
    each = entered.mean / max(examples - left.mean, 1e-300)  # included for each example that stays
    sizes = {(i, j) for i in (mean, mean + 1) for j in (corner, corner + 1)}
    for i in range(first, last + 1):
        middle = int(min((examples - i) * each, len(entered.shares)))
        sizes |= {(i, j) for j in range(middle - BESIDE, middle + BESIDE + 2)}
    kept = [
        (i, j)
        for i, j in sorted(sizes)
        if left.least <= i <= len(left.shares) and entered.least <= j <= len(entered.shares)
    ]
    both = np.array(kept, np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]
