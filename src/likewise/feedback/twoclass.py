"""A two-class SVM of the judged documents, learned anew from where it was after each judgement.

min ½‖w‖² + ½b² + Σ c_i·max(0, 1 − y_i(w·x_i + b))² with c for each relevant document and, for all
non-relevant ones together, a share of what the relevant ones have in all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.feedback.ranked import Ranked
from likewise.losses import SquaredHinge
from likewise.solvers.descent import descend
from likewise.solvers.stopping import first_of, gap_below, iterations

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likewise.feedback.situation import Situation

PER_RELEVANT = 0.3
SHARE = 0.3  # of the relevant documents' total, for all the non-relevant together
CONVERGED = first_of(iterations(1000), gap_below(1e-2))


def two_class(situation: Situation) -> Ranked:
    relevant, others = situation.relevant, situation.others
    ids = np.concatenate([relevant, others])
    signs = np.repeat([1.0, -1.0], [len(relevant), len(others)])
    loss = SquaredHinge(costs(len(relevant), len(others)), signs)
    solution = descend(situation.learned_from.take(ids), loss, 1.0, CONVERGED, bias=True)
    placed = solution.__class__(
        solution.w, ids[solution.support], solution.alphas, solution.progress, solution.bias
    )
    return Ranked(placed, threshold=-solution.bias)


def costs(relevant: int, others: int) -> NDArray[np.float64]:
    """What a unit of squared slack costs, the relevant documents' first."""
    each = PER_RELEVANT * SHARE * relevant / max(others, 1)
    return np.repeat([PER_RELEVANT, each], [relevant, others])
