"""The native core: counting, products, top-k and descent. Oracles: tests/helpers/reference*.py."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypedDict, overload

import numpy as np
from numpy.typing import NDArray

DenseNumbers = NDArray[np.float32] | NDArray[np.int8]

class CountArrays(TypedDict):
    """Rows of (column, count); in each row the columns counted once come first.

    Row i's columns are columns[starts[i]:starts[i+1]]; the last more[i+1]-more[i] of them were
    counted more than once, and counts[more[i]:more[i+1]] says how often. A count of 255 or above
    is stored as 255; its place in `counts` is in large_at (ascending), its value in large.

    Columns are uint32 or uint16; an array of uint8 has three bytes for each and one at the end.
    """

    starts: NDArray[np.uint32]
    more: NDArray[np.uint32]
    columns: NDArray[np.unsignedinteger]
    counts: NDArray[np.uint8]
    large_at: NDArray[np.uint32]
    large: NDArray[np.uint32]

class Stems:
    """A stemmer of Snowball and stop words, for words of ASCII letters."""

    def __init__(self, library: str, algorithm: str, stop_words: Sequence[str]) -> None:
        """`library` is a file that is loaded and has the functions, or brings one that has them; a
        RuntimeError if it is not, or has not.
        """

class Counter:
    """Texts in, term counts out. It works on `threads` of its own; one thread at a time may use it,
    except that one may count while another absorbs.

    A form is a word as it stands in the text, ASCII letters in lower case. Forms are reported
    once, when new; the caller says which terms each stands for. Where `digits_stay`, those of ASCII
    letters and digits that have a digit are terms as they are, and not reported; nor are those of
    ASCII letters where there are `stems`, which say what they stand for. Terms are numbered in
    order of first appearance, whatever the number of threads.
    """

    def __init__(
        self,
        classes: Callable[[], NDArray[np.uint8]],
        *,
        threads: int = 1,
        max_bytes: int = 64,
        bigrams: bool = False,
        digits_stay: bool = False,
        stems: Stems | None = None,
    ) -> None:
        """`classes` gives each code point's class; it is called at the first non-ASCII text."""

    def count(self, fields: Sequence[Sequence[str] | Texts]) -> list[str]:
        """Count a batch, given per field one text per document; returns its new forms in order."""

    def absorb(self, terms: Sequence[str | tuple[str, ...] | None]) -> None:
        """Make rows of the oldest batch counted, given what its new forms stand for."""

    def add_rows(self, arrays: CountArrays, names: Sequence[str]) -> None:
        """Append rows counted elsewhere, column j being the term names[j]."""

    def drain(self) -> CountArrays:
        """Hand over the rows absorbed since the last drain, and forget them (terms are kept)."""

    @property
    def terms(self) -> int:
        """Terms numbered so far."""

    def terms_since(self, first: int) -> tuple[bytes, NDArray[np.uint64]]:
        """Terms from number `first` on: their UTF-8 one after another, and where each ends."""

    @property
    def rows(self) -> int:
        """Rows absorbed since the last drain."""

    @property
    def memory(self) -> int:
        """Bytes held by those rows."""

def forms(text: str, classes: Callable[[], NDArray[np.uint8]], max_bytes: int = 64) -> list[str]:
    """The forms of one text in order, repeated where they repeat: what Counter.count sees."""

