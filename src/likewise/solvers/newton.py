"""min_w ½‖w‖² + C·R(Xw) for every smooth loss: squared hinges, logistic.

A Newton method (Keerthi & DeCoste, JMLR 2005). Its directions come from conjugate gradients
(solvers/conjugate.py); an exact line search follows. α = −C·∂R/∂s is a feasible dual point for any
of these losses, and its gap is ½‖gradient‖².

Where documents are many, the problem is first solved over a sample of them that stands for all
(solvers/thinned.py), by coordinate descent if examples are many. From there few steps are left, and
their directions are those of the sample's Hessian (Byrd et al., SIAM J. Optimization 2011): a step
makes two passes over all documents, one for scores along the direction and one for the gradient.
The gap is that of all documents.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from likewise.losses import SquaredHinge
from likewise.losses.smooth import along
from likewise.solvers.conjugate import conjugate
from likewise.solvers.descent import descend
from likewise.solvers.products import Biased
from likewise.solvers.solution import Solution
from likewise.solvers.stopping import Progress
from likewise.solvers.thinned import thinned

if TYPE_CHECKING:
    from likewise import corpus as contract
    from likewise.corpus import Corpus
    from likewise.losses import Smooth
    from likewise.solvers.products import Products
    from likewise.solvers.stopping import Report, Stop
    from likewise.solvers.thinned import Thinned

MANY = 100  # documents of a sample with a large cost: visits to rows are then faster than products
LINE_STEPS = 30
LINE_PRECISION = 1e-3
BIAS_PRECISION = 1e-3  # of a slope, whose square is to a gap as 1 is to the objective at 0


class Point(NamedTuple):
    """A vector over terms, Xᵀ·weights, and its scores."""

    terms: contract.Vector
    weights: contract.Vector
    scores: contract.Vector

    def plus(self, k: float, other: Point) -> Point:
        return Point(*(mine + k * theirs for mine, theirs in zip(self, other, strict=True)))


def newton(
    corpus: Products, loss: Smooth, C: float, stop: Stop, report: Report | None = None
) -> Solution:
    """From a sample of the documents, if they are many."""
    C, sample = float(C), thinned(corpus, loss, C)
    if sample is None:
        search = _Search(corpus, loss, C)
    else:
        start = _sampled(sample, C, stop)
        search = _Sampled(corpus, loss, C, sample, start)
    while not stop(search.progress):
        search.step()
        if report is not None:
            report(search.progress.passes, search.progress.objective, search.progress.gap)
    return search.solution()


def _sampled(sample: Thinned[Smooth], C: float, stop: Stop) -> Solution:
    """The sample's solution, by visits to its rows if those with a large cost are many."""
    some, loss = sample.corpus, sample.loss
    if sample.heavy < MANY or not isinstance(loss, SquaredHinge):
        return newton(some, loss, C, stop)
    bias = isinstance(some, Biased)
    inner = some.corpus if isinstance(some, Biased) else some
    found = cast("Solution", descend(cast("Corpus", inner), loss, C, stop, bias=bias))
    if not bias:
        return found
    return replace(found, w=np.append(found.w, found.bias), bias=0.0, scores=None)


