"""What a learner sees: documents numbered 0 … n−1, their term vectors X, and two products with X.

This file is the whole contract between learners and engines. An engine is whatever passes
tests/test_corpus_contract.py.

Vectors over terms and over documents are arrays of `corpus.arrays.xp`, a namespace of the Python
array API, wherever they lie. Document numbers, rows of a few documents and sparse vectors are
NumPy's. Products take one vector or a block (one vector a column) and make one pass over the data
either way. Results have the dtype of the vectors given and do not depend on the number of threads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypedDict

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from likewise._core import CountArrays
    from likewise.weighting import Weighting

Vector = Any
"""An array of floating-point numbers in the corpus' namespace, of one dimension …"""
Vectors = Any
"""… or of two, a vector a column."""
Ids = NDArray[np.integer]
Places = Any
"""Where in a vector: Ids, a slice, or an array of whole numbers in the corpus' namespace."""
Mask = NDArray[np.bool_]
Floats = NDArray[np.float64]


class Csr(NamedTuple):
    """A few rows' entries, columns ascending, in the three arrays of a CSR matrix."""

    starts: NDArray[np.int64]
    columns: NDArray[np.int32]
    values: Floats
    shape: tuple[int, int]

    def weighted_sum(self, weights: Floats) -> Floats:
        """Σ weights[i]·rows[i], as a vector of all terms."""
        entries = np.repeat(weights, np.diff(self.starts)) * self.values
        return np.bincount(self.columns, entries, self.shape[1]).astype(np.float64)


class SparseVector(NamedTuple):
    """A query's non-zero weights, columns ascending."""

    columns: NDArray[np.int32]
    weights: Floats


class Arrays(Protocol):
    """Where vectors lie, and the few operations that the array API standard lacks."""

    @property
    def xp(self) -> Any:
        """The namespace of the array API whose functions work on these vectors."""

    def vector(self, values: Any) -> Vector:
        """Numbers from NumPy as a vector in double precision."""

    def host(self, values: Vector) -> NDArray[Any]:
        """A vector as a NumPy array; not a copy where it is one already."""

    def take(self, values: Vector, places: Places) -> Vector: ...

    def placed(self, size: int, *pieces: tuple[Places, Any]) -> Vector:
        """A vector of zeros but for values at some places; later pieces overwrite earlier ones.

        It is a mask where the values are masks, else of double precision.
        """

    def dot(self, a: Vector, b: Vector) -> float:
        """Σ a[i]·b[i], summed in an order that depends on the length alone."""

    def dots(self, rows: Vectors, b: Vector) -> Floats:
        """The products of a few vectors, the rows of a matrix, with one."""

    def mixed(self, weights: Floats, rows: Vectors) -> Vector:
        """Σ weights[i]·rows[i], of a few vectors."""

    def largest(self, values: Vector, count: int) -> Vector:
        """The `count` largest values, descending: order statistics."""

    def best(self, values: Vector, k: int, keep: Mask | None = None, slack: float = 0.0) -> Ids:
        """Where values are within 2·slack of the k-th best of those to keep, ascending."""


class RowAccess(Protocol):
    """Some documents' rows where they lie, for solvers that read single rows many times."""

    @property
    def nobody(self) -> int:
        """Stands for the zero vector in a pair of rows: the other row is a point."""

    @property
    def squares(self) -> Floats:
        """The rows' squared lengths."""

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
        """Draws pairs of an upper row and one of the lower rows behind, by their weights."""

    def combined(
        self, draws: Draws, loss: str, regression: bool, total: float, steps: int
    ) -> Floats:
        """Combined ranking and regression by so many steps; the rows' multipliers."""


