"""A Corpus: documents numbered 0 … n−1, their term vectors X, and two products with X.

This file is the whole contract between learners and engines. An engine must pass
tests/test_corpus_contract.py.

Vectors over terms and over documents are arrays of `corpus.arrays.xp`, a namespace of the Python
array API, on any device. Document numbers, rows of a few documents and sparse vectors are NumPy
arrays. Products take one vector or a block (one vector per column), and make one pass over the
data in either case. Results have the dtype of the given vectors and do not depend on the number of
threads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias, TypedDict, runtime_checkable

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from likewise._core import CountArrays
    from likewise.weighting import Weighting

Vector = Any
"""A one-dimensional array of floating-point numbers in the corpus' namespace."""
Vectors = Any
"""The same, or a two-dimensional block with one vector per column."""
Ids: TypeAlias = "NDArray[np.integer]"
Places = Any
"""Positions in a vector: Ids, a slice, or an integer array in the corpus' namespace."""
Mask: TypeAlias = "NDArray[np.bool_]"
Floats: TypeAlias = "NDArray[np.float64]"
Column: TypeAlias = "NDArray[np.float32]"
PackedRows: TypeAlias = "tuple[NDArray[np.float32] | NDArray[np.int8], NDArray[np.float32] | None]"
"""Dense rows of float32; or of bytes, with what each is multiplied by."""
Space: TypeAlias = "tuple[NDArray[np.uint32], PackedRows, NDArray[np.float32]]"
"""A latent space: terms, a basis with a row for each of them, and the centre."""


class Csr(NamedTuple):
    """A few rows as the three arrays of a CSR matrix, columns ascending."""

    starts: NDArray[np.int64]
    columns: NDArray[np.int32]
    values: Floats
    shape: tuple[int, int]

    def weighted_sum(self, weights: Floats) -> Floats:
        """Σ weights[i]·rows[i], as a vector of all terms."""
        entries = np.repeat(weights, np.diff(self.starts)) * self.values
        return np.bincount(self.columns, entries, self.shape[1]).astype(np.float64, copy=False)


class SparseVector(NamedTuple):
    """A query's non-zero weights, columns ascending."""

    columns: NDArray[np.int32]
    weights: Floats


class Counted(NamedTuple):
    """Of values in descending order, the first so many: for each of some levels their number, their
    sum, and a number that these reach and no other value does; infinite if there are none.
    """

    counts: NDArray[np.int64]
    sums: Floats
    least: Floats


class Arrays(Protocol):
    """The namespace of vectors, and the few operations that the array API standard lacks."""

    @property
    def xp(self) -> Any:
        """The namespace of the array API whose functions work on these vectors."""

    def vector(self, values: Any) -> Vector:
        """A NumPy array as a vector in double precision."""

    def host(self, values: Vector) -> NDArray[Any]:
        """A vector as a NumPy array; not a copy if it is one already."""

    def take(self, values: Vector, places: Places) -> Vector: ...

    def placed(self, size: int, *pieces: tuple[Places, Any]) -> Vector:
        """Zeros, except for values at some positions; later pieces overwrite earlier ones. It is a
        mask if all values are masks, otherwise of double precision.
        """

    def dot(self, a: Vector, b: Vector) -> float:
        """Σ a[i]·b[i], summed in an order that depends only on the length."""

    def dots(self, rows: Vectors, b: Vector, *others: Vector) -> Floats:
        """The dot products of a few vectors, the rows of a matrix and others, with one vector."""

    def number(self, value: Any) -> Any:
        """An array of one number as something that float() takes, whenever that is needed. Where
        vectors lie elsewhere, several that are asked for before come together.
        """

    def mixed(self, weights: Floats, rows: Vectors) -> Vector:
        """Σ weights[i]·rows[i] of a few vectors."""

    def largest(self, values: Vector, count: int) -> Vector:
        """The `count` largest values, descending."""

    def best(self, values: Vector, k: int, keep: Mask | None = None, slack: float = 0.0) -> Ids:
        """Positions of values within 2·slack of the k-th best of those in `keep`, ascending."""

    def bucketed(self, buckets: Vector, count: int, *values: Vector) -> Floats:
        """The sum of the values in each of `count` buckets, a row for each vector of values."""

    def counted(
        self,
        values: Vector,
        needs: Callable[[Any, Vector, Vector], Vector],
        levels: Floats,
        guess: int,
    ) -> Counted:
        """How many of the values, in descending order, need less than each level.

        needs(xp, values, places) is what values need at places in that order. It does not fall with
        the place, nor rise with the value. Levels ascend; `guess` is about the last one's number.
        """

    def hinge_line(self, slack: Vector, change: Vector, points: int) -> tuple[Floats, Floats]:
        """The slope and the value of Σ max(0, slack + k·change) at k = 1/points, 2/points … 1."""


