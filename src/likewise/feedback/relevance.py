"""Feedback once a relevant document is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.feedback.select import Ranked, weighed
from likewise.search.methods import METHODS, Options
from likewise.solvers.blocks import Blocks

if TYPE_CHECKING:
    from collections.abc import Callable

    from likewise.feedback.situation import Situation

ALPHA, BETA = 1.0, 0.5  # of Rocchio's feedback formula


def plain(situation: Situation) -> Ranked:
    """The words or, without any, the mean of the examples; without either, a random order."""
    arrays = situation.corpus.arrays
    liked = np.array([n for n, like in situation.given.items() if like], np.int64)
    if situation.words is not None:
        w = np.zeros(situation.corpus.shape[1])
        w[situation.words.columns] = situation.words.weights
        return weighed(arrays, w, liked, np.zeros(len(liked)))
    if len(liked):
        shares = np.full(len(liked), 1 / len(liked))
        mean = situation.learned_from.rows(liked).weighted_sum(shares)
        return weighed(arrays, mean, liked, shares)
    order = np.random.default_rng(situation.seed).permutation(situation.documents)
    return Ranked(scores=arrays.vector(-order))


def rocchio(situation: Situation) -> Ranked:
    """Q + α·Σ relevant − β·Σ non-relevant (Rocchio, 1971)."""
    relevant, others = situation.relevant, situation.others
    ids = np.concatenate([relevant, others])
    weights = np.repeat([ALPHA, -BETA], [len(relevant), len(others)])
    w = situation.learned_from.rows(ids).weighted_sum(weights)
    if situation.words is not None:
        w[situation.words.columns] += situation.words.weights
    return weighed(situation.corpus.arrays, w, ids, weights)


def named(name: str) -> Callable[[Situation], Ranked]:
    """A method of search by example, with judged documents as examples and the rest unlabeled."""

    def rank(situation: Situation) -> Ranked:
        unlabeled = np.flatnonzero(situation.unjudged)
        if METHODS[name].online:
            unlabeled = unlabeled[:0]
        blocks = Blocks(situation.relevant, unlabeled, situation.others)
        solution = METHODS[name].solve(situation.learned_from, blocks, Options(), None)
        return Ranked(lambda: solution, threshold=-solution.bias)

    return rank
