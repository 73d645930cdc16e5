"""A sample of a problem's documents that stands for all of them.

Documents with a large cost stay: examples, and negatives if they are few. Of all documents, one of
every few neighbours is drawn, whatever is to be learned, with the cost of the others. How well a
sample stands for all depends on its own size, not on theirs: a few thousand are enough for any
collection. They are a matrix on the host, with only the terms that they have.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar, cast
from weakref import WeakKeyDictionary

import numpy as np

from likewise.engines.memory import SparseMatrix
from likewise.losses import Separable
from likewise.losses.smooth import moved
from likewise.solvers.products import Biased

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likewise.corpus import Arrays, Corpus, Csr, Ids, Vector
    from likewise.solvers.products import Products

ONE_OF = 16  # documents, at least
DRAWN = 10_000  # at most
LEAST = 40_000  # documents from which on a sample is taken
HEAVY = 4.0  # times the mean cost: such documents stay
MOST = 0.25  # of all documents may stay or be drawn
LOOSE = 0.2  # errors of a sample grow with the cost of all for each that is drawn: not above this
SEED = 0

L = TypeVar("L")
_KEPT: WeakKeyDictionary[Corpus, _Drawn] = WeakKeyDictionary()


@dataclass(frozen=True)
class Thinned(Generic[L]):
    """Some documents, `ids` of a corpus of this shape; `columns` are those of their terms.

    The first `heavy` of them were not drawn: each has a large cost of its own.
    """

    corpus: Products
    loss: L
    ids: Ids
    columns: Ids
    shape: tuple[int, int]
    heavy: int

    @property
    def share(self) -> float:
        return len(self.ids) / self.shape[0]

    def own(self, arrays: Arrays, values: Vector) -> Vector:
        """The values of its documents, of those of all."""
        return moved(arrays, arrays.take(values, self.ids), self.corpus.arrays)

    def narrowed(self, arrays: Arrays, terms: Vector) -> Vector:
        """A vector over all terms as one over those of the sample."""
        return moved(arrays, arrays.take(terms, self.columns), self.corpus.arrays)

    def widened(self, arrays: Arrays, terms: Vector) -> Vector:
        """A vector over the sample's terms as one over all."""
        return arrays.placed(self.shape[1], (self.columns, self.corpus.arrays.host(terms)))

    def spread(self, arrays: Arrays, weights: Vector) -> Vector:
        """Weights of the sample's documents as weights of all."""
        return arrays.placed(self.shape[0], (self.ids, self.corpus.arrays.host(weights)))


def are_few(documents: int) -> bool:
    """Whether a sample of so many documents would save nothing."""
    return documents < LEAST


def thinned(corpus: Products, loss: L, C: float, costs: Any = None) -> Thinned[L] | None:
    """None if documents are too few or cost too much, or the loss is not a sum over them.

    `costs` is the sum of all costs, where it is known.
    """
    size = corpus.shape[0]
    if are_few(size) or not isinstance(loss, Separable):
        return None
    xp, arrays = corpus.arrays.xp, corpus.arrays
    total = float(xp.sum(loss.costs) if costs is None else costs)
    large = loss.costs > HEAVY / size * total
    heavy = np.asarray(arrays.host(xp.nonzero(large)[0]), np.int64)
    one_of = max(ONE_OF, -(-size // DRAWN))
    count = size // one_of
    if len(heavy) + count > MOST * size or 0.5 * C * total > LOOSE * count:
        return None
    inner = cast("Corpus", corpus.corpus if isinstance(corpus, Biased) else corpus)
    drawn = _drawn(inner, one_of, count)
    others = np.flatnonzero(~np.isin(drawn.ids, heavy, assume_unique=True))
    ids = np.concatenate([heavy, drawn.ids[others]])
    each = (size - len(heavy)) / len(others)
    factors = np.concatenate([np.ones(len(heavy)), np.full(len(others), each)])
    some, columns = drawn.below(inner.rows(heavy), others, inner.threads)
    if isinstance(corpus, Biased):
        some, columns = Biased(some), np.append(columns, corpus.shape[1] - 1)
    own = loss.among(some.arrays, ids, factors)
    return Thinned(some, own, ids, columns, corpus.shape, len(heavy))


class _Drawn(NamedTuple):
    """Documents that are drawn whatever is to be learned, and their rows.

    Columns of the rows are numbered anew: `terms` are those that they have, and `numbers` their
    places among these, by the corpus' columns; -1 for others.
    """

    ids: Ids
    rows: Csr
    terms: Ids
    numbers: NDArray[np.int32]

    @classmethod
    def of(cls, ids: Ids, rows: Csr) -> _Drawn:
        there = np.zeros(rows.shape[1], np.bool_)
        there[rows.columns] = True
        numbers = np.where(there, np.cumsum(there, dtype=np.int32) - 1, np.int32(-1))
        terms = np.flatnonzero(there)
        own = rows._replace(columns=numbers[rows.columns], shape=(len(ids), len(terms)))
        return cls(ids, own, terms, numbers)

    def below(self, first: Csr, places: Ids, threads: int) -> tuple[Products, Ids]:
        """A matrix of some rows and, below them, those of the drawn at these places, ascending,
        with only the terms that all these have; and the columns of these.

        So many threads share its products.
        """
        from scipy.sparse import csr_array

        columns, new = self._numbered(first.columns)
        runs = _runs(self.rows.starts, places)
        lengths = [np.diff(first.starts), np.diff(self.rows.starts)[places]]
        starts = np.concatenate([[0], np.cumsum(np.concatenate(lengths))])
        numbers = np.concatenate([columns, *(self.rows.columns[run] for run in runs)])
        values = np.concatenate([first.values, *(self.rows.values[run] for run in runs)])
        terms = np.concatenate([self.terms, new])
        shape = len(starts) - 1, len(terms)
        matrix = csr_array((values, numbers, starts.astype(np.int32)), shape)
        return SparseMatrix(matrix, threads=threads), terms

    def _numbered(self, columns: NDArray[np.int32]) -> tuple[NDArray[np.int32], Ids]:
        """The numbers of a corpus' columns here, and the new ones among them, which come last."""
        numbers = self.numbers[columns]
        unknown = numbers < 0
        new, places = np.unique(columns[unknown], return_inverse=True)
        numbers[unknown] = len(self.terms) + places
        return numbers, new


def _runs(starts: NDArray[np.int64], places: Ids) -> list[slice]:
    """The entries of rows at these places, ascending, as few slices: neighbours are together."""
    breaks = np.flatnonzero(np.diff(places) > 1) + 1
    return [
        slice(int(starts[run[0]]), int(starts[run[-1] + 1]))
        for run in np.split(places, breaks)
        if len(run)
    ]


def _drawn(corpus: Corpus, one_of: int, count: int) -> _Drawn:
    """Kept as long as the corpus: their rows take longer to collect than two passes."""
    found = _KEPT.get(corpus)
    if found is None or len(found.ids) != count:
        places = np.random.default_rng(SEED).integers(0, one_of, count)
        ids = one_of * np.arange(count) + places
        found = _KEPT[corpus] = _Drawn.of(ids, corpus.rows(ids))
    return found