class _Search:
    def __init__(self, corpus: Products, loss: Smooth, C: float) -> None:
        self._corpus, self._loss, self._C = corpus, loss, C
        self._dot, self._arrays, xp = corpus.arrays.dot, corpus.arrays, corpus.arrays.xp
        nothing = xp.zeros(corpus.shape[0], dtype=xp.float64)
        self._point = Point(xp.zeros(corpus.shape[1], dtype=xp.float64), nothing, nothing)
        at_zero = C * loss.at(nothing).value
        self.progress = Progress(0, 0, at_zero, 0.0, at_zero)
        self._begin()
        self._differentiate()

    def _begin(self) -> None:
        """Go to the first point."""

    def step(self) -> None:
        direction = self._direction()
        enough = LINE_PRECISION * abs(self._dot(self._gradient, direction.terms))
        self._point = self._point.plus(self._length(direction, 1.0, enough), direction)
        self._settle()
        self._differentiate()
        self.progress = self.progress._replace(iterations=self.progress.iterations + 1)

    def _differentiate(self) -> None:
        """The gradient w − Xᵀα, in one pass, and the lower bound that it gives."""
        point = self._point
        self._bend = self._loss.at(point.scores)
        alpha = -self._C * self._bend.slopes
        self._gradient = point.terms - self._corpus.weighted_sum(alpha)
        self._gradient_weights = point.weights - alpha
        objective = 0.5 * self._dot(point.terms, point.terms) + self._C * self._bend.value
        bound = objective - 0.5 * self._dot(self._gradient, self._gradient)
        last = self.progress
        self.progress = last._replace(
            passes=last.passes + 1, objective=objective, bound=max(bound, last.bound)
        )

    def _direction(self) -> Point:
        """About −H⁻¹·gradient."""
        found = conjugate(self._corpus, self._bend, self._C, -self._gradient)
        self.progress = self.progress._replace(passes=self.progress.passes + found.passes)
        weights = found.weights - found.share * self._gradient_weights
        return Point(found.terms, weights, found.scores)

    def _settle(self) -> None:
        """Improve the point before the gradient is computed."""

    def _length(self, direction: Point, k: float, enough: float) -> float:
        """The step length: where the slope along the line is 0, by Newton steps within bounds."""
        terms, scores = direction.terms, direction.scores
        start, curve = self._dot(self._point.terms, terms), self._dot(terms, terms)
        line = along(self._arrays, self._loss, self._point.scores, scores)
        low, high = -math.inf, math.inf
        for _ in range(LINE_STEPS):
            rise, bend = line(k)
            slope = start + k * curve + self._C * rise
            if abs(slope) <= enough:
                break
            low, high = (k, high) if slope < 0.0 else (low, k)
            k -= slope / (curve + self._C * bend())
            if high - low < math.inf and not low < k < high:
                k = 0.5 * (low + high)
        return k

    def solution(self) -> Solution:
        point = self._point
        return Solution(self._corpus.arrays, point.terms, point.weights, self.progress)


class _Sampled(_Search):
    """From the solution of a sample, in directions of the sample's Hessian."""

    def __init__(
        self, corpus: Products, loss: Smooth, C: float, sample: Thinned[Smooth], start: Solution
    ) -> None:
        self._sample, self._start = sample, start
        super().__init__(corpus, loss, C)

    def _begin(self) -> None:
        sample, start = self._sample, self._start
        terms = sample.widened(self._arrays, start.w)
        weights = sample.spread(self._arrays, start.weights)
        self._point = Point(terms, weights, self._corpus.scores(terms))
        self._settle()
        self._read(1, start.progress.passes)
        self.progress = self.progress._replace(iterations=start.progress.iterations)

    def _direction(self) -> Point:
        sample, arrays = self._sample, self._arrays
        bend = sample.loss.at(sample.own(arrays, self._point.scores))
        back = sample.narrowed(arrays, -self._gradient)
        found = conjugate(sample.corpus, bend, self._C, back)
        own = sample.widened(arrays, found.terms - found.share * back)
        terms = own - found.share * self._gradient
        weights = sample.spread(arrays, found.weights) - found.share * self._gradient_weights
        self._read(1, found.passes)
        return Point(terms, weights, self._corpus.scores(terms))

    def _settle(self) -> None:
        """Take the best bias: a sample leaves it less exact than w, and this needs no pass."""
        if not isinstance(self._corpus, Biased):
            return
        xp, (size, width) = self._arrays.xp, self._corpus.shape
        one = self._arrays.placed(width, (slice(width - 1, width), 1.0))
        same, more = (make(size, dtype=xp.float64) for make in (xp.zeros, xp.ones))
        direction = Point(one, same, more)
        enough = BIAS_PRECISION * math.sqrt(self.progress.at_zero)
        self._point = self._point.plus(self._length(direction, 0.0, enough), direction)

    def _read(self, passes: int, of_sample: int) -> None:
        """Note passes, those over the sample as parts of one."""
        total = passes + math.ceil(of_sample * self._sample.share)
        self.progress = self.progress._replace(passes=self.progress.passes + total)
