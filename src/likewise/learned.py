"""A query as it was learned: it knows its examples and can be explained, saved and run."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from likewise.carried import EmbeddingPart, LatentPart, as_words, heaviest
from likewise.corpora import EMBEDDINGS, LATENT, LATENT_WEIGHTING, ONLY_WORDS, WORDS
from likewise.query import FORMAT, Learned, Query, Support, Weight

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likewise.corpora import Corpora
    from likewise.corpus import SparseVector
    from likewise.examples import Gathered
    from likewise.solvers.solution import Solution
    from likewise.store.snapshot import Snapshot

MOST_SUPPORT = 100  # documents that a saved query names


@dataclass(frozen=True, eq=False)
class LearnedQuery:
    """A query in the numbers of the generation it was learned on; `portable` is for elsewhere."""

    snapshot: Snapshot
    solution: Solution
    gathered: Gathered
    weighting: str
    learned: Learned
    corpora: Corpora

    @cached_property
    def vector(self) -> SparseVector:
        """Over the views side by side, words first."""
        return self.solution.sparse

    @property
    def views(self) -> Mapping[str, float]:
        return self.learned.views or ONLY_WORDS

    @property
    def exclude(self) -> list[str]:
        """Ids of the judged documents, which results leave out."""
        return self.gathered.ids

    def part(self, name: str) -> NDArray[np.float64] | None:
        """The query's vector in one of its views."""
        first = 0
        for view in self.views:
            words = view == WORDS
            width = self.snapshot.terms if words else self.corpora.view(view).shape[1]
            if view == name:
                return np.asarray(self.solution.w[first : first + width], np.float64)
            first += width
        return None

    @cached_property
    def portable(self) -> Query:
        words = self.vector.columns < self.snapshot.terms
        return Query(
            tuple(self.snapshot.term_names(self.vector.columns[words].tolist())),
            tuple(self.vector.weights[words].tolist()),
            self.weighting,
            self.learned,
            self._support(),
            tuple(self.gathered.ids),
            self._latent(),
            self._embeddings(),
            1 if len(self.views) == 1 else FORMAT,
        )

    def heaviest(self, count: int = 10) -> tuple[list[Weight], list[Weight]]:
        """The terms that pull most upwards and most downwards, without naming the others."""
        words = self.vector.columns < self.snapshot.terms
        columns, weights = self.vector.columns[words], self.vector.weights[words]
        order = np.argsort(-np.abs(weights), kind="stable")
        sides = [order[weights[order] > 0][:count], order[weights[order] < 0][:count]]
        up, down = (
            list(map(Weight, self.snapshot.term_names(columns[side]), weights[side].tolist()))
            for side in sides
        )
        return up, down

    def _latent(self) -> LatentPart | None:
        vector, model = self.part(LATENT), self.snapshot.latent
        if vector is None or model is None:
            return None
        stretch = self.corpora.stretch
        col = self.corpora.words(LATENT_WEIGHTING).col
        words = heaviest(as_words(model, vector, col, stretch))
        return LatentPart(
            model.id,
            self.views[LATENT],
            tuple(vector.tolist()),
            tuple(self.snapshot.term_names(words.columns.tolist())),
            tuple(words.weights.tolist()),
            stretch,
        )

    def _embeddings(self) -> EmbeddingPart | None:
        vector = self.part(EMBEDDINGS)
        if vector is None:
            return None
        view = self.snapshot.manifest.views[EMBEDDINGS]
        factor = self.views[EMBEDDINGS]
        return EmbeddingPart(view.source, factor, tuple(vector.tolist()), view.probe)

    def _support(self) -> tuple[Support, ...]:
        """The documents of most weight."""
        judged = np.concatenate([self.gathered.liked, self.gathered.disliked]).tolist()
        ids = dict(zip(judged, self.gathered.ids, strict=True))
        alphas = self.solution.alphas
        order = np.argsort(-np.abs(alphas), kind="stable")[:MOST_SUPPORT]
        numbers = self.solution.support[order].tolist()
        return tuple(
            Support(ids[n] if n in ids else self.snapshot.ids([n])[0], float(a))
            for n, a in zip(numbers, alphas[order], strict=True)
        )
