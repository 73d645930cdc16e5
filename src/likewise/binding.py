"""A query in the numbers of one generation: its own, or one of another index or time."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise.carried import fitted
from likewise.corpora import EMBEDDINGS, LATENT, WORDS
from likewise.corpus import SparseVector
from likewise.encoder import Source
from likewise.learned import LearnedQuery

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likewise.corpora import Corpora
    from likewise.query import Query
    from likewise.store.snapshot import Snapshot

    Floats = NDArray[np.float64]


class Bound(NamedTuple):
    """A vector over a stack of views; `known` is how much of the query's weight counts here."""

    vector: SparseVector
    factors: Mapping[str, float]
    known: float = 1.0
    notes: tuple[str, ...] = ()


def bind(query: Query | LearnedQuery, snapshot: Snapshot, corpora: Corpora) -> Bound:
    if isinstance(query, LearnedQuery):
        if query.snapshot is snapshot:
            return Bound(query.vector, query.views)
        query = query.portable
    return _Binding(query, snapshot, corpora).bound()


class _Binding:
    """Collects the parts of a saved query that an index can make sense of."""

    def __init__(self, query: Query, snapshot: Snapshot, corpora: Corpora) -> None:
        self._query, self._snapshot, self._corpora = query, snapshot, corpora
        self._words = query.bind(snapshot)
        self._parts: dict[str, tuple[float, Floats]] = {}
        self._notes: list[str] = []

    def bound(self) -> Bound:
        self._latent()
        self._embeddings()
        columns, weights = [self._words.columns], [self._words.weights]
        first, factors = self._snapshot.terms, {WORDS: 1.0}
        for name, (factor, vector) in self._parts.items():
            columns.append(np.arange(first, first + len(vector), dtype=np.int32))
            weights.append(vector)
            factors[name] = factor
            first += len(vector)
        whole = SparseVector(np.concatenate(columns), np.concatenate(weights))
        known = self._query.known(self._snapshot)
        return Bound(whole, factors, known, tuple(self._notes))

    def _latent(self) -> None:
        part = self._query.latent
        if part is None:
            return
        model = self._snapshot.latent
        if model is not None and model.id == part.space:
            self._parts[LATENT] = part.factor, np.array(part.vector)
            return
        numbers = self._snapshot.term_numbers(part.terms)
        known = numbers >= 0
        columns, weights = numbers[known], np.array(part.weights)[known]
        if model is not None:
            col = self._corpora.words("tfidf").col
            vector = fitted(model, columns.tolist(), weights / part.stretch, col)
            self._parts[LATENT] = part.factor, vector
            self._notes.append("the query's latent part was fitted to the latent space here")
            return
        order = np.argsort(columns)
        self._words = _sum(
            self._words,
            SparseVector(columns[order].astype(np.int32), part.factor * weights[order]),
        )
        self._notes.append("there is no latent space here: that part of the query acts on words")

    def _embeddings(self) -> None:
        part = self._query.embeddings
        if part is None:
            return
        here = self._snapshot.manifest.views.get(EMBEDDINGS)
        learned_on = Source(part.source, probe=part.probe)
        if (
            here
            and here.dimensions == len(part.vector)
            and learned_on.is_like(Source(here.source, probe=here.probe))
        ):
            self._parts[EMBEDDINGS] = part.factor, np.array(part.vector)
        else:
            self._notes.append(
                f"the query's part of embeddings ({part.source}) is left out: there are none of "
                "that kind here"
            )


def _sum(a: SparseVector, b: SparseVector) -> SparseVector:
    columns, places = np.unique(np.concatenate([a.columns, b.columns]), return_inverse=True)
    weights = np.bincount(places, np.concatenate([a.weights, b.weights]), len(columns))
    return SparseVector(columns.astype(np.int32), weights.astype(np.float64))
