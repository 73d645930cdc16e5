"""A two-class SVM of the judged documents, which continues after each judgement.

min ½‖w‖² + ½b² + Σ c_i·max(0, 1 − y_i(w·x_i + b))², with c = 0.1·√(judged/relevant) for each
relevant document and, for all non-relevant ones together, a tenth of the relevant ones' total. This
was among the best of some twenty such rules on half of 23 reviews; costs or shares half or twice as
large changed the loss by −0.4 to +1.9 %. x has all views side by side (views.py). Costs are for
vectors of length 1: they are divided by the mean squared length, which leaves the machine as it
would be for vectors scaled to 1 on average, but for b, which hardly matters. The products of judged
documents with each other are kept while they fit into memory: steps need no others. Scores of all
documents change by a column, their products with one document, for each weight that changes, or by
that of a sum of documents; it is one sparse product, and mostly of one weight (core/judged.h,
columns.py). Beyond that memory, steps read the judged documents' rows, and the k best are found as
for any query.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from likewise.feedback.columns import Columns
from likewise.feedback.select import Ranked
from likewise.losses import SquaredHinge
from likewise.solvers.descent import descend
from likewise.solvers.problems import smooth
from likewise.solvers.solution import Solution
from likewise.solvers.stopping import Progress, first_of, gap_below, iterations

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likewise.corpus import Judged
    from likewise.feedback.situation import Situation

COST = 0.1
SHARE = 0.1  # of the relevant documents' total, for all the non-relevant together
TOL = 1e-2
ROUNDS = 1000
MANY = 16  # for at least 1/MANY of all documents, reading all takes less time than picking rows
ROW = 4_000  # bytes of a judged document's row, about
MEMORY = 256 << 20  # bytes of products with each other


class TwoClass:
    def __init__(
        self,
        cost: float = COST,
        share: float = SHARE,
        *,
        tol: float = TOL,
        memory: int = MEMORY,
    ) -> None:
        self._cost, self._share = cost, share
        self._tol, self._memory = tol, memory
        self._engine: Judged | None = None
        self._columns = Columns()
        self._seen = 0
        self._before = 0  # how many were learned from since scores were brought along
        self._learned: set[int] = set()
        self._weights: NDArray[np.float64] | None = None

    @property
    def size(self) -> int:
        """Bytes of the rows, products and columns that are kept."""
        count = len(self._learned)
        return ROW * count + _products(count) + self._columns.size

    def __call__(self, situation: Situation) -> Ranked:
        if _products(len(situation.labels)) > self._memory:
            return self._by_rows(situation)
        if self._engine is None:
            self._engine = situation.corpus.judged()
        if self._engine is None:
            return self._by_rows(situation)
        self._follow(situation, self._engine)
        return self._by_products(situation, self._engine)

    def approach(self, situation: Situation) -> None:
        """Learn from what is new, and leave the scores of all documents for later."""
        if self._engine is not None and _products(len(situation.labels)) <= self._memory:
            self._before += 1  # of the next one; and of this one, since another one follows
            self._follow(situation, self._engine)
            self._engine.solve(*self._costs(situation), self._tol, ROUNDS)

    def _follow(self, situation: Situation, engine: Judged) -> None:
        """Apply judgements that are new or have changed since the last call."""
        changed = dict.fromkeys(situation.log[self._seen :])
        for number in changed:
            if number in self._learned:
                engine.remove(number)
                self._columns.forget(number)
                self._learned.discard(number)
        new = [number for number in changed if number in situation.labels]
        count = len(new) + self._before
        for number in new:
            self._columns.add(situation, engine, number, situation.labels[number], new=count)
            self._learned.add(number)
        self._seen = len(situation.log)

    def _by_products(self, situation: Situation, engine: Judged) -> Ranked:
        each, other = self._costs(situation)
        primal, dual, at_zero, _ = engine.solve(each, other, self._tol, ROUNDS)
        self._columns.settle(situation, engine)
        self._before = 0
        progress = Progress(1, 1, primal, dual, at_zero)
        query = partial(_query, situation, engine.documents, engine.weights, progress, engine.bias)
        return Ranked(query, threshold=-engine.bias, learner=engine)

    def _by_rows(self, situation: Situation) -> Ranked:
        self._leave_columns(situation)
        ids = np.array(list(situation.labels), np.int64)
        signs = np.where([situation.labels[number] for number in ids.tolist()], 1.0, -1.0)
        costs = np.where(signs > 0, *self._costs(situation))
        start = None if self._weights is None else self._weights[ids]
        stop = first_of(iterations(ROUNDS), gap_below(self._tol))
        corpus = situation.learned_from.take(ids)
        arrays = corpus.arrays
        loss = SquaredHinge(arrays, arrays.vector(costs), arrays.vector(signs))
        solution = descend(corpus, loss, 1.0, stop, bias=True, start=start)
        if solution is None:  # the engine has only passes
            solution = smooth(corpus, loss, 1.0, stop, None, bias=True)
        placed = solution.among(ids, situation.corpus.arrays)
        self._weights = np.zeros(situation.learned_from.shape[0])
        self._weights[placed.support] = placed.alphas
        return Ranked(lambda: placed, threshold=-placed.bias)

    def _leave_columns(self, situation: Situation) -> None:
        if self._engine is None:
            return
        self._weights = np.zeros(situation.learned_from.shape[0])
        self._weights[self._engine.documents] = self._engine.weights
        self._engine, self._seen, self._columns = None, 0, Columns()
        self._learned.clear()

    def _costs(self, situation: Situation) -> tuple[float, float]:
        """The costs of squared slack of a relevant and of a non-relevant document."""
        relevant, others = situation.count(True), situation.count(False)
        each = self._cost * math.sqrt((relevant + others) / relevant) / situation.length
        return each, each * self._share * relevant / max(others, 1)


def _products(judged: int) -> int:
    """Bytes of the products of so many documents with each other."""
    return 4 * judged**2


def _query(
    situation: Situation,
    documents: NDArray[np.uint32],
    weights: NDArray[np.float64],
    progress: Progress,
    bias: float,
) -> Solution:
    used = weights != 0.0
    ids, alphas = documents[used].astype(np.int64), weights[used]
    corpus = situation.learned_from
    arrays = corpus.arrays
    if MANY * len(ids) < corpus.shape[0]:
        w = arrays.vector(corpus.rows(ids).weighted_sum(alphas))
    else:
        w = corpus.weighted_sum(arrays.placed(corpus.shape[0], (ids, alphas)))
    return Solution(arrays, w, alphas, progress, bias, ids)
