"""A latent space learned from an index' own words: documents about the same things are near.

z(d) = unit(f(tf)·F) − centre. F = col·V, with a row for each term, is what is learned. The length
of a row does not matter, so a document's vector depends only on its counts and the model: a
document that is added later is folded in to the same place. z is linear in the words except for one
factor per document, so a score by z is a sum over words:
w·z(d) = Σ_t [f(tf)/‖f(tf)·F‖]·(F·w)_t − w·centre.
"""

from __future__ import annotations

from functools import cached_property
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from xxhash import xxh3_64_hexdigest

from likewise.corpus import SparseVector
from likewise.engines.dense import mean_direction
from likewise.views.precision import DenseRows, packed
from likewise.views.svd import truncated_svd
from likewise.weighting import WEIGHTINGS, Weighting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from likewise.corpus import Collection, Ids, Vectors
    from likewise.views.precision import Precision

    Numbers = NDArray[np.uint32]

WEIGHTING = WEIGHTINGS["tfidf"]
TERMS_ONLY = Weighting("terms only", tf=WEIGHTING.tf, idf=False, norm="none")  # f(tf)
DIMENSIONS = 128  # 200 rank no better by example, and take half as much space again
SAMPLE = 40_000  # documents to learn from: more change almost nothing; bounds memory
MOST_TERMS = 16_384  # the most frequent ones; rarer terms occur together too seldom
MIN_DOCUMENTS = 3  # that must contain a term
BLOCK = 1 << 15  # documents folded in together
FEW = 100  # documents that have few of all terms
PRECISION: Precision = "int8"  # changes average precision by example by 0.02 % at most


