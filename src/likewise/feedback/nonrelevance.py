"""Feedback from non-relevant documents only: what they have in common is not what is sought.

Onoda, Murata & Yamada (2005) learn what the non-relevant documents have in common and show what
is just outside it: near them, as the search led there, yet not of their kind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.feedback.ranked import Ranked, weighed
from likewise.solvers.oneclass import plane, sphere

if TYPE_CHECKING:
    from likewise.feedback.situation import Situation

NU = 0.01
WEIGHT = 0.2  # of the one-class score beside the cosine with the query


def one_class(situation: Situation) -> Ranked:
    """f(x) = w·x − ρ of a one-class SVM of the non-relevant documents."""
    ids = situation.others
    found = plane(situation.learned_from.rows(ids), NU)
    return weighed(found.w, ids, found.alphas, threshold=found.rho)


def svdd(situation: Situation) -> Ranked:
    """Minus the squared distance from the centre of the sphere around them, and its radius."""
    ids = situation.others
    found = sphere(situation.learned_from.rows(ids), 1 / (NU * len(ids)))
    ranked = weighed(2 * found.center, ids, 2 * found.alphas)
    scores = np.asarray(ranked.all_scores(situation) - situation.squares, np.float64)
    return ranked._replace(scores=scores, threshold=found.square - found.radius**2)


def anchored(situation: Situation) -> Ranked:
    """The cosine with the query minus a share of the one-class score."""
    ids = situation.others
    found = plane(situation.learned_from.rows(ids), NU)
    w = -WEIGHT * found.w
    if situation.words is not None:
        w[situation.words.columns] += situation.words.weights
    return weighed(w, ids, -WEIGHT * found.alphas)