class Counts:
    """A read-only matrix over CountArrays; f(count) is looked up as the products run.

    `table` holds f(0) … f(255) (f(255) unused) and `large_values` f of each large count.
    Vectors are float32 or float64; results have their dtype.
    """

    def __init__(
        self,
        arrays: CountArrays,
        width: int,
        *,
        trusted: bool = False,
        highest: int | None = None,
    ) -> None:
        """Arrays are read where they lie: a TypeError if they have other types or are strided.

        They are checked to describe such a matrix; `trusted` ones are not looked through. `highest`
        is that of the columns, if it is known: these are not read then.
        """

    @property
    def shape(self) -> tuple[int, int]: ...
    def dot(
        self,
        x: NDArray[np.floating],
        table: NDArray[np.float64],
        large_values: NDArray[np.float64],
        threads: int = 1,
    ) -> NDArray[np.floating]:
        """y = f(X)·x for a vector, or a C-ordered block of them with one vector a column."""

    def squares(
        self,
        columns: NDArray[np.float64],
        table: NDArray[np.float64],
        large_values: NDArray[np.float64],
        threads: int = 1,
    ) -> NDArray[np.float64]:
        """The rows' squared lengths, each column times a factor; f is already squared."""

    def frequencies(self) -> NDArray[np.int64]:
        """In how many rows each column is."""

    def block_scores(
        self,
        x: NDArray[np.floating],
        scales: NDArray[np.float64],
        table: NDArray[np.float64],
        large_values: NDArray[np.float64],
        factors: NDArray[np.float64],
        y: NDArray[np.floating],
        threads: int = 1,
    ) -> None:
        """Write f(X)·x to y, for a block: x times a scale a column, y times a factor a row."""

    def add_block(
        self,
        x: NDArray[np.floating],
        scales: NDArray[np.float64],
        table: NDArray[np.float64],
        large_values: NDArray[np.float64],
        places: NDArray[np.uint32] | None,
        sums: NDArray[np.floating],
        threads: int = 1,
    ) -> None:
        """Add f(X)·x to sums, for a block times a scale a column: row r's products to row r, or to
        row places[r]; places ascend.
        """

    def dot_rows(
        self,
        ids: NDArray[np.uint32],
        x: NDArray[np.floating],
        table: NDArray[np.float64],
        large_values: NDArray[np.float64],
        threads: int = 1,
    ) -> NDArray[np.floating]:
        """The same for some rows."""

    def weighted_sum(
        self,
        a: NDArray[np.floating],
        table: NDArray[np.float64],
        large_values: NDArray[np.float64],
        threads: int = 1,
    ) -> NDArray[np.floating]:
        """g = Σ_i a[i]·f(X[i]): the other product; rows with a[i] = 0 cost nothing.

        A vector must be float64; of a block, a row for each row of X, threads take 256 bytes a row.
        """

    def fused(
        self,
        x: NDArray[np.float64],
        table: NDArray[np.float64],
        large_values: NDArray[np.float64],
        y: NDArray[np.float64],
        a: NDArray[np.float64],
        weigh: Callable[[int, int], object],
        threads: int = 1,
    ) -> NDArray[np.float64]:
        """Both products in one reading: y = f(X)·x is written for rows first … last−1, weigh(first,
        last) writes their weights to `a`, and Σ a[i]·f(X[i]) is returned: the same bits as by
        `dot` and `weighted_sum`. Threads call `weigh` in turn, for other rows each.
        """

    def add_rows(
        self,
        ids: NDArray[np.uint32],
        a: NDArray[np.float64],
        table: NDArray[np.float64],
        large_values: NDArray[np.float64],
        sums: NDArray[np.float64],
    ) -> None:
        """Add some rows of f(X), times weights, to `sums`."""

    def exact(
        self,
        ids: NDArray[np.uint32],
        columns: NDArray[np.uint32] | None,
        weights: NDArray[np.float64],
        table: NDArray[np.float64],
        large_values: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Some rows' products with a dense vector (columns None) or a sparse one, each summed in
        stored order in double precision: the same bits whichever way the rows were found.
        """

    def candidates(
        self,
        columns: NDArray[np.uint32],
        weights: NDArray[np.float64],
        factors: NDArray[np.float32],
        keep: NDArray[np.bool_] | None,
        k: int,
        slack: float,
        table: NDArray[np.float64],
        large_values: NDArray[np.float64],
        positive: bool,
    ) -> NDArray[np.uint32]:
        """Over an inverted file (rows are terms): the documents that can be among the k best,
        given that scores may be off by `slack`. Scores are factors[d]·Σ weights·f(count).
        With `positive`, only documents that hold a query term and may score above 0.
        """

    def add_scores(
        self,
        columns: NDArray[np.uint32],
        weights: NDArray[np.float64],
        factors: NDArray[np.float32],
        table: NDArray[np.float64],
        large_values: NDArray[np.float64],
        scale: float,
        out: NDArray[np.float32],
    ) -> None:
        """Over an inverted file: out[d] += scale·factors[d]·Σ weights·f(count)."""

    def entries(
        self, ids: NDArray[np.uint32]
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.uint32]]:
        """Starts, columns (ascending) and counts of some rows."""

    def select(
        self, ids: NDArray[np.uint32], numbers: NDArray[np.uint32] | None = None
    ) -> CountArrays:
        """Some rows as a matrix of their own; column c becomes numbers[c].

        Columns whose number is 2³² − 1, or that have none, are left out.
        """

    def transpose(self, threads: int = 1) -> CountArrays:
        """The same entries by column: from a segment's rows to its inverted file."""

def select(
    matrices: Sequence[tuple[Counts, NDArray[np.uint32], NDArray[np.uint32]]], threads: int = 1
) -> CountArrays:
    """Some rows of several matrices, one below another, each with its own numbers for columns."""

class Values:
    """As Counts, over a CSR of float32 values; f is the identity and needs no table."""

    def __init__(
        self,
        starts: NDArray[np.uint32],
        columns: NDArray[np.uint32],
        values: NDArray[np.float32],
        width: int,
    ) -> None: ...
    @property
    def shape(self) -> tuple[int, int]: ...
    def dot(self, x: NDArray[np.floating], threads: int = 1) -> NDArray[np.floating]: ...
    def weighted_sum(self, a: NDArray[np.floating], threads: int = 1) -> NDArray[np.floating]: ...
    def fused(
        self,
        x: NDArray[np.float64],
        y: NDArray[np.float64],
        a: NDArray[np.float64],
        weigh: Callable[[int, int], object],
        threads: int = 1,
    ) -> NDArray[np.float64]: ...
    def exact(
        self,
        ids: NDArray[np.uint32],
        columns: NDArray[np.uint32] | None,
        weights: NDArray[np.float64],
    ) -> NDArray[np.float64]: ...

def all_finite(numbers: NDArray[np.float32]) -> bool:
    """Whether no number is NaN or infinite."""

def best(
    scores: NDArray[np.floating], keep: NDArray[np.bool_] | None, k: int, slack: float
) -> NDArray[np.uint32]:
    """The positions whose score is within 2·slack of the k-th best, ascending."""

def hinge_line(
    slack: NDArray[np.float64], change: NDArray[np.float64], points: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The slopes and values of Σ max(0, slack + k·change) at k = 1/points … 1."""

class Rows:
    """Rows of several matrices under one numbering, x_i = scale[i]·f(stored row)·col, in place.

    A row may have several layers that stand side by side; the columns of what is added to one
    begin at `first`.
    """

    @overload
    def __init__(self, col: NDArray[np.float64], size: int, layers: int = 1) -> None: ...
    @overload
    def __init__(self, like: Rows, size: int) -> None:
        """None yet, with the same factors of columns."""

    def add_counts(
        self,
        matrix: Counts,
        table: NDArray[np.float64],
        large_values: NDArray[np.float64],
        places: NDArray[np.uint32],
        ids: NDArray[np.uint32],
        scale: NDArray[np.float64],
        layer: int = 0,
        first: int = 0,
    ) -> None:
        """Row places[i] is row ids[i] of the matrix; so for every part until all are given."""

    def add_values(
        self,
        matrix: Values,
        places: NDArray[np.uint32],
        ids: NDArray[np.uint32],
        scale: NDArray[np.float64],
        layer: int = 0,
        first: int = 0,
    ) -> None: ...
    def add_doubles(
        self,
        matrix: Doubles,
        places: NDArray[np.uint32],
        ids: NDArray[np.uint32],
        scale: NDArray[np.float64],
    ) -> None:
        """Rows of a matrix that stays where it is."""

    def add_array(
        self,
        matrix: NDArray[np.float64],
        places: NDArray[np.uint32],
        ids: NDArray[np.uint32],
        scale: NDArray[np.float64],
    ) -> None: ...
    def add_dense(
        self,
        matrix: DenseNumbers,
        places: NDArray[np.uint32],
        ids: NDArray[np.uint32],
        scale: NDArray[np.float64],
        layer: int = 0,
        first: int = 0,
    ) -> None:
        """The columns' factors must be 1; rows of bytes are given their own as `scale`."""

    def weighted_sum(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Σ weights[i]·x_i, by one thread."""

    def entries(
        self, threads: int = 1
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
        """Where each row starts, and all columns and values, columns ascending in each row."""

    def __len__(self) -> int: ...

class Descent:
    """min ½‖w‖² + ½b² + Σ costs·max(0, margins − labels·(Xw + b))^(1 or 2), by its dual."""

    def __init__(
        self,
        rows: Rows,
        squares: NDArray[np.float64],
        labels: NDArray[np.float64],
        margins: NDArray[np.float64],
        costs: NDArray[np.float64],
        alpha: NDArray[np.float64],
        w: NDArray[np.float64],
        *,
        squared: bool = False,
        bias: bool = False,
        seed: int = 0,
        threads: int = 1,
        places: NDArray[np.uint32] | None = None,
    ) -> None:
        """`squares` are the rows' squared lengths; it starts from `alpha`, which must be within
        the costs, and w = Σ alpha·labels·x, which may be empty if alpha is 0. Labels are ±1; NaN,
        infinite or negative amounts are refused. All rows, or those at some places; they are
        copied once for all descents, if they are few enough.
        """

    def epoch(self) -> tuple[float, float, int]:
        """One round; the primal (estimated), the dual, and rows visited so far."""

    def check(self) -> tuple[float, float, int]:
        """The same without a round, the primal exact."""

    def sum(self) -> NDArray[np.float64]:
        """Σ alpha·labels·x."""

    @property
    def scores(self) -> NDArray[np.float64]:
        """The rows' products with that sum, at the last check."""

    @property
    def alpha(self) -> NDArray[np.float64]: ...
    @property
    def bias(self) -> float: ...

class Doubles:
    """A CSR matrix of double precision, columns in any order; read where it is."""

    def __init__(
        self,
        starts: NDArray[np.uint32],
        columns: NDArray[np.uint32],
        values: NDArray[np.float64],
        width: int,
        threads: int = 1,
    ) -> None:
        """Arrays that describe no matrix of this width are refused."""

    @property
    def squares(self) -> NDArray[np.float64]:
        """The rows' squared lengths; wrong if `repeated`."""

    @property
    def repeated(self) -> bool:
        """Whether a row names a column twice."""

    def dot(self, v: NDArray[np.float64], threads: int = 1) -> NDArray[np.float64]:
        """y = X·v."""

    def weighted_sum(self, a: NDArray[np.float64], threads: int = 1) -> NDArray[np.float64]:
        """Σ a[i]·row i."""

def dense_dot(
    matrix: DenseNumbers, x: NDArray[np.floating], threads: int = 1
) -> NDArray[np.floating]:
    """y = X·x, read in order; float32 or float64 as x is."""

def dense_dot_rows(
    matrix: DenseNumbers,
    ids: NDArray[np.uint32],
    x: NDArray[np.floating],
    threads: int = 1,
) -> NDArray[np.floating]:
    """The same for some rows."""

def dense_weighted_sum(
    matrix: DenseNumbers, a: NDArray[np.float64], threads: int = 1
) -> NDArray[np.float64]:
    """g = Xᵀ·a; rows with a[i] = 0 are not read."""

def dense_add_rows(
    matrix: DenseNumbers,
    ids: NDArray[np.uint32],
    a: NDArray[np.float64],
    sums: NDArray[np.float64],
) -> None:
    """Add some rows, times weights, to `sums`."""

def dense_squares(
    matrix: DenseNumbers, factors: NDArray[np.float64], threads: int = 1
) -> NDArray[np.float64]:
    """Each row's squared length, columns scaled first."""

def fold(
    matrix: Counts,
    ids: NDArray[np.uint32],
    numbers: NDArray[np.uint32],
    basis: DenseNumbers,
    factors: NDArray[np.float32] | None,
    centre: NDArray[np.float32],
    table: NDArray[np.float64],
    large_values: NDArray[np.float64],
    bytes: bool,
    threads: int = 1,
) -> tuple[DenseNumbers, NDArray[np.float32] | None]:
    """The places of some rows in a latent space, unit(f(X)·F) − centre, 0 for a row without a term
    of it: float32 or, if `bytes` says so, rows of bytes and their factors, as `pack` makes them.

    F's rows are the basis, times a factor each where it is of bytes; column c's row is numbers[c],
    none if that is 2³² − 1 or if there are fewer.
    """

def pack(
    rows: NDArray[np.float32], threads: int = 1
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Rows in a byte a number and a factor a row, as likewise.views.precision says."""

def mean_direction(rows: NDArray[np.float32], threads: int = 1) -> NDArray[np.float64]:
    """The mean of the rows, each divided by its length."""

class Pass:
    """Products of several matrices with a vector each, done together by `run`: no thread waits at
    the end of a matrix. What they read and write must not be touched before. Arguments are as in
    Counts.
    """

    def __init__(self, threads: int) -> None: ...
    @property
    def threads(self) -> int: ...
    def zeros(self, size: int) -> NDArray[np.float64]:
        """Sums to add to, which are zero when it runs; in memory that is used again once the array
        is gone: fresh pages cost more.
        """

    def scores(
        self,
        matrix: Counts,
        x: NDArray[np.floating],
        table: NDArray[np.float64],
        large_values: NDArray[np.float64],
        factors: NDArray[np.float64],
        y: NDArray[np.floating],
    ) -> None:
        """Write factors·(f(X)·x) to y."""

    def add_row_factors(
        self,
        matrix: Counts,
        squared: NDArray[np.float64],
        table: NDArray[np.float64],
        large_values: NDArray[np.float64],
        damping: float,
        mean: float,
        squares: NDArray[np.float64],
        row: NDArray[np.float64],
    ) -> None:
        """Write 1/length of each row to `row`, and the squared length of the row times it to
        `squares`; the columns' factors and f are squared already. With a `damping` above 0, rows
        of fewer entries than the `mean` get less: see likewise.weighting.damped_rows.
        """

    def add_sums(
        self,
        matrix: Counts,
        a: NDArray[np.float64],
        scales: NDArray[np.float64],
        table: NDArray[np.float64],
        large_values: NDArray[np.float64],
        sums: NDArray[np.float64],
    ) -> None:
        """Add the rows, times a and scales, to `sums`, after all else; where a is 0 at no cost."""

    def add_products(
        self,
        matrix: Counts,
        x: NDArray[np.floating],
        scales: NDArray[np.float64],
        table: NDArray[np.float64],
        large_values: NDArray[np.float64],
        places: NDArray[np.uint32] | None,
        sums: NDArray[np.float64],
    ) -> None:
        """Add f(X)·(scales·x) to `sums`: row r's to sums[places[r]], where places ascend, or to
        sums[r].
        """

    def run(self) -> None:
        """Do what was asked for since the last time."""

def scale(
    vector: NDArray[np.floating],
    factors: NDArray[np.float64],
    out: NDArray[np.floating],
    threads: int = 1,
) -> None:
    """Write factors·vector to `out`, which may be less precise."""

def are_counts(matrices: list[tuple[CountArrays, int, int]], threads: int = 1) -> list[bool]:
    """Of each (arrays, width, highest column): whether they describe a matrix, as Counts asks."""

def add_row_sizes(
    starts: NDArray[np.uint32], places: NDArray[np.uint32] | None, sums: NDArray[np.int64]
) -> None:
    """Add how many entries each row has to `sums`, at its place if `places` are given."""

def scale_rows(
    matrix: NDArray[np.floating], factors: NDArray[np.float64], threads: int = 1
) -> NDArray[np.floating]:
    """The rows of a matrix, each times its factor, which is rounded to the matrix' type first."""

def scale_own_rows(
    matrix: NDArray[np.floating], factors: NDArray[np.float64], threads: int = 1
) -> None:
    """The same, in its place."""

class Judged:
    """min ½‖w‖² + ½b² + Σ c·max(0, 1 − y(w·x + b))² over documents judged one after another, and
    all documents' scores; a column holds the products of all documents with a judged one.
    """

    def __init__(self, documents: int) -> None: ...
    def add(
        self,
        document: int,
        relevant: bool,
        columns: NDArray[np.int32],
        values: NDArray[np.float64],
    ) -> None:
        """A document's row."""

    def keep(self, document: int, column: NDArray[np.float32]) -> None:
        """Keep a judged document's column, so that it is never owed."""

    def remove(self, document: int) -> None: ...
    def solve(
        self, relevant_cost: float, other_cost: float, tol: float, rounds: int
    ) -> tuple[float, float, float, int]:
        """Primal, dual, primal at w = 0, and how many steps were made so far."""

    @property
    def debts(self) -> list[tuple[int, bool, float]]:
        """What scores lack of the weights: a document, whether to the relevant side, the change."""

    def pay(self, document: int, column: NDArray[np.float32]) -> None: ...
    def pay_side(self, relevant: bool, sums: NDArray[np.float32]) -> None:
        """Σ change·x·x_d over all that is owed to a side, instead of columns."""

    def best(self, k: int, keep: NDArray[np.bool_] | None = None) -> list[tuple[int, float]]:
        """The k best documents with their scores, ties by number."""

    @property
    def scores(self) -> NDArray[np.float64]:
        """Of all documents, without the bias."""

    @property
    def bias(self) -> float: ...
    @property
    def documents(self) -> NDArray[np.uint32]:
        """The judged ones, in the order in which they were added."""

    @property
    def weights(self) -> NDArray[np.float64]:
        """Of the judged documents: w is the sum of their vectors times these."""

NOBODY: int
"""Stands for the zero vector in a pair: the other row is a point."""

def chance(strategy: str, margin: float) -> float:
    """How likely a drawn pair of this margin is accepted: random, close or correct."""

class Pairs:
    """min ½‖w‖² + ½θ² + Σ costs·loss(w·(upper − lower)) over pairs of rows, by its dual.

    A row that stands alone (the other is NOBODY) has the margin ±(w·x − θ), with a threshold.
    """

    def __init__(
        self, rows: Rows, *, loss: str = "hinge", threshold: bool = False, seed: int = 0
    ) -> None: ...
    def add(self, upper: NDArray[np.uint32], lower: NDArray[np.uint32]) -> None:
        """New pairs, with a cost of 0."""

    def set_costs(self, costs: NDArray[np.float64]) -> None:
        """One a pair; multipliers above are cut back."""

    def epoch(self) -> tuple[float, float, int]:
        """One round; the primal and the dual of the pairs in play (estimated), and visits."""

    def check(self) -> tuple[float, float, int]:
        """The exact primal and dual of all pairs."""

    @property
    def alpha(self) -> NDArray[np.float64]: ...
    @property
    def theta(self) -> float: ...
    def __len__(self) -> int: ...

class Draws:
    """Draws pairs of a row 0 … upper−1 and one of the `lower` rows behind, each pair once.

    With probability gamma a pair, else a row of either side. The running sums are of the rows'
    weights, empty where all weigh the same.
    """

    def __init__(
        self,
        upper: int,
        lower: int,
        upper_sums: NDArray[np.float64],
        lower_sums: NDArray[np.float64],
        *,
        gamma: float = 1.0,
        seed: int = 0,
        threads: int = 1,
    ) -> None: ...
    def soft(
        self, model: Pairs, strategy: str, count: int, most: int
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.float64], int]:
        """Upper rows, lower rows, chances, and rejected draws; less than `count` after `most`."""

    def hard(
        self, model: Pairs, strategy: str, count: int
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.float64], int]:
        """The hardest pairs by `close` or `correct`."""

def combined(
    rows: Rows,
    squares: NDArray[np.float64],
    draws: Draws,
    loss: str,
    regression: bool,
    total: float,
    steps: int,
) -> NDArray[np.float64]:
    """Combined ranking and regression by so many steps; the rows' multipliers, w = Σ a·x, of the
    mean w of the first half of the steps, then those of the mean of all.
    """

class Texts:
    """Texts that the core has read, where they stand: a sequence of str."""

    def __len__(self) -> int: ...
    def __getitem__(self, place: int, /) -> str: ...
    def __iter__(self) -> Iterator[str]: ...
    def strings(self) -> list[str]: ...
    def lengths(self) -> NDArray[np.uint32]:
        """Of each text, in bytes."""

    def hashes(self) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
        """As `hashes` gives those of strings one after another."""

class Lines:
    """JSON objects, one a line, of which is known where each key's value is."""

    def __len__(self) -> int: ...
    @property
    def keys(self) -> list[str]:
        """In the order of their first appearance."""

    def ends(self) -> NDArray[np.uint64]:
        """Where each line ends, its newline included."""

    def texts(self, keys: Sequence[str]) -> Texts | None:
        """For each line the first of these keys that has a text that is not empty; "" if none has.

        None where one has something else than text or null.
        """

def scan(records: bytes) -> Lines | None:
    """Find keys and values; None where lines are not valid JSON in UTF-8, or are unusual: a key is
    there twice or written with escapes, a number is long, a surrogate stands alone.
    """

def line_ends(lines: bytes) -> NDArray[np.int64]:
    """Where each line ends, its newline included."""

def joined(strings: list[str]) -> tuple[bytes, NDArray[np.uint64]] | None:
    """Strings one after another, and where each ends; None where one is not ASCII."""

class Codes:
    """A field's values as they are written, each with a code by its first appearance.

    That of null, of objects and of what is not there is 0. `documents` have passed by before.
    """

    def __init__(self, documents: int, longest: int, longest_list: int) -> None: ...
    def add_lines(self, lines: Lines, key: str) -> bool:
        """The values of some lines; False where one is longer than may be."""

    def add(self, values: Iterable[bytes]) -> bool: ...
    def __len__(self) -> int: ...
    @property
    def memory(self) -> int: ...
    def arrays(self) -> tuple[NDArray[np.uint8], NDArray[np.uint64], NDArray[np.uint32]]:
        """The values' text, where each ends, and the codes."""

class TitleCounter:
    """Titles in, counts of their parts out; columns are hashes."""

    def __init__(
        self, classes: Callable[[], NDArray[np.uint8]], max_bytes: int = 64, threads: int = 1
    ) -> None: ...
    def unknown(self, titles: Sequence[str] | Texts) -> list[str]:
        """Forms that are not ASCII and that `know` has not told of, each once."""

    def know(self, form: str, words: Sequence[str]) -> None:
        """A form stands for these words."""

    def add(self, titles: Sequence[str] | Texts) -> None:
        """A row for each title."""

    def drain(self) -> CountArrays: ...
    @property
    def memory(self) -> int: ...

class Postings:
    """Counts of several segments by term and by document, for searches by a few terms.

    `factors` are those of the columns, and `longest` the length of the longest document.
    """

    def __init__(self, factors: NDArray[np.float64], longest: float) -> None: ...
    def add(
        self,
        inverted: Counts,
        rows: Counts,
        table: NDArray[np.float64],
        large: NDArray[np.float64],
        large_inverted: NDArray[np.float64],
        factors: NDArray[np.float64],
        factors32: NDArray[np.float32],
        listed: NDArray[np.uint32] | None,
        live: NDArray[np.uint32] | None,
    ) -> None:
        """The next segment: f of counts as a table and of large ones, the documents' factors, the
        terms of the inverted file's rows (None: all), and the documents that are not deleted.
        """

    def best(
        self,
        columns: NDArray[np.int32],
        weights: NDArray[np.float64],
        k: int,
        keep: NDArray[np.bool_] | None,
        most: float,
    ) -> list[tuple[int, float]] | None:
        """The k best documents that score above 0, best first, scored exactly; columns ascend.

        None where the columns' postings are more than this share of all entries.
        """

    def know(self, common: NDArray[np.bool_], lengths: NDArray[np.float32]) -> None:
        """Which columns are common, and the length of each document by these alone, deleted ones
        included: it bounds what such terms add to a score.
        """

    def pruned(
        self,
        columns: NDArray[np.int32],
        weights: NDArray[np.float64],
        k: int,
        keep: NDArray[np.bool_] | None,
        positive: bool,
        threads: int,
    ) -> list[tuple[int, float]] | None:
        """The k best by many terms, without all of their postings; with `positive`, scores above 0.

        None where reading all rows is likely to take less time.
        """

class StringTables:
    """Tables of strings one after another under one numbering, read where they lie."""

    def __init__(self) -> None: ...
    def add(
        self,
        text: NDArray[np.uint8],
        ends: NDArray[np.unsignedinteger],
        hashes: NDArray[np.unsignedinteger] | None,
        order: NDArray[np.uint32] | None,
        live: NDArray[np.uint32] | None,
        symbols: NDArray[np.uint8] | None,
    ) -> None:
        """Hashes of 4 bytes are the upper half of 8. Only the strings `live` count, if given; with
        `symbols`, each is packed.
        """

    def at(self, numbers: Iterable[int]) -> list[str]:
        """Strings by number; an IndexError that consists of a number names one there is not."""

    def find(self, strings: list[bytes], hashes: list[int]) -> list[int]:
        """Their numbers, -1 for one that is not there."""

    def __len__(self) -> int: ...

class TitleText:
    """Collects titles."""

    def __init__(self) -> None: ...
    def add(self, titles: Sequence[str] | Texts) -> None: ...
    @property
    def any(self) -> bool:
        """Whether one of them is not empty."""

    @property
    def memory(self) -> int: ...
    def pack(
        self, threads: int = 1
    ) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint32]]:
        """Symbols, the titles packed by them one after another, and where each ends."""