class Corpus(Protocol):
    @property
    def shape(self) -> tuple[int, int]:
        """Documents, terms."""

    @property
    def arrays(self) -> Arrays: ...

    @property
    def speed(self) -> float:
        """Entries of X that learning goes through in a second, a cautious guess."""

    @property
    def squares(self) -> Vector:
        """The documents' squared lengths."""

    @property
    def term_factors(self) -> Floats:
        """By how much a column was scaled: 0 where no document has the term."""

    def scores(self, w: Vectors | SparseVector) -> Vectors:
        """s[i] = Σ_j X[i, j]·w[j]; of a sparse vector, in single precision."""

    def weighted_sum(self, a: Vectors) -> Vectors:
        """g[j] = Σ_i a[i]·X[i, j]."""

    def fused(
        self, w: Vector, weigh: Callable[..., Vector], *along: Vector
    ) -> tuple[Vector, Vector]:
        """s = X·w and g = Xᵀ·weigh(s, *along), reading each row once.

        `weigh` is a plain function that works document by document: it is called with the scores
        of some documents and the same part of each vector in `along`.
        """

    def rows(self, ids: Ids) -> Csr:
        """The vectors of a few documents."""

    def exact(self, ids: Ids, w: Vector | SparseVector) -> Floats:
        """Scores of some documents, each summed in stored order in double precision."""

    def slack(self, w: Vector | SparseVector) -> float:
        """How far a score in single precision may be from the exact one."""

    def top(
        self,
        w: Vector | SparseVector,
        k: int,
        keep: Mask | None = None,
        *,
        positive: bool = False,
    ) -> list[tuple[int, float]]:
        """The k best documents and their exact scores, ties by document number.

        `keep` says which documents may appear; `positive` leaves out scores of 0 and below.
        """

    def take(self, ids: Ids) -> Corpus:
        """A corpus of some documents, renumbered in the order given."""

    def extended(self, rows: CountArrays | NDArray[np.float32]) -> Corpus:
        """With documents from outside behind its own: weighted alike, but not counted in df."""

    def row_access(self, ids: Ids) -> RowAccess | None:
        """Some documents' rows to be read many times; None where the engine has only passes."""

    def judged(self) -> Judged | None:
        """A learner of documents judged one by one; None where the engine has only passes."""


class ValueArrays(TypedDict):
    """A CSR matrix of single-precision values."""

    starts: NDArray[np.uint32]
    columns: NDArray[np.uint32]
    values: NDArray[np.float32]


class Stored(NamedTuple):
    """Rows as they lie on disk, and which of them are live (None: all).

    Counts have an inverted file, which is asked for when it is needed; `trusted` arrays were
    checked before.
    """

    rows: CountArrays | ValueArrays | NDArray[np.float32]
    width: int
    live: NDArray[np.uint32] | None = None
    inverted: Callable[[], CountArrays] | None = None
    trusted: bool = False


class Collection(Protocol):
    """Stored rows in an engine's hands: what all weightings of them share."""

    @property
    def frequencies(self) -> NDArray[np.int64]:
        """In how many live documents each term occurs."""

    def corpus(self, weighting: Weighting, col: Floats | None = None) -> Corpus:
        """The live documents weighted; `col` are the columns' factors, by default its own."""

    def narrowed(self, ids: Ids, terms: NDArray[np.uint32]) -> Collection:
        """Some live documents with some terms only, renumbered in their order; of counts."""


class Engine(Protocol):
    """What `engines.ENGINES` names: makes collections of stored rows."""

    def collection(self, stored: Sequence[Stored], width: int, threads: int) -> Collection: ...


class Descent(Protocol):
    """Coordinate descent on a dual."""

    @property
    def alpha(self) -> Floats: ...

    @property
    def bias(self) -> float: ...

    def epoch(self) -> tuple[float, float, int]:
        """One round; the primal (estimated), the dual, and rows visited so far."""

    def check(self) -> tuple[float, float, int]:
        """The same without a round, the primal exact."""


class Pairs(Protocol):
    """A ranking learned from pairs of rows that are added one batch after another."""

    @property
    def alpha(self) -> Floats: ...

    @property
    def theta(self) -> float: ...

    def add(self, upper: NDArray[np.uint32], lower: NDArray[np.uint32]) -> None:
        """New pairs, with a cost of 0."""

    def set_costs(self, costs: Floats) -> None:
        """One a pair; multipliers above are cut back."""

    def epoch(self) -> tuple[float, float, int]: ...

    def check(self) -> tuple[float, float, int]: ...


class Judged(Protocol):
    """min ½‖w‖² + ½b² + Σ c·max(0, 1 − y(w·x + b))² over documents judged one after another.

    A document comes with its column: the products of all documents with it.
    """

    @property
    def scores(self) -> Floats:
        """Of all documents, without the bias."""

    @property
    def bias(self) -> float: ...

    @property
    def documents(self) -> NDArray[np.uint32]:
        """The judged ones, the relevant first."""

    @property
    def weights(self) -> Floats:
        """Of the judged documents: w is the sum of their vectors times these."""

    def add(self, document: int, relevant: bool, column: NDArray[np.float32]) -> None: ...

    def remove(self, document: int) -> None: ...

    def solve(
        self, relevant_cost: float, other_cost: float, tol: float, rounds: int
    ) -> tuple[float, float, float, int]:
        """Primal, dual, primal at w = 0, and how many columns were added to scores so far."""


Drawn = tuple[NDArray[np.uint32], NDArray[np.uint32], Floats, int]
"""Upper rows, lower rows, their chances, and how many draws were rejected."""


class Draws(Protocol):
    def soft(self, model: Any, strategy: str, count: int, most: int) -> Drawn:
        """Pairs accepted by chance; fewer than `count` after `most` draws."""

    def hard(self, model: Any, strategy: str, count: int) -> Drawn:
        """The hardest pairs."""