class RowAccess(Protocol):
    """Access to single rows in place, for solvers that read some rows many times."""

    @property
    def nobody(self) -> int:
        """The number of the zero vector: a pair with it stands for a single point."""

    @property
    def squares(self) -> Floats:
        """The rows' squared lengths."""

    def weighted_sum(self, weights: Floats) -> Floats:
        """Σ weights[i]·row i, by one thread: of a few rows, less work than a pass."""

    def descent(
        self,
        labels: Floats,
        margins: Floats,
        costs: Floats,
        alpha: Floats,
        w: Floats,
        *,
        squared: bool,
        bias: bool,
        seed: int,
    ) -> Descent:
        """min ½‖w‖² + ½b² + Σ costs·max(0, margins − labels·(Xw + b))^(1 or 2), by its dual."""

    def pairs(self, *, loss: str, threshold: bool, seed: int) -> Pairs:
        """min ½‖w‖² + ½θ² + Σ costs·loss(w·(upper − lower)) over pairs of rows, by its dual."""

    def draws(
        self, upper: Floats, lower: Floats, *, gamma: float, seed: int, threads: int
    ) -> Draws:
        """Draws pairs of an upper row and one of the lower rows after them, by their weights."""

    def combined(
        self, draws: Draws, loss: str, regression: bool, total: float, steps: int
    ) -> Floats:
        """By random steps: the rows' multipliers of w, mean of their first half and of all."""


class Corpus(Protocol):
    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of documents and of terms."""

    @property
    def arrays(self) -> Arrays: ...

    @property
    def speed(self) -> float:
        """A low estimate of the entries of X that learning processes in a second."""

    @property
    def threads(self) -> int:
        """How many threads of this machine may work for it."""

    @property
    def squares(self) -> Vector:
        """The documents' squared lengths."""

    @property
    def term_factors(self) -> Floats:
        """The factor of each column; 0 for a term that no document has."""

    def scores(self, w: Vectors | SparseVector) -> Vectors:
        """s[i] = Σ_j X[i, j]·w[j]; of a sparse vector, in single precision."""

    def weighted_sum(self, a: Vectors) -> Vectors:
        """g[j] = Σ_i a[i]·X[i, j]."""

    def fused(
        self, w: Vector, weigh: Callable[..., Vector], *along: Vector
    ) -> tuple[Vector, Vector]:
        """s = X·w and g = Xᵀ·weigh(s, *along), reading each row once.

        `weigh` is an elementwise function: it is called with the scores of some documents and the
        same part of each vector in `along`.
        """

    def rows(self, ids: Ids) -> Csr:
        """The vectors of a few documents."""

    def exact(self, ids: Ids, w: Vector | SparseVector) -> Floats:
        """Scores of some documents, each summed in stored order in double precision."""

    def slack(self, w: Vector | SparseVector) -> float:
        """A bound on the error of a score in single precision."""

    def top(
        self,
        w: Vector | SparseVector,
        k: int,
        keep: Mask | None = None,
        *,
        positive: bool = False,
    ) -> list[tuple[int, float]]:
        """The k best documents and their exact scores, ties by document number.

        `keep` is a mask of the documents to choose from; `positive` leaves out scores ≤ 0.
        """

    def take(self, ids: Ids) -> Corpus:
        """Some documents, renumbered as given; a few may be on the host, with its namespace."""

    def extended(self, rows: CountArrays | NDArray[np.float32]) -> Corpus:
        """With outside documents after its own: weighted in the same way, not counted in df."""

    @property
    def has_rows(self) -> bool:
        """Whether there is access to rows; an engine may have passes only."""

    def row_access(self, ids: Ids) -> RowAccess | None:
        """Access to some documents' rows; None if the engine has none."""

    def judged(self) -> Judged | None:
        """A learner for documents judged one by one; None if the engine only has passes."""


class ValueArrays(TypedDict):
    """A CSR matrix of single-precision values."""

    starts: NDArray[np.uint32]
    columns: NDArray[np.uint32]
    values: NDArray[np.float32]


class Stored(NamedTuple):
    """Rows as stored on disk, and which of them are live (None: all).

    Counts have an inverted file, loaded when it is needed; where its rows start is known before,
    by `starts`. Without one, `frequencies` may tell in how many rows, live or not, each column is.
    `trusted` arrays were checked before. Dense rows of bytes are multiplied by `factors`, one a
    row: those products, exact in single precision, are the documents' vectors. Where `listed` is
    given, the rows of the inverted file are of these terms, ascending, and no other term has any.
    Rows of a shard number their columns in their own way: column c is column numbers[c] of the
    collection. All of them have the same array of numbers, of which the first `width` are theirs.
    """

    rows: CountArrays | ValueArrays | NDArray[np.float32] | NDArray[np.int8]
    width: int
    live: NDArray[np.uint32] | None = None
    inverted: Callable[[], CountArrays] | None = None
    trusted: bool = False
    factors: NDArray[np.float32] | None = None
    listed: NDArray[np.uint32] | None = None
    numbers: NDArray[np.uint32] | None = None
    starts: Callable[[], NDArray[np.uint32]] | None = None
    frequencies: Callable[[], NDArray[np.unsignedinteger]] | None = None


class Source(Protocol):
    """Rows that another machine opens by itself: a small value that says where they are."""

    @property
    def documents(self) -> int:
        """How many are live."""

    @property
    def name(self) -> str:
        """The same for all views of the same documents."""

    def __call__(self) -> Sequence[Stored]: ...


