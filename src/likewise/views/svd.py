"""Truncated SVD, X ≈ UΣVᵀ, by a corpus' two products alone.

Halko, Martinsson & Tropp, Finding structure with randomness, SIAM Review 53 (2011): a block of
random vectors is drawn towards the leading right singular vectors by power iterations, and the
small problem within their span is solved exactly. Work over all documents is done by products with
the corpus; what is made orthogonal has one row per term or per document, whichever are fewer. Both
stay in the corpus' namespace; eigenvectors of matrices as wide as the block are computed on the
host.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from likewise.corpus import Arrays, Corpus, Vectors
    from likewise.engines.workers import Workers

OVERSAMPLE = 8  # extra vectors, which make the last wanted ones more exact
ITERATIONS = 4  # with 2, average precision by example was 1 to 2 % lower
MANY = 20
ROWS = 1024  # of a block multiplied at a time
NOTHING = 1e-9  # relative to the largest eigenvalue: below it there is only rounding


class Svd(NamedTuple):
    """Columns of V, orthonormal, by descending σ; fewer than wanted if the rank is lower.

    `places` are the documents' products with them, X·V.
    """

    V: Vectors
    sigma: NDArray[np.float64]
    places: Vectors


def truncated_svd(
    corpus: Corpus,
    dimensions: int,
    *,
    iterations: int = ITERATIONS,
    seed: int = 0,
    threads: int = 1,
) -> Svd:
    """The result does not depend on the number of threads."""
    from threadpoolctl import threadpool_limits

    from likewise.engines.workers import Workers

    terms = corpus.shape[1]
    width = min(dimensions + OVERSAMPLE, terms)
    by_documents = corpus.shape[0] < terms  # the shorter side is made orthonormal
    with threadpool_limits(1, user_api="blas"), Workers(threads) as pool:
        dense = _Dense(corpus.arrays, pool)
        span = dense.random(terms, width, seed)
        for _ in range(iterations):
            images = corpus.scores(span)
            images = dense.orthonormal(images) if by_documents else images
            span = corpus.weighted_sum(images)
            span = span if by_documents else dense.orthonormal(span)
        if by_documents or not iterations:
            span = dense.orthonormal(span)
        images = corpus.scores(span)
        values, vectors = np.linalg.eigh(dense.gram(images))
        order = np.argsort(-values, kind="stable")[:dimensions]
        order = order[values[order] > NOTHING * max(float(values.max(initial=0.0)), 1e-300)]
        turn = vectors[:, order]
        return Svd(dense.times(span, turn), np.sqrt(values[order]), dense.times(images, turn))


class _Dense:
    """Products of tall blocks, some rows at a time.

    One thread computes each piece, so the result does not depend on the number of threads. Also,
    the threads of a BLAS wait by spinning; if other threads are running, this takes longer than the
    product.
    """

    def __init__(self, arrays: Arrays, pool: Workers) -> None:
        self._arrays, self._pool = arrays, pool

    def random(self, height: int, width: int, seed: int) -> Vectors:
        """Orthonormal columns, or long ones of independent signs: these are as good as that."""
        if height < MANY * width:
            normal = np.random.default_rng(seed).standard_normal((height, width), np.float32)
            return self.orthonormal(self._arrays.xp.asarray(normal))
        size = height * width
        drawn = np.frombuffer(Random(seed).randbytes(-(-size // 8)), np.uint8)
        signs = np.unpackbits(drawn, count=size).reshape(height, width).astype(np.float32)
        signs *= 2
        signs -= 1
        return self._arrays.xp.asarray(signs)

    def orthonormal(self, block: Vectors) -> Vectors:
        """An orthonormal basis of the columns' span, by the eigenvectors of their products."""
        values, vectors = np.linalg.eigh(self.gram(block))
        kept = values > NOTHING * max(float(values.max(initial=0.0)), 1e-300)
        return self.times(block, vectors[:, kept] / np.sqrt(values[kept]))

    def gram(self, block: Vectors) -> NDArray[np.float64]:
        """Blockᵀ·block, the pieces summed in double precision."""
        total = np.zeros((block.shape[1], block.shape[1]))
        xp, host = self._arrays.xp, self._arrays.host

        def square(rows: slice) -> NDArray[np.float32]:
            piece = block[rows, :]
            return host(xp.matmul(piece.T, piece))

        for product in self._pool.map(square, _pieces(block)):
            total += product
        return total

    def times(self, block: Vectors, turn: NDArray[np.float64]) -> Vectors:
        xp = self._arrays.xp
        narrow = xp.asarray(np.ascontiguousarray(turn, np.float32))
        found = xp.empty((block.shape[0], turn.shape[1]), dtype=xp.float32)

        def multiply(rows: slice) -> None:
            found[rows, :] = xp.matmul(block[rows, :], narrow)

        for _ in self._pool.map(multiply, _pieces(block)):
            pass
        return found


def _pieces(block: Vectors) -> Iterator[slice]:
    size = block.shape[0]
    return (slice(first, min(first + ROWS, size)) for first in range(0, size, ROWS))
