"""min_w ½‖w‖² + C·Σ max(0, offsets + steps·Xw) over a few documents, by its dual.

The dual, min ½αᵀQα − mᵀα over 0 ≤ α ≤ caps, has one variable a document: with the documents'
products at hand it is solved by projected Newton steps (Bertsekas, SIAM J. Control 1982), in
about a millisecond for 20 documents. Documents that end at 0 have no weight at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.solvers.corpora import sum_rows
from likewise.solvers.solution import Solution
from likewise.solvers.stopping import Progress

if TYPE_CHECKING:
    from likewise.corpus import Csr, Mask
    from likewise.losses import Floats, Hinge
    from likewise.solvers.stopping import Report, Stop

RIDGE = 1e-12
PATIENCE = 3
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
        self._scores = np.zeros(len(self._caps))  # Qα: of each document, times its sign
        self.idle = 0
        at_zero = float(self._caps @ self._margins)
        self.progress = Progress(1, 0, at_zero, 0.0, at_zero)

    def step(self) -> None:
        slope = self._scores - self._margins
        rising = self.alpha <= 0.0  # at a bound, so that they may only rise …
        falling = self.alpha >= self._caps  # … or fall
        free = ~(rising & (slope >= 0.0)) & ~(falling & (slope <= 0.0))
        direction = self._direction(free, slope)
        while (outward := (rising & (direction < 0.0)) | (falling & (direction > 0.0))).any():
            free &= ~outward
            direction = self._direction(free, slope)
        moved = self._along(direction, slope)
        self.idle = 0 if self._value(moved) < self._value(self.alpha) else self.idle + 1
        self.alpha = moved
        self._note()

    def _direction(self, free: Mask, slope: Floats) -> Floats:
        """Newton's, in the free variables."""
        places = np.flatnonzero(free)
        direction = np.zeros_like(self.alpha)
        if len(places):
            block = self._matrix[np.ix_(places, places)]
            block[np.diag_indices(len(places))] += RIDGE * max(block.diagonal().max(), 1e-300)
            direction[places] = np.linalg.solve(block, -slope[places])
        return direction

    def _along(self, direction: Floats, slope: Floats) -> Floats:
        """The full step, cut off at the bounds, if that helps; else up to the first bound."""
        trial = np.clip(self.alpha + direction, 0.0, self._caps)
        gain = 0.01 * float(slope @ (trial - self.alpha))
        if gain < 0.0 and self._value(trial) <= self._value(self.alpha) + gain:
            return trial
        room = np.where(direction > 0, self._caps - self.alpha, self.alpha)
        length = min(1.0, float(_quotient(room, np.abs(direction), np.inf).min()))
        return np.clip(self.alpha + length * direction, 0.0, self._caps)

    def _value(self, alpha: Floats) -> float:
        return 0.5 * float(alpha @ (self._matrix @ alpha)) - float(self._margins @ alpha)

    def _note(self) -> None:
        self._scores = self._matrix @ self.alpha
        square = float(self.alpha @ self._scores)
        slack = np.maximum(self._margins - self._scores, 0.0)
        self.progress = self.progress._replace(
            iterations=self.progress.iterations + 1,
            objective=0.5 * square + float(self._caps @ slack),
            bound=float(self._margins @ self.alpha) - 0.5 * square,
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
