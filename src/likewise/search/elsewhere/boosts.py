"""The terms of a query that count most, with boosts for an engine that ranks by BM25.

A document's score here is Σ w·col·f(tf)/length; with BM25 it is Σ boost·idf·g(tf, length). So
boost = w·col/idf, by the frequencies of this index. Boosts must not be negative in most engines:
a term that counts against a document becomes a bonus for those that lack it, of what it takes
from those that have it, on average; the order is that of subtracting it.

Terms are chosen by |w|·√(their amount in the best documents): of those with the largest weights,
the ones that documents have. In trials this kept more of the ranking than the largest weights alone
or the largest contributions, and fitting boosts to the scores kept less.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise.corpus import SparseVector
from likewise.search.bound import LearnedQuery, bind
from likewise.views import EMBEDDINGS, TITLES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likewise.search.generation import Generation
    from likewise.search.query import Query, Weight

    Floats = NDArray[np.float64]

BEST = 500  # documents whose terms are looked at
DEPTHS = (10, 100)  # at which rankings are compared
K1, B = 1.2, 0.75  # of BM25, as in Lucene


class Boost(NamedTuple):
    """A term, as a whole word, its weight in the query, and its boost for BM25.

    A negative boost is −1 times what documents without the term get.
    """

    term: str
    word: str
    weight: float
    boost: float


class Chosen(NamedTuple):
    """`kept` is the share of the first 10 and 100 documents that these terms keep."""

    boosts: tuple[Boost, ...]
    kept: dict[int, float]
    notes: tuple[str, ...]


def portable(query: Query | LearnedQuery) -> Query:
    return query.portable if isinstance(query, LearnedQuery) else query


def unbound(query: Query | LearnedQuery, count: int) -> Chosen:
    """The heaviest terms without an index: stems, with their weights as boosts."""
    saved = portable(query)
    heaviest = sorted(saved.in_words, key=lambda one: -abs(one.weight))[:count]
    boosts = tuple(Boost(one.term, one.term, one.weight, one.weight) for one in heaviest)
    said = "no index was given: terms are stems, boosts are plain weights, and what they keep of "
    return Chosen(boosts, {}, (f"{said}the ranking is not known", *left_out(saved)))


def left_out(query: Query) -> list[str]:
    """What no term can say."""
    parts = {EMBEDDINGS: query.embeddings, TITLES: query.titles}
    names = [name for name, part in parts.items() if part is not None]
    if not names:
        return []
    return [f"the query's part of {' and '.join(names)} cannot be written as terms: left out"]


class Bm25:
    """What terms add to the documents' scores in an engine that ranks by BM25."""

    def __init__(self, generation: Generation) -> None:
        self._raw = generation.words("raw")
        self.documents = len(generation)
        ones = self._raw.arrays.vector(np.ones(self._raw.shape[1]))
        lengths = np.asarray(self._raw.arrays.host(self._raw.scores(ones)), np.float64)
        self._norm = K1 * (1 - B + B * lengths / (lengths.mean() or 1.0))

    def counts(self, number: int) -> Floats:
        """How often each document has a term."""
        alone = SparseVector(np.array([number], np.int32), np.ones(1))
        found: Floats = np.asarray(self._raw.arrays.host(self._raw.scores(alone)), np.float64)
        return found

    def idf(self, documents: int) -> float:
        return float(np.log1p((self.documents - documents + 0.5) / (documents + 0.5)))

    def parts(self, counts: Floats) -> Floats:
        """A term's scores with a boost of 1."""
        idf = self.idf(int(np.count_nonzero(counts)))
        return idf * counts / (counts + self._norm)


def choose(generation: Generation, query: Query | LearnedQuery, count: int) -> Chosen:
    """The `count` terms that say most, as words with boosts, and what they keep of the ranking."""
    saved = portable(query)
    weights, numbers = _known(generation, saved.in_words)
    ours = ranking(generation, query, BEST)
    rows = generation.words(saved.weighting).rows(np.array(ours, np.int64))
    amounts = np.bincount(rows.columns, rows.values, rows.shape[1])[numbers]
    size = np.abs([one.weight for one in weights]) * np.sqrt(amounts)
    order = np.argsort(-size, kind="stable")[:count]
    scoring, col = Bm25(generation), generation.words(saved.weighting).term_factors
    found, scores = [], np.zeros(len(generation))
    words = generation.surface([weights[i].term for i in order])
    for i in order.tolist():
        one, counts = weights[i], scoring.counts(int(numbers[i]))
        parts = scoring.parts(counts)
        boost = one.weight * float(col[numbers[i]]) / (scoring.idf(int((counts > 0).sum())) or 1.0)
        if boost < 0:
            boost *= float(parts[counts > 0].mean())
            scores += boost * (counts > 0)
        else:
            scores += boost * parts
        if boost:
            found.append(Boost(one.term, words[one.term], one.weight, boost))
    kept = _agreement(generation, query, ours, scores)
    return Chosen(tuple(found), kept, tuple(left_out(saved)))


def _known(
    generation: Generation, weights: Sequence[Weight]
) -> tuple[list[Weight], NDArray[np.int64]]:
    """The terms that the index has, and their numbers."""
    numbers = generation.snapshot.term_numbers([one.term for one in weights])
    there = [one for one, number in zip(weights, numbers, strict=True) if number >= 0]
    return there, numbers[numbers >= 0]


def ranking(generation: Generation, query: Query | LearnedQuery, count: int) -> list[int]:
    """The best documents by the query itself, in all its views."""
    bound = bind(query, generation)
    corpus = generation.stacked(query.weighting, bound.factors)
    return [number for number, _ in corpus.top(bound.vector, count, _free(generation, query))]


def _free(generation: Generation, query: Query | LearnedQuery) -> NDArray[np.bool_]:
    """Which documents were not judged."""
    numbers = generation.snapshot.numbers(list(query.exclude))
    free = np.ones(len(generation), np.bool_)
    free[numbers[numbers >= 0]] = False
    return free


def _agreement(
    generation: Generation, query: Query | LearnedQuery, ours: Sequence[int], scores: Floats
) -> dict[int, float]:
    scores = np.where(_free(generation, query), scores, -np.inf)
    theirs = np.argsort(-scores, kind="stable")
    return {
        depth: len(set(ours[:depth]) & set(theirs[:depth].tolist())) / min(depth, len(ours))
        for depth in DEPTHS
        if ours
    }
