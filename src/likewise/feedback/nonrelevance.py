"""Feedback from non-relevant documents only: what they have in common is not what is sought.

Onoda, Murata & Yamada (2005) learn what the non-relevant documents have in common and show what
is just outside it: near them, as the search led there, yet not of their kind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.feedback.ranked import Ranked
from likewise.solvers.oneclass import plane, sphere
from likewise.solvers.solution import Solution
from likewise.solvers.stopping import Progress

if TYPE_CHECKING:
    from likewise.feedback.situation import Numbers, Situation
    from likewise.losses import Floats
    from likewise.solvers.oneclass import Plane

NU = 0.01
WEIGHT = 0.2  # of the one-class score beside the cosine with the query


def one_class(situation: Situation) -> Ranked:
    """f(x) = w·x − ρ of a one-class SVM of the non-relevant documents."""
    found, ids = _plane(situation)
    return Ranked(_solution(found.w, ids, found.alphas), threshold=found.rho)


def svdd(situation: Situation) -> Ranked:
    """Minus the squared distance from the centre of the sphere around them, and its radius."""
    ids = situation.others
    found = sphere(situation.learned_from.rows(ids), max(1 / (NU * len(ids)), 1 / len(ids)))
    solution = _solution(2 * found.center, ids, 2 * found.alphas)
    scores = situation.corpus.scores(solution.w) - situation.squares
    return Ranked(solution, np.asarray(scores, np.float64), found.square - found.radius**2)


def anchored(situation: Situation) -> Ranked:
    """The cosine with the query minus a share of the one-class score."""
    found, ids = _plane(situation)
    w = -WEIGHT * found.w
    if situation.words is not None:
        w[situation.words.columns] += situation.words.weights
    return Ranked(_solution(w, ids, -WEIGHT * found.alphas))


def _plane(situation: Situation) -> tuple[Plane, Numbers]:
    ids = situation.others
    return plane(situation.learned_from.rows(ids), NU), ids


def _solution(w: Floats, ids: Numbers, weights: Floats) -> Solution:
    nothing = float("nan")
    used = weights != 0.0
    return Solution(w, ids[used], weights[used], Progress(1, 1, nothing, nothing, nothing))
