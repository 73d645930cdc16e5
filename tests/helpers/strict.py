"""A test engine that speaks array-api-strict's arrays only: what learns from it assumes no NumPy.

It wraps a corpus of the memory engine. A vector of another kind is an error here, so that a
learner which slips back to NumPy on the way is found out.
"""

from __future__ import annotations

from typing import Any

import array_api_strict as xp
import numpy as np

from likewise.corpus import SparseVector
from likewise.engines.arrays import StandardArrays
from likewise.engines.memory import as_corpus

ARRAYS = StandardArrays(xp)
STRICT = type(xp.zeros(1))


class StrictCorpus:
    """Passes only: there is no access to rows."""

    arrays = ARRAYS
    speed = 1e8
    threads = 1
    has_rows = False

    def __init__(self, inner: Any) -> None:
        self._inner = as_corpus(inner)
        self.shape = self._inner.shape

    @property
    def squares(self) -> Any:
        return xp.asarray(self._inner.squares)

    @property
    def term_factors(self) -> np.ndarray:
        return self._inner.term_factors

    def scores(self, w: Any) -> Any:
        return xp.asarray(self._inner.scores(_taken(w)))

    def weighted_sum(self, a: Any) -> Any:
        return xp.asarray(self._inner.weighted_sum(_taken(a)))

    def fused(self, w: Any, weigh: Any, *along: Any) -> tuple[Any, Any]:
        """In two parts, so that `weigh` sees some of the documents at a time."""
        scores, half = self.scores(w), self.shape[0] // 2
        parts = [
            weigh(scores[part], *(vector[part] for vector in along))
            for part in (slice(0, half), slice(half, self.shape[0]))
        ]
        return scores, self.weighted_sum(xp.concat(parts))

    def rows(self, ids: np.ndarray) -> Any:
        return self._inner.rows(ids)

    def exact(self, ids: np.ndarray, w: Any) -> np.ndarray:
        return self._inner.exact(ids, _taken(w))

    def slack(self, w: Any) -> float:
        return self._inner.slack(_taken(w))

    def top(self, w: Any, k: int, keep: Any = None, *, positive: bool = False) -> Any:
        return self._inner.top(_taken(w), k, keep, positive=positive)

    def take(self, ids: np.ndarray) -> StrictCorpus:
        return StrictCorpus(self._inner.take(ids))

    def extended(self, rows: Any) -> StrictCorpus:
        return StrictCorpus(self._inner.extended(rows))

    def row_access(self, ids: np.ndarray) -> None:
        return None

    def judged(self) -> None:
        return None


class StrictCollection:
    def __init__(self, inner: Any) -> None:
        self._inner = inner

    @property
    def frequencies(self) -> np.ndarray:
        return self._inner.frequencies

    def folded(self, *_: object, **__: object) -> None:
        return None

    def corpus(self, weighting: Any, col: Any = None) -> StrictCorpus:
        return StrictCorpus(self._inner.corpus(weighting, col))

    def narrowed(self, ids: np.ndarray, terms: np.ndarray) -> StrictCollection:
        return StrictCollection(self._inner.narrowed(ids, terms))


class StrictEngine:
    def collection(self, stored: Any, width: int, threads: int) -> StrictCollection:
        from likewise.engines import engine_of

        return StrictCollection(engine_of("memory").collection(stored, width, threads))


ENGINE = StrictEngine()


def _taken(vector: Any) -> Any:
    """A vector as NumPy's, which the wrapped corpus takes; not if it was one before."""
    if isinstance(vector, SparseVector):
        return vector
    assert isinstance(vector, STRICT), f"{type(vector)} given to an engine of strict arrays"
    return np.from_dlpack(vector)
