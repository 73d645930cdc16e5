"""Conjugate gradients: about the d with (I + C·Xᵀ·R″·X)·d = right.

They need only products with the matrix: two passes a step, or one fused pass if the loss is a sum
over documents, so that R″ is diagonal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from likewise.corpus import Vector
    from likewise.losses import Bend
    from likewise.solvers.products import Products

FORCING = 0.1
STEPS = 30


class Found(NamedTuple):
    """d = share·right + Xᵀ·weights, its scores, and the passes made."""

    terms: Vector
    share: float
    weights: Vector
    scores: Vector
    passes: int


def conjugate(corpus: Products, bend: Bend, C: float, right: Vector) -> Found:
    xp, dot = corpus.arrays.xp, corpus.arrays.dot
    nothing = xp.zeros(corpus.shape[0], dtype=xp.float64)
    terms, share, weights, scores = xp.zeros_like(right), 0.0, nothing, nothing
    left, left_share, left_weights = right, 1.0, nothing
    along, along_share, along_weights = left, left_share, left_weights
    square, passes = dot(left, left), 0
    enough = FORCING**2 * square
    for _ in range(STEPS):
        if square <= enough:
            break
        reached, bent, sums = _bent(corpus, bend, C, along)
        product = along + sums
        k = square / dot(along, product)
        terms, share = terms + k * along, share + k * along_share
        weights, scores = weights + k * along_weights, scores + k * reached
        left, left_share = left - k * product, left_share - k * along_share
        left_weights = left_weights - k * (along_weights + bent)
        passes += 2
        last, square = square, dot(left, left)
        ratio = square / last
        along, along_share = left + ratio * along, left_share + ratio * along_share
        along_weights = left_weights + ratio * along_weights
    return Found(terms, share, weights, scores, passes)


def multiplied(s: Vector, factors: Vector) -> Vector:
    """The function of a fused pass: at module level, so that it can be sent to other machines."""
    return s * factors


def _bent(corpus: Products, bend: Bend, C: float, along: Vector) -> tuple[Vector, Vector, Vector]:
    """The scores along a direction, C·R″ times these, and Xᵀ times that."""
    if bend.curve is None:
        scores = corpus.scores(along)
        bent = C * bend.times(scores)
        return scores, bent, corpus.weighted_sum(bent)
    curve = C * bend.curve
    scores, sums = corpus.fused(along, multiplied, curve)
    return scores, multiplied(scores, curve), sums
