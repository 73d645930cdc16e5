"""min_w ½‖w‖² + C·R(Xw) for every smooth loss: squared hinges, logistic.

A Newton method (Keerthi & DeCoste, JMLR 2005). Conjugate gradients need only products with the
Hessian: two passes per step, or one fused pass if the loss is a sum over documents. An exact line
search follows. α = −C·∂R/∂s is a feasible dual point for any of these losses, and its gap is
½‖gradient‖².
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from likewise.solvers.solution import Solution
from likewise.solvers.stopping import Progress

if TYPE_CHECKING:
    from likewise import corpus as contract
    from likewise.losses import Smooth
    from likewise.solvers.products import Products
    from likewise.solvers.stopping import Report, Stop

FORCING = 0.2
CG_STEPS = 30
LINE_STEPS = 30
LINE_PRECISION = 1e-3


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
    search = _Search(corpus, loss, float(C))
    while not stop(search.progress):
        search.step()
        if report is not None:
            report(search.progress.passes, search.progress.objective, search.progress.gap)
    return search.solution()


def multiplied(s: contract.Vector, factors: contract.Vector) -> contract.Vector:
    """The function of a fused pass: at module level, so that it can be sent to other machines."""
    return s * factors


class _Search:
    def __init__(self, corpus: Products, loss: Smooth, C: float) -> None:
        self._corpus, self._loss, self._C = corpus, loss, C
        self._dot, xp = corpus.arrays.dot, corpus.arrays.xp
        nothing = xp.zeros(corpus.shape[0], dtype=xp.float64)
        self._point = Point(xp.zeros(corpus.shape[1], dtype=xp.float64), nothing, nothing)
        at_zero = C * loss.at(nothing).value
        self.progress = Progress(0, 0, at_zero, 0.0, at_zero)
        self._differentiate()

    def step(self) -> None:
        direction = self._direction()
        self._point = self._point.plus(self._length(direction), direction)
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
        """About −H⁻¹·gradient, by conjugate gradients."""
        zeros_like = self._corpus.arrays.xp.zeros_like
        result = Point(*map(zeros_like, self._point))
        left, left_weights = -self._gradient, -self._gradient_weights
        along, along_weights = left, left_weights
        square = self._dot(left, left)
        enough = FORCING**2 * square
        for _ in range(CG_STEPS):
            if square <= enough:
                break
            scores, bent, sums = self._bent(along)
            product = along + sums
            k = square / self._dot(along, product)
            result = result.plus(k, Point(along, along_weights, scores))
            left = left - k * product
            left_weights = left_weights - k * (along_weights + bent)
            self.progress = self.progress._replace(passes=self.progress.passes + 2)
            last, square = square, self._dot(left, left)
            along = left + square / last * along
            along_weights = left_weights + square / last * along_weights
        return result

    def _bent(
        self, along: contract.Vector
    ) -> tuple[contract.Vector, contract.Vector, contract.Vector]:
        """The scores along a direction, C·∂²R/∂s² times these, and Xᵀ times that."""
        bend = self._bend
        if bend.curve is None:
            scores = self._corpus.scores(along)
            bent = self._C * bend.times(scores)
            return scores, bent, self._corpus.weighted_sum(bent)
        curve = self._C * bend.curve
        scores, sums = self._corpus.fused(along, multiplied, curve)
        return scores, multiplied(scores, curve), sums

    def _length(self, direction: Point) -> float:
        """The step length: where the slope along the line is 0, by Newton steps within bounds."""
        terms, scores = direction.terms, direction.scores
        start, curve = self._dot(self._point.terms, terms), self._dot(terms, terms)
        enough = LINE_PRECISION * abs(self._dot(self._gradient, terms))
        low, high, k = 0.0, math.inf, 1.0
        for _ in range(LINE_STEPS):
            bend = self._loss.at(self._point.scores + k * scores)
            slope = start + k * curve + self._C * self._dot(bend.slopes, scores)
            if abs(slope) <= enough:
                break
            low, high = (k, high) if slope < 0.0 else (low, k)
            k -= slope / (curve + self._C * self._dot(scores, bend.times(scores)))
            if high < math.inf and not low < k < high:
                k = 0.5 * (low + high)
        return k

    def solution(self) -> Solution:
        point = self._point
        return Solution(self._corpus.arrays, point.terms, point.weights, self.progress)
