"""A latent space learned from an index' own words: documents about the same things are near.

z(d) = unit(f(tf)·F) − centre, where F = col·V, a row for each term, is all that was learned. As
the row's length does not matter, a document's place depends on its counts and the model alone: one
that is added later is folded in to where it would have been. And as it is linear in the words but
for a factor of the document, a score by z is a sum over words:
w·z(d) = Σ_t [f(tf)/‖f(tf)·F‖]·(F·w)_t − w·centre.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from xxhash import xxh3_64_hexdigest

from likewise.local import CountMatrix, CountPart, LocalCorpus, Stored
from likewise.local.segments import Factors, document_frequencies
from likewise.views.svd import truncated_svd
from likewise.weighting import WEIGHTINGS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from likewise._core import CountArrays

    Rows = NDArray[np.uint32]
    Numbers = NDArray[np.uint32]

WEIGHTING = WEIGHTINGS["tfidf"]
DIMENSIONS = 200
SAMPLE = 40_000  # documents to learn from: more change next to nothing, and memory is bounded
MOST_TERMS = 65_536  # the most frequent ones; the others are too rare to tell about one another
MIN_DOCUMENTS = 3  # that hold a term
LEFT_OUT = np.uint32(2**32 - 1)
BLOCK = 8192  # documents folded in together


class LatentModel(NamedTuple):
    """What each term says about where a document is; `terms` are numbers in the dictionary."""

    terms: Numbers
    basis: NDArray[np.float32]
    centre: NDArray[np.float32]

    @property
    def dimensions(self) -> int:
        return int(self.basis.shape[1])

    @property
    def id(self) -> str:
        """What tells one space from another."""
        return xxh3_64_hexdigest(np.ascontiguousarray(self.basis).data)


class Folding:
    """Puts documents into a latent space."""

    def __init__(self, model: LatentModel, threads: int = 1) -> None:
        self.model = model
        self._threads = threads

    @cached_property
    def _numbers(self) -> Numbers:
        terms = self.model.terms
        numbers = np.full(int(terms.max(initial=0)) + 1, LEFT_OUT)
        numbers[terms] = np.arange(len(terms), dtype=np.uint32)
        return numbers

    def __call__(self, matrix: CountMatrix, ids: Rows) -> NDArray[np.float32]:
        """Some documents' places; one that has no known term is in the centre, at 0."""
        raw = self.raw(matrix, ids)
        lengths = _lengths(raw)
        found = lengths > 0
        raw *= (1 / np.where(found, lengths, 1)).astype(np.float32)[:, None]
        raw -= self.model.centre
        if not found.all():
            raw[~found] = 0
        return raw

    def blocks(self, matrix: CountMatrix) -> Iterator[NDArray[np.float32]]:
        """All documents' places, some at a time."""
        for first in range(0, matrix.rows.shape[0], BLOCK):
            last = min(first + BLOCK, matrix.rows.shape[0])
            yield self(matrix, np.arange(first, last, dtype=np.uint32))

    def raw(self, matrix: CountMatrix, ids: Rows) -> NDArray[np.float32]:
        """f(tf)·F."""
        chosen = matrix.rows.select(ids, self._numbers)
        part = CountPart(compact(chosen, len(self.model.terms)), WEIGHTING)
        return part.dot(self.model.basis, self._threads).astype(np.float32, copy=False)

    def lengths(self, matrix: CountMatrix, ids: Rows) -> NDArray[np.float64]:
        """‖f(tf)·F‖ of some documents."""
        return _lengths(self.raw(matrix, ids))


def learn(
    stored: Sequence[Stored],
    width: int,
    dimensions: int = DIMENSIONS,
    *,
    seed: int = 0,
    threads: int = 1,
    sample: int = SAMPLE,
) -> LatentModel:
    """From the live documents of some segments of counts, or a sample of them."""
    counts = [(m, live) for m, live in stored if isinstance(m, CountMatrix)]
    terms = _frequent(document_frequencies(counts, width))
    factors = Factors.of(stored, width, WEIGHTING)
    col = factors.col[terms]
    numbers = np.full(width, LEFT_OUT)
    numbers[terms] = np.arange(len(terms), dtype=np.uint32)
    chosen = [m.rows.select(ids, numbers) for m, ids in _sampled(counts, sample, seed)]
    compacts = [Stored(compact(rows, len(terms)), None) for rows in chosen]
    own = Factors(WEIGHTING, col, factors.mean_unique)
    corpus = LocalCorpus([own.segment(s, threads) for s in compacts], own, threads=threads)
    V, _, places = truncated_svd(corpus, dimensions, seed=seed, threads=threads)
    basis = np.ascontiguousarray((col[:, None] * V).astype(np.float32))
    model = LatentModel(terms, basis, np.zeros(basis.shape[1], np.float32))
    return model._replace(centre=_centre(places))


def compact(rows: CountArrays, width: int) -> CountMatrix:
    """Rows over few columns, transposed only if somebody asks."""

    def inverted() -> CountArrays:
        return matrix.rows.transpose()

    matrix = CountMatrix(rows, _once(inverted), width, trusted=True)
    return matrix


def _once(make: Callable[[], CountArrays]) -> Callable[[], CountArrays]:
    made: list[CountArrays] = []

    def get() -> CountArrays:
        if not made:
            made.append(make())
        return made[0]

    return get


def _frequent(df: NDArray[np.int64]) -> Numbers:
    """The terms that are learned about, ascending."""
    known = np.flatnonzero(df >= MIN_DOCUMENTS)
    if len(known) > MOST_TERMS:
        known = np.sort(known[np.argsort(-df[known], kind="stable")[:MOST_TERMS]])
    return known.astype(np.uint32)


def _sampled(
    counts: Sequence[tuple[CountMatrix, Rows | None]], size: int, seed: int
) -> Iterator[tuple[CountMatrix, Rows]]:
    """Of each segment, the live documents to learn from."""
    alive = [
        np.arange(m.rows.shape[0], dtype=np.uint32) if live is None else live for m, live in counts
    ]
    total = sum(map(len, alive))
    chosen = np.ones(total, np.bool_)
    if total > size:
        chosen[:] = False
        chosen[np.random.default_rng(seed).choice(total, size, replace=False)] = True
    ends = np.cumsum([len(ids) for ids in alive])[:-1]
    for (matrix, _), ids, mine in zip(counts, alive, np.split(chosen, ends), strict=True):
        yield matrix, ids[mine]


def _centre(places: NDArray[np.float32]) -> NDArray[np.float32]:
    """The mean of the documents' unit vectors."""
    total = np.zeros(places.shape[1])
    for first in range(0, len(places), BLOCK):
        block = places[first : first + BLOCK].astype(np.float64)
        lengths = _lengths(block)
        total += (block / np.where(lengths > 0, lengths, 1)[:, None]).sum(axis=0)
    return (total / max(len(places), 1)).astype(np.float32)


def _lengths(rows: NDArray[np.floating]) -> NDArray[np.float64]:
    lengths: NDArray[np.float64] = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
    return lengths
