"""Feedback from non-relevant documents only: move away from what they have in common.

Onoda, Murata & Yamada (2005) learn a one-class model of the non-relevant documents and show the
documents just outside it: near them, because the search led there, but not like them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.feedback.select import Ranked, weighed
from likewise.solvers.oneclass import plane, sphere

if TYPE_CHECKING:
    from likewise.feedback.select import Found
    from likewise.feedback.situation import Situation

NU = 0.01
WEIGHT = 0.2  # of the one-class score beside the cosine with the query
PSEUDO = 20  # unjudged documents used for pseudo-relevance feedback
EXPANSION = 0.5  # of their common direction beside the words
AWAY = 0.05  # of what the judged documents have in common, beside the words in all views
JUDGED = 0.5  # of a judged document in that direction, beside an unjudged one


def one_class(situation: Situation) -> Ranked:
    """f(x) = w·x − ρ of a one-class SVM of the non-relevant documents."""
    ids = situation.others
    found = plane(situation.learned_from.rows(ids), NU)
    arrays = situation.corpus.arrays
    return weighed(arrays, found.w, ids, found.alphas, threshold=found.rho)


def svdd(situation: Situation) -> Ranked:
    """The negative squared distance from the centre of the sphere around them, and its radius."""
    ids = situation.others
    found = sphere(situation.learned_from.rows(ids), 1 / (NU * len(ids)))
    ranked = weighed(situation.corpus.arrays, 2 * found.center, ids, 2 * found.alphas)
    scores = ranked.all_scores(situation) - situation.squares
    return ranked._replace(scores=scores, threshold=found.square - found.radius**2)


def anchored(situation: Situation) -> Ranked:
    """The cosine with the query minus a share of the one-class score."""
    ids = situation.others
    found = plane(situation.learned_from.rows(ids), NU)
    w = -WEIGHT * found.w
    if situation.words is not None:
        w[situation.words.columns] += situation.words.weights
    return weighed(situation.corpus.arrays, w, ids, -WEIGHT * found.alphas)


def expanded(situation: Situation) -> Ranked:
    """As `anchored`, with terms added from the documents nearest to the words.

    Few documents contain the words themselves, and judging uses them up. So the best unjudged
    documents by cosine and, at half their weight, the judged ones, each times its cosine cubed,
    make a second query of length ½ (pseudo-relevance feedback). The one-class score moves it away
    from what only the non-relevant documents have in common.
    """
    if situation.words is None:
        return one_class(situation)
    others, corpus = situation.others, situation.learned_from
    found = plane(corpus.rows(others), NU)
    near = np.array([n for n, _ in _nearest(situation)], np.int64)
    ids = np.concatenate([near, others])
    shares = corpus.exact(ids, situation.words) ** 3
    shares[len(near) :] *= JUDGED
    direction = corpus.rows(ids).weighted_sum(shares)
    length = float(np.sqrt(np.einsum("i,i", direction, direction)))
    scale = EXPANSION / length if length else 0.0
    w = scale * direction - WEIGHT * found.w
    w[situation.words.columns] += situation.words.weights
    weights = scale * shares
    weights[len(near) :] -= WEIGHT * found.alphas
    return weighed(corpus.arrays, w, ids, weights)


def away(situation: Situation) -> Ranked:
    """The words in all views, minus a little of the mean of the non-relevant documents.

    Views find documents that lack the words, so that the query need not move to find others. It
    stays where it is, but for a twentieth of its length: more helps where a topic is broad and
    leads astray where the wanted documents are worded like the rejected ones.
    """
    if situation.words is None:
        return one_class(situation)
    others, corpus = situation.others, situation.learned_from
    rows = corpus.rows(others)
    mean = rows.weighted_sum(np.full(len(others), 1 / len(others)))
    length = float(np.sqrt(np.einsum("i,i", mean, mean) * situation.length))
    share = AWAY / length if length else 0.0
    w = -share * mean
    w[situation.words.columns] += situation.words.weights
    return weighed(corpus.arrays, w, others, np.full(len(others), -share / len(others)))


def _nearest(situation: Situation) -> Found:
    """The best unjudged documents by the words alone."""
    if situation.words is None or not situation.unjudged.any():
        return []
    return situation.corpus.top(situation.words, PSEUDO, situation.unjudged, positive=True)
