"""min_w ½‖w‖² + C·Σ max(0, offsets + steps·Xw) over a few documents, by its dual.

The dual, min ½αᵀQα − mᵀα over 0 ≤ α ≤ caps, has a variable for each document, and the documents'
products are at hand. Rounds of coordinate descent (Hsieh et al., ICML 2008) find out which
variables stay at a bound, Newton steps settle those between: about a millisecond for 20 documents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.solvers.corpora import sum_rows
from likewise.solvers.solution import Solution
from likewise.solvers.stopping import Progress

if TYPE_CHECKING:
    from likewise.corpus import Csr
    from likewise.losses import Floats, Hinge
    from likewise.solvers.stopping import Report, Stop

RIDGE = 1e-12
PATIENCE = 3
NEWTON_STEPS = 10
COLUMNS = 8192


def dual(
    rows: Csr, loss: Hinge, C: float, stop: Stop, report: Report | None = None, bias: bool = False
) -> Solution:
    """The rows are read once; `support` counts them."""
    box = _Box(gram(rows) + float(bias), loss, C)
    while not stop(box.progress) and box.idle < PATIENCE:
        box.step()
        if report is not None:
            report(1, box.progress.objective, box.progress.gap)
    weights = box.signs * box.alpha
    support = np.flatnonzero(weights)
    w = sum_rows(rows, weights)
    return Solution(w, support, weights[support], box.progress, weights.sum() if bias else 0.0)


class _Box:
    """The dual problem and its current point."""

    def __init__(self, products: Floats, loss: Hinge, C: float) -> None:
        self.signs = -np.sign(loss.steps)
        self._caps = C * np.abs(loss.steps)
        self._margins = _quotient(loss.offsets, np.abs(loss.steps))
        self._matrix = products * np.outer(self.signs, self.signs)
        self.alpha: Floats = np.zeros(len(self._caps))
        self._slope: Floats = -self._margins
        self.idle = 0
        at_zero = float(self._caps @ self._margins)
        self.progress = Progress(1, 0, at_zero, 0.0, at_zero)

    def step(self) -> None:
        before = self.alpha.copy()
        self._round()
        for _ in range(NEWTON_STEPS):
            if not self._settle():
                break
        self.idle = 0 if (before != self.alpha).any() else self.idle + 1
        self._note()

    def _round(self) -> None:
        """Minimise over one variable after the other."""
        alpha, slope, matrix = self.alpha, self._slope, self._matrix
        curves, caps = matrix.diagonal().tolist(), self._caps.tolist()
        movable = np.where(slope < 0.0, alpha < self._caps, alpha > 0.0) & (slope != 0.0)
        for i in np.flatnonzero(movable).tolist():
            old, goal = float(alpha[i]), caps[i] if slope[i] < 0.0 else 0.0
            if curves[i] > 0.0:
                goal = min(max(old - float(slope[i]) / curves[i], 0.0), caps[i])
            if goal != old:
                alpha[i] = goal
                slope += (goal - old) * matrix[i]

    def _settle(self) -> bool:
        """A Newton step of the variables between their bounds; whether it ended at a bound."""
        free = np.flatnonzero((self.alpha > 0.0) & (self.alpha < self._caps))
        if len(free) == 0:
            return False
        block = self._matrix[np.ix_(free, free)]
        block[np.diag_indices(len(free))] += RIDGE * max(block.diagonal().max(), 1e-300)
        direction = np.linalg.solve(block, -self._slope[free])
        room = np.where(direction > 0.0, self._caps[free] - self.alpha[free], self.alpha[free])
        lengths = _quotient(room, np.abs(direction), np.inf)
        length = min(1.0, float(lengths.min()))
        moved = np.clip(self.alpha[free] + length * direction, 0.0, self._caps[free])
        at_bound = lengths <= length
        moved[at_bound] = np.where(direction > 0.0, self._caps[free], 0.0)[at_bound]
        self.alpha[free] = moved
        self._slope = self._matrix @ self.alpha - self._margins
        return length < 1.0

    def _note(self) -> None:
        slack = np.maximum(-self._slope, 0.0)
        gained = float(self._margins @ self.alpha)
        square = float(self.alpha @ self._slope) + gained
        self.progress = self.progress._replace(
            iterations=self.progress.iterations + 1,
            objective=0.5 * square + float(self._caps @ slack),
            bound=gained - 0.5 * square,
        )


def gram(rows: Csr) -> Floats:
    """The products of every two rows, from a dense copy of some columns at a time."""
    count = rows.shape[0]
    used, place = np.unique(rows.columns, return_inverse=True)
    row = np.repeat(np.arange(count), np.diff(rows.starts))
    products = np.zeros((count, count))
    for first in range(0, len(used), COLUMNS):
        block = (first <= place) & (place < first + COLUMNS)
        dense = np.zeros((count, min(COLUMNS, len(used) - first)))
        dense[row[block], place[block] - first] = rows.values[block]
        products += dense @ dense.T
    return products


def _quotient(above: Floats, below: Floats, otherwise: float = 0.0) -> Floats:
    """The quotient, and `otherwise` where `below` is 0."""
    result: Floats = np.full(len(above), otherwise)
    np.divide(above, below, out=result, where=below > 0.0)
    return result