class LatentModel(NamedTuple):
    """A vector for each term, and the centre; `terms` are numbers in the dictionary."""

    terms: Numbers
    basis: DenseRows
    centre: NDArray[np.float32]

    @property
    def dimensions(self) -> int:
        return int(self.basis.numbers.shape[1])

    @property
    def id(self) -> str:
        """Identifies the space."""
        return xxh3_64_hexdigest(np.ascontiguousarray(self.basis.numbers).data)

    def rows(self, terms: Ids) -> NDArray[np.float64]:
        """The vectors of some terms, which must all be in the model."""
        return self.basis.at(np.searchsorted(self.terms, terms)).astype(np.float64)

    def in_words(
        self, vector: NDArray[np.float64], col: NDArray[np.float64], stretch: float
    ) -> SparseVector:
        """The weights of words that a latent vector corresponds to: stretch·V·w."""
        along = self.basis.times(vector)
        used = col[self.terms]
        weights = np.divide(stretch * along, used, out=np.zeros_like(along), where=used > 0)
        return SparseVector(self.terms.astype(np.int32), weights)

    def nearest(
        self, columns: Ids, weights: NDArray[np.float64], col: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """The latent vector nearest to these weights of words."""
        known = np.flatnonzero(np.isin(columns, self.terms))
        if not len(known):
            return np.zeros(self.dimensions)
        target = weights[known] * col[columns[known]]
        solved = np.linalg.lstsq(self.rows(columns[known]), target, rcond=1e-6)[0]
        return np.asarray(solved, np.float64)


class Folding:
    """Computes the latent vectors of documents."""

    def __init__(self, model: LatentModel) -> None:
        self.model = model
        self._there: Vectors | None = None  # the basis and a row of zeros, where passes are made

    def __call__(self, collection: Collection, ids: Ids) -> NDArray[np.float32]:
        """The vectors of some documents; 0, the centre, for one without a known term."""
        found = self._by_engine(collection, ids, "float32")
        return self._placed(self._raw(collection, ids)) if found is None else found.at(slice(None))

    def _by_engine(
        self, collection: Collection, ids: Ids, precision: Precision
    ) -> DenseRows | None:
        found = collection.folded(ids, self.model, TERMS_ONLY, in_bytes=precision == "int8")
        return None if found is None else DenseRows(*found)

    def _placed(self, raw: NDArray[np.float32]) -> NDArray[np.float32]:
        lengths = _lengths(raw)
        found = lengths > 0
        raw *= (1 / np.where(found, lengths, 1)).astype(np.float32)[:, None]
        raw -= self.model.centre
        if not found.all():
            raw[~found] = 0
        return raw

    def blocks(
        self, collection: Collection, documents: int, precision: Precision
    ) -> Iterator[DenseRows]:
        """The vectors of all documents at a precision, in blocks."""
        for first in range(0, documents, BLOCK):
            ids = np.arange(first, min(first + BLOCK, documents))
            found = self._by_engine(collection, ids, precision)
            if found is None:
                yield from self._by_a_pass(collection, precision)
                return
            yield found

    def _by_a_pass(self, collection: Collection, precision: Precision) -> Iterator[DenseRows]:
        """The same where documents stay where they are: their vectors are made there."""
        terms = len(collection.frequencies)
        corpus = collection.corpus(TERMS_ONLY, np.ones(terms))
        arrays, xp = corpus.arrays, corpus.arrays.xp
        numbers = np.full(terms, len(self.model.terms))  # of a last row, which is 0
        here = self.model.terms[: np.searchsorted(self.model.terms, terms)]
        numbers[here] = np.arange(len(here))
        if self._there is None:
            nothing = np.zeros((1, self.model.dimensions), np.float32)
            self._there = xp.asarray(np.concatenate([self._basis, nothing]))
        raw = corpus.scores(xp.take(self._there, xp.asarray(numbers), axis=0))
        centre = xp.asarray(self.model.centre)
        for first in range(0, corpus.shape[0], BLOCK):
            some = raw[first : min(first + BLOCK, corpus.shape[0]), :]
            square = xp.sum(some * some, axis=1, dtype=xp.float64)
            found = square > 0.0
            scale = xp.astype(1.0 / xp.sqrt(xp.where(found, square, 1.0)), xp.float32)
            unit = some * scale[:, None] - centre
            yield packed(xp.where(found[:, None], unit, xp.zeros_like(unit)), precision, arrays)

    @cached_property
    def _basis(self) -> NDArray[np.float32]:
        return self.model.basis.at(slice(None))

    def _raw(self, collection: Collection, ids: Ids) -> NDArray[np.float32]:
        """f(tf)·F; of a few documents, only the rows of F that they need are looked at."""
        if len(ids) < FEW:
            terms, frequencies = self.model.terms, collection.frequencies
            here = terms[: np.searchsorted(terms, len(frequencies))]  # others came later
            used = np.flatnonzero(frequencies[here])
            terms, basis = terms[used], self.model.basis.at(used)
        else:
            terms, basis = self.model.terms, self._basis
        corpus = collection.narrowed(ids, terms).corpus(TERMS_ONLY, np.ones(len(terms)))
        arrays = corpus.arrays
        raw = arrays.host(corpus.scores(arrays.xp.asarray(basis))).astype(np.float32, copy=False)
        return raw if raw.flags.writeable else raw.copy()  # another engine's memory may not be


def learn(
    collection: Collection,
    documents: int,
    dimensions: int = DIMENSIONS,
    *,
    seed: int = 0,
    threads: int = 1,
    sample: int = SAMPLE,
    precision: Precision = PRECISION,
) -> LatentModel:
    """Learn from the documents of a collection of counts, or from a sample of them.

    The terms' vectors are rounded to a precision, so that documents that are folded in now and
    later have the same.
    """
    frequencies = collection.frequencies
    terms = _frequent(frequencies)
    col = WEIGHTING.columns(frequencies[terms], documents)
    chosen = collection.narrowed(_sampled(documents, sample, seed), terms)
    corpus = chosen.corpus(WEIGHTING, col)
    V, _, places = truncated_svd(corpus, dimensions, seed=seed, threads=threads)
    arrays, xp = corpus.arrays, corpus.arrays.xp
    basis = xp.asarray(col.astype(np.float32))[:, None] * V
    centre = mean_direction(arrays.host(places), threads)
    return LatentModel(terms, packed(basis, precision, arrays, threads), centre.astype(np.float32))


def _frequent(df: NDArray[np.int64]) -> Numbers:
    """The terms of the model, ascending; of those as frequent as the last, the first ones."""
    known = np.flatnonzero(df >= MIN_DOCUMENTS)
    if len(known) > MOST_TERMS:
        found = df[known]
        least = np.partition(found, -MOST_TERMS)[-MOST_TERMS]
        chosen = found > least
        chosen[np.flatnonzero(found == least)[: MOST_TERMS - np.count_nonzero(chosen)]] = True
        known = known[chosen]
    return known.astype(np.uint32)


def _sampled(documents: int, size: int, seed: int) -> Ids:
    """The documents to learn from, ascending: one of each run of neighbours."""
    if documents <= size:
        return np.arange(documents)
    cuts = np.arange(size + 1) * documents // size
    drawn = np.frombuffer(Random(seed).randbytes(4 * size), "<u4").astype(np.int64)
    return cuts[:-1] + (drawn * np.diff(cuts) >> 32)


def _lengths(rows: NDArray[np.floating]) -> NDArray[np.float64]:
    lengths: NDArray[np.float64] = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
    return lengths
