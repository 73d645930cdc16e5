"""min_w ½‖w‖² + C·R(Xw) for every smooth loss: squared hinges, logistic.

A Newton method (Keerthi & DeCoste, JMLR 2005): the Hessian is not formed but multiplied by in
conjugate gradients, two passes a step; an exact line search follows. α = −C·∂R/∂s is a feasible
dual point, whatever the loss, and its gap is ½‖gradient‖².
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise.solvers.solution import Solution
from likewise.solvers.stopping import Progress

if TYPE_CHECKING:
    from likewise.losses import Floats, Smooth
    from likewise.solvers.products import Products
    from likewise.solvers.stopping import Report, Stop

FORCING = 0.2
CG_STEPS = 30
LINE_STEPS = 30
LINE_PRECISION = 1e-3


class Vector(NamedTuple):
    """A vector Xᵀ·weights of the terms, and its scores."""

    terms: Floats
    weights: Floats
    scores: Floats

    def plus(self, k: float, other: Vector) -> Vector:
        return Vector(*(mine + k * theirs for mine, theirs in zip(self, other, strict=True)))


def newton(
    corpus: Products, loss: Smooth, C: float, stop: Stop, report: Report | None = None
) -> Solution:
    search = _Search(corpus, loss, C)
    while not stop(search.progress):
        search.step()
        if report is not None:
            report(search.progress.passes, search.progress.objective, search.progress.gap)
    return search.solution()


class _Search:
    def __init__(self, corpus: Products, loss: Smooth, C: float) -> None:
        self._corpus, self._loss, self._C = corpus, loss, C
        n, m = corpus.shape
        self._point = Vector(np.zeros(m), np.zeros(n), np.zeros(n))
        at_zero = C * loss.at(np.zeros(n)).value
        self.progress = Progress(0, 0, at_zero, 0.0, at_zero)
        self._differentiate()

    def step(self) -> None:
        direction = self._direction()
        self._point = self._point.plus(self._length(direction), direction)
        self._differentiate()
        self.progress = self.progress._replace(iterations=self.progress.iterations + 1)

    def _differentiate(self) -> None:
        """The gradient w − Xᵀα, in one pass, and what it tells about the objective."""
        point = self._point
        self._bend = self._loss.at(point.scores)
        alpha = -self._C * self._bend.slopes
        self._gradient = point.terms - self._corpus.weighted_sum(alpha)
        self._gradient_weights = point.weights - alpha
        objective = 0.5 * float(point.terms @ point.terms) + self._C * self._bend.value
        bound = objective - 0.5 * float(self._gradient @ self._gradient)
        last = self.progress
        self.progress = last._replace(
            passes=last.passes + 1, objective=objective, bound=max(bound, last.bound)
        )

    def _direction(self) -> Vector:
        """About −H⁻¹·gradient, by conjugate gradients."""
        result = Vector(*(np.zeros_like(part) for part in self._point))
        left, left_weights = -self._gradient, -self._gradient_weights
        along, along_weights = left, left_weights
        square = float(left @ left)
        enough = FORCING**2 * square
        for _ in range(CG_STEPS):
            if square <= enough:
                break
            scores = self._corpus.scores(along)
            bent = self._C * self._bend.times(scores)
            product = along + self._corpus.weighted_sum(bent)
            k = square / float(along @ product)
            result = result.plus(k, Vector(along, along_weights, scores))
            left = left - k * product
            left_weights = left_weights - k * (along_weights + bent)
            self.progress = self.progress._replace(passes=self.progress.passes + 2)
            last, square = square, float(left @ left)
            along = left + square / last * along
            along_weights = left_weights + square / last * along_weights
        return result

    def _length(self, direction: Vector) -> float:
        """How far to go: where the slope along the line is 0, by Newton steps within bounds."""
        terms, scores = direction.terms, direction.scores
        start, curve = float(self._point.terms @ terms), float(terms @ terms)
        enough = LINE_PRECISION * abs(float(self._gradient @ terms))
        low, high, k = 0.0, np.inf, 1.0
        for _ in range(LINE_STEPS):
            bend = self._loss.at(self._point.scores + k * scores)
            slope = start + k * curve + self._C * float(bend.slopes @ scores)
            if abs(slope) <= enough:
                break
            low, high = (k, high) if slope < 0.0 else (low, k)
            k -= slope / (curve + self._C * float(scores @ bend.times(scores)))
            if high < np.inf and not low < k < high:
                k = 0.5 * (low + high)
        return k

    def solution(self) -> Solution:
        support = np.flatnonzero(self._point.weights)
        return Solution(self._point.terms, support, self._point.weights[support], self.progress)
