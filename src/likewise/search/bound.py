"""Queries as vectors over one generation: learned on it, or saved and bound to it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from likewise.corpus import SparseVector
from likewise.errors import UsageError
from likewise.search.found import Hits
from likewise.search.query import (
    FORMAT,
    EmbeddingPart,
    LatentPart,
    Learned,
    Query,
    Support,
    TitlesPart,
    Weight,
    described,
)
from likewise.views import EMBEDDINGS, LATENT, ONLY_WORDS, TITLES, WORDS
from likewise.views.latent import WEIGHTING
from likewise.views.models import Source

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likewise.search.elsewhere import Exported
    from likewise.search.examples import Gathered
    from likewise.search.generation import Generation
    from likewise.search.typed import TargetName
    from likewise.solvers.solution import Solution

    Floats = NDArray[np.float64]

MOST_SUPPORT = 100  # support documents in a saved query
MOST_TERMS = 2000  # terms for the latent part of a saved query


@dataclass(frozen=True, eq=False, repr=False)
class LearnedQuery:
    """A query as a vector over the generation it was learned on; `portable` is its saved form."""

    generation: Generation
    solution: Solution
    gathered: Gathered
    weighting: str
    learned: Learned

    @cached_property
    def vector(self) -> SparseVector:
        """Over all views side by side, words first."""
        return self.solution.sparse

    @property
    def views(self) -> Mapping[str, float]:
        return self.learned.views or ONLY_WORDS

    @property
    def exclude(self) -> list[str]:
        """Ids of the judged documents, which results leave out."""
        return self.gathered.ids

    def part(self, name: str) -> SparseVector:
        """The query's vector in one of its views."""
        return self.generation.columns(self.views).part(self.vector, name)

    @cached_property
    def portable(self) -> Query:
        words = self.part(WORDS)
        return Query(
            tuple(self._names(words)),
            tuple(words.weights.tolist()),
            self.weighting,
            self.learned,
            self._support(),
            tuple(self.gathered.ids),
            self._latent(),
            self._embeddings(),
            self._titles(),
            1 if len(self.views) == 1 else FORMAT,
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write its saved form, which Query.load reads."""
        self.portable.save(path)

    def export(self, to: TargetName, **options: Any) -> Exported:
        """Write the query for another engine or database; options as of Index.export_query."""
        from likewise.search.elsewhere import export_query

        return export_query(self, to, self.generation, **options)

    def __repr__(self) -> str:
        up, down = self.heaviest(3)
        return described(self.learned, [*up, *down], len(self.part(WORDS).columns))

    def _repr_html_(self) -> str:
        from likewise.search.html import TERMS, query

        sides = self.heaviest(TERMS)
        words: dict[str, str] = {}
        if self.generation.holds_text:
            words = self.generation.surface(one.term for side in sides for one in side)
        return query(self.learned, sides, words, len(self.part(WORDS).columns))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled in its saved form: a Query, which finds the same in its index."""
        return cast("tuple[Any, ...]", self.portable.__reduce__())

    def heaviest(self, count: int = 10) -> tuple[list[Weight], list[Weight]]:
        """The terms with the highest and with the lowest weights; looks up only their names."""
        columns, weights = self.part(WORDS)
        order = np.argsort(-np.abs(weights), kind="stable")
        sides = [order[weights[order] > 0][:count], order[weights[order] < 0][:count]]
        up, down = (
            list(
                map(
                    Weight,
                    self._names(SparseVector(columns[side], weights[side])),
                    weights[side].tolist(),
                )
            )
            for side in sides
        )
        return up, down

    def _names(self, words: SparseVector) -> list[str]:
        return self.generation.snapshot.term_names(words.columns.tolist())

    def _latent(self) -> LatentPart | None:
        model = self.generation.snapshot.latent
        if LATENT not in self.views or model is None:
            return None
        vector = _dense(self.part(LATENT), model.dimensions)
        stretch = self.generation.stretch
        col = self.generation.words(WEIGHTING.name).term_factors
        words = _heaviest(model.in_words(vector, col, stretch), MOST_TERMS)
        return LatentPart(
            model.id,
            self.views[LATENT],
            tuple(vector.tolist()),
            tuple(self._names(words)),
            tuple(words.weights.tolist()),
            stretch,
        )

    def _embeddings(self) -> EmbeddingPart | None:
        if EMBEDDINGS not in self.views:
            return None
        view = self.generation.snapshot.manifest.views[EMBEDDINGS]
        vector = _dense(self.part(EMBEDDINGS), view.dimensions)
        factor = self.views[EMBEDDINGS]
        return EmbeddingPart(view.source, factor, tuple(vector.tolist()), view.probe)

    def _titles(self) -> TitlesPart | None:
        if TITLES not in self.views:
            return None
        columns, weights = self.part(TITLES)
        factor = self.views[TITLES]
        return TitlesPart(factor, tuple(columns.tolist()), tuple(weights.tolist()))

    def _support(self) -> tuple[Support, ...]:
        """The documents with the largest weights."""
        judged = np.concatenate([self.gathered.liked, self.gathered.disliked]).tolist()
        ids = dict(zip(judged, self.gathered.ids, strict=True))
        alphas = self.solution.alphas
        order = np.argsort(-np.abs(alphas), kind="stable")[:MOST_SUPPORT]
        numbers = self.solution.support[order].tolist()
        others = [n for n in numbers if n not in ids]
        ids.update(zip(others, self.generation.snapshot.ids(others), strict=True))
        return tuple(map(Support, map(ids.__getitem__, numbers), alphas[order].tolist()))


class Bound(NamedTuple):
    """A vector over a stack of views; `known` is the share of weight on terms of this index."""

    vector: SparseVector
    factors: Mapping[str, float]
    known: float = 1.0
    notes: tuple[str, ...] = ()


def bind(query: Query | LearnedQuery, generation: Generation) -> Bound:
    if isinstance(query, LearnedQuery):
        if query.generation.snapshot is generation.snapshot:
            return Bound(query.vector, query.views)
        query = query.portable
    return _Binding(query, generation).bound()


class _Binding:
    """Collects the parts of a saved query that can be used in an index."""

    def __init__(self, query: Query, generation: Generation) -> None:
        if problem := query.problem():
            raise UsageError(f"the query cannot be used, {problem}: learn it again")
        self._query, self._generation = query, generation
        self._snapshot = generation.snapshot
        self._words = query.bind(self._snapshot)
        self._parts: dict[str, tuple[float, SparseVector]] = {}
        self._notes: list[str] = []

    def bound(self) -> Bound:
        self._titles()
        self._latent()
        self._embeddings()
        factors = {WORDS: 1.0} | {name: factor for name, (factor, _) in self._parts.items()}
        vectors = {name: vector for name, (_, vector) in self._parts.items()}
        whole = self._generation.columns(factors).joined({WORDS: self._words, **vectors})
        known = self._query.known(self._snapshot)
        return Bound(whole, factors, known, tuple(self._notes))

    def _titles(self) -> None:
        part = self._query.titles
        if part is None:
            return
        if TITLES in self._snapshot.manifest.sparse:
            columns = np.array(part.columns, np.int32)
            self._parts[TITLES] = part.factor, SparseVector(columns, np.array(part.weights))
        else:
            self._notes.append(
                "the query's parts of titles are left out: this index has no view of titles"
            )

    def _latent(self) -> None:
        part = self._query.latent
        if part is None:
            return
        model = self._snapshot.latent
        if model is not None and model.id == part.space:
            if len(part.vector) != model.dimensions:
                raise UsageError(
                    f"the query's latent part has {len(part.vector)} numbers, the latent space "
                    f"that it names has {model.dimensions}: learn the query again"
                )
            self._parts[LATENT] = part.factor, _all_columns(np.array(part.vector))
            return
        numbers = self._snapshot.term_numbers(part.terms)
        known = numbers >= 0
        columns, weights = numbers[known], np.array(part.weights)[known]
        if model is not None:
            col = self._generation.words(WEIGHTING.name).term_factors
            vector = model.nearest(columns, weights / part.stretch, col)
            self._parts[LATENT] = part.factor, _all_columns(vector)
            self._notes.append(
                "the query's latent part was fitted to the latent space of this index"
            )
            return
        order = np.argsort(columns)
        self._words = _sum(
            self._words,
            SparseVector(columns[order].astype(np.int32), part.factor * weights[order]),
        )
        self._notes.append(
            "this index has no latent space: the query's latent part was added to the words"
        )

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
            self._parts[EMBEDDINGS] = part.factor, _all_columns(np.array(part.vector))
        else:
            self._notes.append(
                f"the query's embeddings ({part.source}) are left out: this index has no "
                "embeddings of the same model or file"
            )


def _sum(a: SparseVector, b: SparseVector) -> SparseVector:
    columns, places = np.unique(np.concatenate([a.columns, b.columns]), return_inverse=True)
    weights = np.bincount(places, np.concatenate([a.weights, b.weights]), len(columns))
    return SparseVector(columns.astype(np.int32), weights.astype(np.float64))


def _dense(w: SparseVector, width: int) -> Floats:
    whole = np.zeros(width)
    whole[w.columns] = w.weights
    return whole


def _all_columns(vector: Floats) -> SparseVector:
    return SparseVector(np.arange(len(vector), dtype=np.int32), vector)


def _heaviest(words: SparseVector, count: int) -> SparseVector:
    """The largest weights of a query, columns ascending."""
    if len(words.columns) <= count:
        return words
    kept = np.sort(np.argsort(-np.abs(words.weights), kind="stable")[:count])
    return SparseVector(words.columns[kept], words.weights[kept])


def refuse_no_query(query: Any) -> None:
    if not isinstance(query, (Query, LearnedQuery)):
        raise UsageError(
            f"{what_it_is(query)} no learned query: give the result of learn or Query.load, or "
            "words, such as the .words of a search's hits"
        )


def what_it_is(given: Any) -> str:
    """The subject and the verb of a sentence on something that is no query."""
    if isinstance(given, Hits):
        return "hits have a .query, but are" if given.query is not None else "hits of words are"
    return "None is" if given is None else f"a {type(given).__name__} is"
