"""What core/pairs.cpp, draws.cpp and hardest.cpp do, slowly and readably."""

from __future__ import annotations

import math

import numpy as np

NOBODY = 0xFFFFFFFF

LOSSES = {
    "hinge": lambda t: max(0.0, 1.0 - t),
    "squared_hinge": lambda t: max(0.0, 1.0 - t) ** 2,
    "logistic": lambda t: float(np.logaddexp(0.0, -t)),
}

CHANCES = {
    "random": lambda t: 1.0,
    "close": lambda t: 2.0 / (1.0 + math.exp(abs(t))),
    "correct": lambda t: 1.0 - 2.0 / (1.0 + math.exp(max(0.0, 1.0 - t))),
}


def differences(X, upper, lower, threshold=False):
    """Pairs as rows; points have an entry −1 in a last column, with a threshold."""
    rows = []
    for i, j in zip(upper, lower, strict=True):
        row = np.zeros(X.shape[1] + threshold)
        if i != NOBODY:
            row[: X.shape[1]] += X[i]
        if j != NOBODY:
            row[: X.shape[1]] -= X[j]
        if threshold and NOBODY in (i, j):
            row[-1] = -1.0 if j == NOBODY else 1.0
        rows.append(row)
    return np.array(rows)


def objective(rows, costs, w, loss):
    """½‖w‖² + Σ costs·loss(w·x)."""
    return 0.5 * w @ w + sum(c * LOSSES[loss](t) for c, t in zip(costs, rows @ w, strict=True))


def hardest(upper, lower, close, count, taken):
    """All pairs sorted by what makes them hard; as sets may differ among ties, their values."""
    values = [
        (abs(s - t) if close else s - t, i, len(upper) + j)
        for i, s in enumerate(upper)
        for j, t in enumerate(lower)
        if (i, len(upper) + j) not in taken
    ]
    return sorted(values)[:count]
