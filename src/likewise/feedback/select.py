"""From what was learned to the documents shown: three ways to choose, each a value."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise.solvers.solution import Solution
from likewise.solvers.stopping import Progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from likewise.corpus import Ids, Mask
    from likewise.feedback.situation import Situation

    Floats = NDArray[np.float64]

Found = list[tuple[int, float]]
_NOTHING = float("nan")
UNMEASURED = Progress(1, 1, _NOTHING, _NOTHING, _NOTHING)  # nothing was minimised


class Ranked(NamedTuple):
    """What a method learned: a query, made when it is asked for, all documents' scores, or both."""

    query: Callable[[], Solution] | None = None
    scores: Floats | None = None
    threshold: float = 0.0
    """The score at the boundary between what is like the judged and what is not."""

    def all_scores(self, situation: Situation) -> Floats:
        if self.scores is not None:
            return self.scores
        if self.query is None:
            return np.zeros(situation.documents)
        return np.asarray(situation.corpus.scores(self.query().w), np.float64)


def weighed(w: Floats, ids: Ids, weights: Floats, *, threshold: float = 0.0) -> Ranked:
    """A query vector and the documents that it was made of, with no objective behind it."""
    used = weights != 0.0
    solution = Solution(w, ids[used], weights[used], UNMEASURED)
    return Ranked(lambda: solution, threshold=threshold)


def best(ranked: Ranked, situation: Situation, n: int, keep: Mask) -> Found:
    """The highest scores."""
    if ranked.scores is None and ranked.query is not None:
        return situation.corpus.top(ranked.query().w, n, keep)
    return _lowest(-ranked.all_scores(situation), n, keep, -1.0)


def above(ranked: Ranked, situation: Situation, n: int, keep: Mask) -> Found:
    """Nearest the boundary on its upper side, then on its lower."""
    return _nearest(ranked, situation, n, keep, upper=True)


def below(ranked: Ranked, situation: Situation, n: int, keep: Mask) -> Found:
    """Nearest the boundary on its lower side, then on its upper."""
    return _nearest(ranked, situation, n, keep, upper=False)


def _nearest(ranked: Ranked, situation: Situation, n: int, keep: Mask, *, upper: bool) -> Found:
    scores = ranked.all_scores(situation)
    distance = scores - ranked.threshold
    first = (distance > 0.0) == upper
    near = [
        _lowest(np.abs(distance), n, keep & side, 1.0) for side in (first, ~first) if side.any()
    ]
    numbers = [number for found in near for number, _ in found][:n]
    return [(number, float(scores[number])) for number in numbers]


def _lowest(values: Floats, n: int, keep: Mask, sign: float) -> Found:
    """The n lowest of those kept, ties by document number, each times the sign."""
    kept = np.flatnonzero(keep)
    among = values[kept]
    if len(kept) > n:
        limit = among.min() if n == 1 else np.partition(among, n - 1)[n - 1]
        kept = kept[among <= limit]
    order = kept[np.argsort(values[kept], kind="stable")][:n]
    return list(zip(order.tolist(), (sign * values[order]).tolist(), strict=True))
