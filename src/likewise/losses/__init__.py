"""Losses: functions of the documents' scores s, never of their vectors.

They are made with the `arrays` of a corpus (corpus.py) and work on the device of its vectors.

Smooth losses (squares, logistic) have a gradient and a curvature. The others are maxima over cuts,
R = max (offset + Σ reach[i] over the cut's members) with reach[i] = steps[i]·s[i], and never below
0. The members of a cut are the documents with a loss: an example that scores too low, an unlabeled
document that scores too high. steps[i] is ∂R/∂s[i] while document i is a member: negative for an
example, positive for an unlabeled document, 0 for a document that is not in the problem.

A document exactly at the margin is not a member. Of documents with equal reach, the one with the
lower number is a member first; of equally bad contingency tables, the one with the fewest examples
is used.
"""

from likewise.losses.cuts import Both, Cut, Loss, Members
from likewise.losses.hinges import Hinge, Logistic, SquaredHinge
from likewise.losses.measures import F1, Measure, PrecisionAt, PrecisionRecall, RecallAt
from likewise.losses.pairs import PairHinge, PairSquaredHinge, Sides, Uppers
from likewise.losses.smooth import Bend, Separable, Smooth

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
    "Separable",
    "Sides",
    "Smooth",
    "SquaredHinge",
    "Uppers",
]
