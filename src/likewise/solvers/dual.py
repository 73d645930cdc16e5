"""min_w ½‖w‖² + C·Σ max(0, offsets + steps·Xw) over a few documents, by its dual.

The dual has a variable for each document, 0 ≤ α ≤ C·|steps| (solvers/qp.py), and needs only the
documents' dot products: about a millisecond for 20 documents. The result is exact, and documents
that are not needed have a weight of exactly 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.solvers.qp import Box
from likewise.solvers.solution import Solution
from likewise.solvers.stopping import Progress

if TYPE_CHECKING:
    from likewise.corpus import Csr, Floats
    from likewise.losses import Hinge
    from likewise.solvers.stopping import Report, Stop

PATIENCE = 3
COLUMNS = 8192


def dual(
    rows: Csr, loss: Hinge, C: float, stop: Stop, report: Report | None = None, bias: bool = False
) -> Solution:
    """Reads the rows once; `support` are numbers of these rows."""
    steps, offsets = loss.arrays.host(loss.steps), loss.arrays.host(loss.offsets)
    signs, costs = -np.sign(steps), np.abs(steps)
    margins = np.divide(offsets, costs, out=np.zeros(len(costs)), where=costs > 0.0)
    products = (gram(rows) + float(bias)) * np.outer(signs, signs)
    box = Box(products, margins, C * costs, np.zeros(len(costs)))
    at_zero = C * float(offsets.sum())
    progress, idle = Progress(1, 0, at_zero, 0.0, at_zero), 0
    while not stop(progress) and idle < PATIENCE:
        idle = 0 if box.step() else idle + 1
        progress = _measured(box, margins, C * costs, progress)
        if report is not None:
            report(1, progress.objective, progress.gap)
    weights = signs * box.alpha
    w = loss.arrays.vector(rows.weighted_sum(weights))
    total = float(weights.sum()) if bias else 0.0
    return Solution(loss.arrays, w, weights, progress, total)


def _measured(box: Box, margins: Floats, caps: Floats, last: Progress) -> Progress:
    gained = float(margins @ box.alpha)
    square = float(box.alpha @ box.slope) + gained
    return last._replace(
        iterations=last.iterations + 1,
        objective=0.5 * square + float(caps @ np.maximum(-box.slope, 0.0)),
        bound=gained - 0.5 * square,
    )


def gram(rows: Csr) -> Floats:
    """The dot products of all pairs of rows, by dense copies of some columns at a time."""
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
