"""Losses: functions of the documents' scores s, never of their vectors.

They are made with the `arrays` of a corpus (corpus.py) and work where its vectors lie.

Smooth ones (squares, logistic) have slopes and a curvature. The others are maxima over cuts,
R = max (offset + Σ reach[i] over the cut's members) with reach[i] = steps[i]·s[i], and never below
0. A cut says which documents count: an example that scores too low, an unlabeled document that
scores too high. steps[i] is ∂R/∂s[i] while document i counts: negative for an example, positive for
an unlabeled document, 0 for one that takes no part.

Exactly at the margin a document does not count. Of equally far-reaching documents the one with the
lower number counts first; of equally bad contingency tables the one with the fewest examples.
"""

from likewise.losses.cuts import Both, Cut, Loss, Members
from likewise.losses.hinges import Hinge, Logistic, SquaredHinge
from likewise.losses.measures import F1, Measure, PrecisionAt, PrecisionRecall, RecallAt
from likewise.losses.pairs import PairHinge, PairSquaredHinge, Sides
from likewise.losses.smooth import Bend, Smooth

__all__ = [
    "F1",
    "Bend",
    "Both",
    "Cut",
    "Hinge",
    "Logistic",
    "Loss",
    "Measure",
    "Members",
    "PairHinge",
    "PairSquaredHinge",
    "PrecisionAt",
    "PrecisionRecall",
    "RecallAt",
    "Sides",
    "Smooth",
    "SquaredHinge",
]