class HashSet:
    """Hashes met so far."""

    def __init__(self) -> None: ...
    def add(self, hashes: NDArray[np.uint64]) -> bool:
        """Take all of them; False where one was there already or comes twice."""

    def __len__(self) -> int: ...

def likely(sorted: NDArray[np.uint32], hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
    """The places of hashes whose upper half is among these, which ascend."""

def hashes(
    text: NDArray[np.uint8], ends: NDArray[np.uint64]
) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    """XXH3 of strings one after another, and the places of those longer than 16 bytes, which have
    0 instead.
    """

def read_through(
    sections: list[tuple[NDArray[np.uint8], int]], threads: int = 1
) -> list[tuple[int, int, bool, bool]]:
    """What one reading tells of arrays of bytes, each with the bytes that a number has: 1, 2, 4, 8,
    3 (then one byte more is at the end), or 0 where there are no numbers to compare.

    XXH3 of all bytes, the highest number, whether numbers ascend, and whether each differs from the
    one before it; the last two only of numbers of 4 and 8 bytes.
    """

def is_permutation(numbers: NDArray[np.uint32]) -> bool:
    """Whether each number below their count is there once."""

class Mapping:
    """A file mapped for reading: a capsule, which is handed to release_pages."""

def map_file(descriptor: int) -> tuple[Mapping, NDArray[np.uint8]]:
    """Map the whole of an open file, which may be closed then; OSError where that fails.

    The array of its bytes cannot be written to. It needs neither the descriptor nor the file's
    name, and is there as long as anybody has it.
    """

class Frames:
    """Compresses many pieces in one call, a frame of Zstandard each, without the GIL. Threads may
    share one.
    """

    def __init__(self, library: str, options: dict[int, int], dictionary: bytes) -> None:
        """`library` is a file that is loaded and has the functions, or brings one that has them; a
        RuntimeError if it is not, or has not.
        """

    def compress(self, text: bytes, stops: NDArray[np.int64]) -> tuple[bytes, NDArray[np.uint32]]:
        """Frames of what lies between neighbouring stops, and how long each is."""

class FrameReader:
    """Reads short frames of Zstandard, with what a dictionary begins them with, if there is one."""

    def __init__(self, library: str, dictionary: bytes) -> None:
        """`library` as for `Frames`; a RuntimeError if it has not the functions."""

    def read(self, frame: memoryview, size: int, lines: int) -> bytes | None:
        """The text of a frame; None unless it is a whole one of so many bytes and whole lines.
        A ValueError if these are more than a megabyte.
        """

def in_three_bytes(columns: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """The lower three bytes of each, the lowest first."""

def most_repeated(text: bytes, size: int) -> bytes:
    """Stretches of a text, of at most so many bytes in all, that repeat most of it; the best last.

    Where the text is hardly longer than that, it is its end.
    """

def release_pages(mapping: Mapping) -> None:
    """Take no memory for the pages read so far; they are read again when needed."""
