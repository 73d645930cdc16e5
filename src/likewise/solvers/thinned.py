"""A sample of a problem's documents that stands for all of them.

Documents with a large cost stay: examples, and negatives if they are few. Of the others, one of
every few neighbours is drawn, with the cost of them all. How well a sample stands for all depends
on its own size, not on theirs: a few thousand are enough for any collection. They are a matrix on
the host, with only the terms that they have.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar, cast

import numpy as np

from likewise.engines.memory import SparseMatrix
from likewise.losses import Separable
from likewise.solvers.blocks import Rest
from likewise.solvers.products import Biased

if TYPE_CHECKING:
    from likewise.corpus import Arrays, Corpus, Ids, Vector
    from likewise.solvers.products import Products

ONE_OF = 16  # documents, at least
DRAWN = 10_000  # at most
LEAST = 40_000  # documents from which on a sample is taken
HEAVY = 4.0  # times the mean cost: such documents stay
MOST = 0.25  # of all documents may stay or be drawn
LOOSE = 0.2  # errors of a sample grow with the cost of all for each that is drawn: not above this
SEED = 0

L = TypeVar("L")


@dataclass(frozen=True)
class Thinned(Generic[L]):
    """Some documents, `ids` of a corpus of this shape; `columns` are those of their terms."""

    corpus: Products
    loss: L
    ids: Ids
    columns: Ids
    shape: tuple[int, int]

    @property
    def share(self) -> float:
        return len(self.ids) / self.shape[0]

    def own(self, arrays: Arrays, values: Vector) -> Vector:
        """The values of its documents, of those of all."""
        return _moved(arrays, arrays.take(values, self.ids), self.corpus.arrays)

    def narrowed(self, arrays: Arrays, terms: Vector) -> Vector:
        """A vector over all terms as one over those of the sample."""
        return _moved(arrays, arrays.take(terms, self.columns), self.corpus.arrays)

    def widened(self, arrays: Arrays, terms: Vector) -> Vector:
        """A vector over the sample's terms as one over all."""
        return arrays.placed(self.shape[1], (self.columns, self.corpus.arrays.host(terms)))

    def spread(self, arrays: Arrays, weights: Vector) -> Vector:
        """Weights of the sample's documents as weights of all."""
        return arrays.placed(self.shape[0], (self.ids, self.corpus.arrays.host(weights)))


def thinned(corpus: Products, loss: L, C: float) -> Thinned[L] | None:
    """None if documents are too few or cost too much, or the loss is not a sum over them."""
    size = corpus.shape[0]
    if size < LEAST or not isinstance(loss, Separable):
        return None
    xp, arrays = corpus.arrays.xp, corpus.arrays
    total = float(xp.sum(loss.costs))
    large = loss.costs > HEAVY / size * total
    heavy = np.asarray(arrays.host(xp.nonzero(large)[0]), np.int64)
    rest = Rest(size, heavy)
    one_of = max(ONE_OF, -(-len(rest) // DRAWN))
    count = len(rest) // one_of
    if len(heavy) + count > MOST * size or 0.5 * C * total > LOOSE * count:
        return None
    drawn = one_of * np.arange(count) + np.random.default_rng(SEED).integers(0, one_of, count)
    ids = np.concatenate([heavy, rest.at(drawn)])
    factors = np.concatenate([np.ones(len(heavy)), np.full(count, len(rest) / count)])
    some, columns = _compact(corpus, ids)
    return Thinned(some, loss.among(some.arrays, ids, factors), ids, columns, corpus.shape)


def _compact(corpus: Products, ids: Ids) -> tuple[Products, Ids]:
    """Some documents on the host, and the columns of their terms."""
    if isinstance(corpus, Biased):
        inner, own = _compact(corpus.corpus, ids)
        return Biased(inner), np.append(own, corpus.shape[1] - 1)
    from scipy.sparse import csr_array

    rows = cast("Corpus", corpus).rows(ids)
    there = np.zeros(corpus.shape[1], np.bool_)
    there[rows.columns] = True
    numbers = np.cumsum(there, dtype=np.int32) - 1
    used = np.flatnonzero(there)
    shape = len(ids), len(used)
    return SparseMatrix(csr_array((rows.values, numbers[rows.columns], rows.starts), shape)), used


def _moved(own: Arrays, values: Vector, to: Arrays) -> Vector:
    return values if to is own else to.vector(own.host(values))