class Collection(Protocol):
    """Stored rows as loaded by an engine; all weightings share it."""

    @property
    def frequencies(self) -> NDArray[np.int64]:
        """The number of live documents that contain each term."""

    def corpus(self, weighting: Weighting, col: Floats | None = None) -> Corpus:
        """The live documents, weighted; `col` are column factors, by default the weighting's."""

    def narrowed(self, ids: Ids, terms: NDArray[np.uint32]) -> Collection:
        """Some live documents with some terms, renumbered in their order; only for counts."""

    def folded(
        self, ids: Ids, space: Space, weighting: Weighting, *, in_bytes: bool
    ) -> PackedRows | None:
        """Some live documents' places, unit(f(counts)·basis) − centre, or 0 for one without any of
        the terms; None where the engine has no quicker way than products with the basis.
        """


class Engine(Protocol):
    """A value of `engines.ENGINES`: makes collections of stored rows."""

    def collection(self, stored: Sequence[Stored], width: int, threads: int) -> Collection: ...


@runtime_checkable
class Spreading(Protocol):
    """An engine whose rows other machines open."""

    @property
    def lost(self) -> bool:
        """Whether the connection was lost, and all that was opened with it."""

    def spread(self, sources: Sequence[Source], width: int, threads: int) -> Collection: ...


class Descent(Protocol):
    """Coordinate descent on a dual problem."""

    @property
    def alpha(self) -> Floats: ...
    @property
    def bias(self) -> float: ...

    def epoch(self) -> tuple[float, float, int]:
        """One epoch; returns the primal (estimated), the dual, and rows visited so far."""

    def check(self) -> tuple[float, float, int]:
        """The same values without an epoch, exact."""

    def sum(self) -> Floats:
        """Σ alpha·labels·row."""

    @property
    def scores(self) -> Floats:
        """The rows' products with that, at the last check."""


class Pairs(Protocol):
    """A ranking learned from pairs of rows that are added in batches."""

    @property
    def alpha(self) -> Floats: ...
    @property
    def theta(self) -> float: ...

    def add(self, upper: NDArray[np.uint32], lower: NDArray[np.uint32]) -> None:
        """Add pairs with a cost of 0."""

    def set_costs(self, costs: Floats) -> None:
        """Set one cost per pair; multipliers above their cost are reduced to it."""

    def epoch(self) -> tuple[float, float, int]: ...
    def check(self) -> tuple[float, float, int]: ...


class Judged(Protocol):
    """min ½‖w‖² + ½b² + Σ c·max(0, 1 − y(w·x + b))² over documents judged one by one.

    A document is added with its row. A column, which scores change by, holds the products of all
    documents with it; or those with the sum of what a side is owed.
    """

    @property
    def scores(self) -> Floats:
        """The scores of all documents, without the bias."""

    @property
    def bias(self) -> float: ...
    @property
    def documents(self) -> NDArray[np.uint32]:
        """The judged documents, in the order in which they were added."""

    @property
    def weights(self) -> Floats:
        """The weights of the judged documents: w is the weighted sum of their vectors."""

    @property
    def debts(self) -> list[tuple[int, bool, float]]:
        """What scores lack of the weights: a document, whether to the relevant side, the change."""

    def add(self, document: int, relevant: bool, columns: Places, values: Floats) -> None: ...

    def keep(self, document: int, column: Column) -> None:
        """Keep a judged document's column, so that it is never owed."""

    def pay(self, document: int, column: Column) -> None: ...
    def pay_side(self, relevant: bool, sums: Column) -> None: ...

    def best(self, k: int, keep: Mask | None = None) -> list[tuple[int, float]]:
        """The k best documents with their scores, ties by number."""

    def remove(self, document: int) -> None: ...

    def solve(
        self, relevant_cost: float, other_cost: float, tol: float, rounds: int
    ) -> tuple[float, float, float, int]:
        """Returns primal, dual, primal at w = 0, and the number of steps so far."""


Drawn: TypeAlias = "tuple[NDArray[np.uint32], NDArray[np.uint32], Floats, int]"
"""Upper rows, lower rows, their probabilities, and the number of rejected draws."""


class Draws(Protocol):
    def soft(self, model: Any, strategy: str, count: int, most: int) -> Drawn:
        """Randomly accepted pairs; fewer than `count` if `most` draws were not enough."""

    def hard(self, model: Any, strategy: str, count: int) -> Drawn:
        """The hardest pairs."""


@runtime_checkable
class Adding(Protocol):
    """A corpus that can add scores to others in place."""

    def add_scores(self, w: SparseVector, out: NDArray[np.float32], factor: float = 1.0) -> None:
        """out += factor · scores(w)"""


@runtime_checkable
class Summed(Protocol):
    """A corpus that keeps the sum of its documents."""

    def total(self) -> Vector | None:
        """Σ_i X[i], computed once; None if that is not kept."""

    def total_scores(self) -> Vector | None:
        """The documents' scores by that sum, in single precision; None if they are not kept."""
