"""From what was learned to the documents shown: ways to select them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise.solvers.dual import gram
from likewise.solvers.solution import Solution
from likewise.solvers.stopping import UNMEASURED

if TYPE_CHECKING:
    from collections.abc import Callable

    from likewise.corpus import Arrays, Floats, Ids, Judged, Mask, Vector
    from likewise.feedback.situation import Situation

Found = list[tuple[int, float]]
COPY = 0.95  # the cosine from which a document is a copy of another
LOOKED = 200  # documents that are looked through for copies
EDGE = 1e-5  # of the scores' scale: what is as near as this to the boundary is on it


class Ranked(NamedTuple):
    """The result of a method: a query, made on use, all documents' scores, or both."""

    query: Callable[[], Solution] | None = None
    scores: Vector | None = None
    threshold: float = 0.0
    """The score at the decision boundary."""
    learner: Judged | None = None
    """Holds all documents' scores, until it learns more."""

    def all_scores(self, situation: Situation) -> Vector:
        if self.learner is not None:
            return situation.corpus.arrays.vector(self.learner.scores)
        if self.scores is not None:
            return self.scores
        if self.query is None:
            return situation.corpus.arrays.vector(np.zeros(situation.documents))
        return situation.corpus.scores(self.query().w)


def weighed(
    arrays: Arrays, w: Floats, ids: Ids, weights: Floats, *, threshold: float = 0.0
) -> Ranked:
    """A query vector without an objective, and the documents that it is a weighted sum of."""
    solution = Solution(arrays, arrays.vector(w), weights, UNMEASURED, ids=ids)
    return Ranked(lambda: solution, threshold=threshold)


def best(ranked: Ranked, situation: Situation, n: int, keep: Mask) -> Found:
    """The highest scores."""
    if ranked.learner is not None:
        return ranked.learner.best(n, keep)
    if ranked.scores is None and ranked.query is not None:
        return situation.corpus.top(ranked.query().w, n, keep)
    scores = ranked.all_scores(situation)
    return _highest(situation.corpus.arrays, scores, n, keep)


def fresh(ranked: Ranked, situation: Situation, n: int, keep: Mask) -> Found:
    """The highest scores, but copies of documents judged non-relevant come last.

    Copies are looked for among the first 200.
    """
    wanted = n
    while True:
        found = best(ranked, situation, wanted, keep)
        copies = _copies(situation, [number for number, _ in found[:LOOKED]])
        if np.count_nonzero(~copies) >= n or len(found) < wanted or wanted >= LOOKED:
            break
        wanted *= 2
    last = np.zeros(len(found), np.bool_)
    last[: len(copies)] = copies
    return [found[place] for place in np.argsort(last, kind="stable")[:n]]


def _copies(situation: Situation, numbers: list[int]) -> Mask:
    """Which documents are copies of one judged non-relevant."""
    others, count = situation.others, len(numbers)
    ids = np.concatenate([np.array(numbers, np.int64), others])
    products = gram(situation.learned_from.rows(ids))
    lengths = np.sqrt(products.diagonal())
    least = COPY * np.outer(lengths[:count], lengths[count:])
    alike = (products[:count, count:] >= least) & (least > 0)
    return np.asarray(alike.any(axis=1))


def above(ranked: Ranked, situation: Situation, n: int, keep: Mask) -> Found:
    """Those nearest to the boundary, first above it, then on it or below."""
    return _nearest(ranked, situation, n, keep, upper=True)


def below(ranked: Ranked, situation: Situation, n: int, keep: Mask) -> Found:
    """Those nearest to the boundary, first below it, then on it or above."""
    return _nearest(ranked, situation, n, keep, upper=False)


def _nearest(ranked: Ranked, situation: Situation, n: int, keep: Mask, *, upper: bool) -> Found:
    arrays, scores = situation.corpus.arrays, ranked.all_scores(situation)
    distance = scores - ranked.threshold
    edge = EDGE * max(abs(ranked.threshold), 1.0)
    first = arrays.host(distance > edge if upper else distance < -edge)
    near = [
        _highest(arrays, -arrays.xp.abs(distance), n, keep & side)
        for side in (first, ~first)
        if side.any()
    ]
    numbers = np.array([number for found in near for number, _ in found][:n], np.int64)
    return list(zip(numbers.tolist(), _some(arrays, scores, numbers).tolist(), strict=True))


def _highest(arrays: Arrays, values: Vector, n: int, keep: Mask) -> Found:
    """The n highest values of those in `keep`, ties by document number."""
    found = arrays.best(values, n, keep)
    there = _some(arrays, values, found)
    order = np.argsort(-there, kind="stable")[:n]
    return list(zip(found[order].tolist(), there[order].tolist(), strict=True))


def _some(arrays: Arrays, values: Vector, ids: Ids) -> Floats:
    return arrays.host(arrays.take(values, ids))
