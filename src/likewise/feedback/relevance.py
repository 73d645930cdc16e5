"""Feedback once a relevant document is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.feedback.ranked import Ranked
from likewise.named import METHODS, Options
from likewise.solvers.blocks import Blocks
from likewise.solvers.corpora import sum_rows
from likewise.solvers.solution import Solution
from likewise.solvers.stopping import Progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from likewise.feedback.situation import Situation

ALPHA, BETA = 1.0, 0.5  # of Rocchio's feedback formula


def rocchio(situation: Situation) -> Ranked:
    """Q + α·Σ relevant − β·Σ non-relevant (Rocchio, 1971)."""
    relevant, others = situation.relevant, situation.others
    ids = np.concatenate([relevant, others])
    weights = np.repeat([ALPHA, -BETA], [len(relevant), len(others)])
    w = sum_rows(situation.learned_from.rows(ids), weights)
    if situation.words is not None:
        w[situation.words.columns] += situation.words.weights
    nothing = float("nan")
    return Ranked(Solution(w, ids, weights, Progress(1, 1, nothing, nothing, nothing)))


def named(name: str) -> Callable[[Situation], Ranked]:
    """A method of query by example, which takes the judged and the unjudged as they are."""

    def rank(situation: Situation) -> Ranked:
        unlabeled = np.flatnonzero(situation.unjudged)
        if METHODS[name].online or not len(unlabeled):
            unlabeled = np.zeros(0, np.int64)
        blocks = Blocks(situation.relevant, unlabeled, situation.others)
        solution = METHODS[name].solve(situation.learned_from, blocks, Options(), None)
        return Ranked(solution, threshold=-solution.bias)

    return rank
