"""Losses: functions of the documents' scores s, never of their vectors.

All but the squared hinge are maxima over cuts, R(s) = max (offset + Σ steps[i]·s[i] over the cut's
members), and never below 0. A cut says which documents count: an example that scores too low, an
unlabeled document that scores too high. steps[i] is ∂R/∂s[i] while document i counts: negative
for an example, positive for an unlabeled document, 0 for one that takes no part.

Exactly at the margin a document does not count. Of equally scored documents the one with the
lower number counts first; of equally bad contingency tables the one with the fewest examples.
"""

from likewise.losses.cuts import Both, Cut, Floats, Loss
from likewise.losses.hinges import Hinge, SquaredHinge
from likewise.losses.measures import F1, Measure, PrecisionAt, PrecisionRecall, RecallAt

__all__ = [
    "F1",
    "Both",
    "Cut",
    "Floats",
    "Hinge",
    "Loss",
    "Measure",
    "PrecisionAt",
    "PrecisionRecall",
    "RecallAt",
    "SquaredHinge",
]
