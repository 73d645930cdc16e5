"""Bipartite ranking: examples above the others, by all pairs or, as a bound on these, by points.

In all problems the weights of the losses sum to budget·C, as in the experiments of Shen & Lin,
Active Sampling of Pairs and Points for Large-scale Linear Bipartite Ranking, so that they can be
compared. Unlabeled documents and negatives are both lower documents: the unlabeled ones together
have a weight of 1, the negatives one of `negative_weight`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.errors import UsageError
from likewise.losses import (
    Hinge,
    Logistic,
    PairHinge,
    PairSquaredHinge,
    Sides,
    SquaredHinge,
    Uppers,
)
from likewise.solvers.blocks import check_above_zero, check_examples, check_not_negative, spread
from likewise.solvers.bundle import bundle
from likewise.solvers.newton import newton
from likewise.solvers.problems import CONVERGED, NEGATIVE_WEIGHT, separable, smooth

if TYPE_CHECKING:
    from collections.abc import Iterable

    from likewise.corpus import Corpus, Ids
    from likewise.solvers.blocks import Blocks
    from likewise.solvers.solution import Solution
    from likewise.solvers.stopping import Report, Stop

COST = 0.1  # C of the paper
BUDGET = 8000  # the number of pairs drawn in the paper
LOSSES = ("hinge", "squared_hinge", "logistic")


def weighted(
    corpus: Corpus,
    blocks: Blocks,
    C: float = COST,
    *,
    budget: float = BUDGET,
    loss: str = "hinge",
    bias: bool = False,
    negative_weight: float = NEGATIVE_WEIGHT,
    stop: Stop = CONVERGED,
    report: Report | None = None,
) -> Solution:
    """½‖w‖² + ½b² + ½·budget·C·[mean loss over the upper + mean loss over the lower documents].

    Equation (2), with C+ = B·C/(2N+) and C− = B·C/(2N−).
    """
    total = total_weight(C, budget)
    check_loss(loss, LOSSES)
    sides = sides_of(corpus, blocks, negative_weight)
    ids, arrays = np.concatenate([sides.upper, sides.lower]), corpus.arrays
    signs = np.where(np.arange(len(ids)) < len(sides.upper), 1.0, -1.0)
    costs = 0.5 * sides.shares[ids]
    if loss == "hinge":
        of_points = Hinge(arrays, arrays.vector(costs), arrays.vector(-costs * signs))
        return separable(corpus, ids, of_points, total, stop, report, bias)
    spread = (arrays.placed(corpus.shape[0], (ids, values)) for values in (costs, signs))
    kind = SquaredHinge if loss == "squared_hinge" else Logistic
    return smooth(corpus, kind(arrays, *spread), total, stop, report, bias)


def rank(
    corpus: Corpus,
    blocks: Blocks,
    C: float = COST,
    *,
    budget: float = BUDGET,
    loss: str = "hinge",
    negative_weight: float = NEGATIVE_WEIGHT,
    stop: Stop = CONVERGED,
    report: Report | None = None,
) -> Solution:
    """½‖w‖² + budget·C·[mean loss(s_i − s_j) over all pairs of an upper i and a lower j].

    Equation (1), in O(n log l) per step and by a corpus' two products alone.
    """
    total = total_weight(C, budget)
    if loss == "logistic":
        raise UsageError(
            "loss='logistic' over all pairs would take quadratic time: use hinge or "
            "squared_hinge, or ActiveRankSVM, which has it for the pairs that it draws"
        )
    check_loss(loss, LOSSES)
    sides = _uppers(corpus, blocks, negative_weight)
    if loss == "hinge":
        return bundle(corpus, PairHinge(corpus.arrays, sides), total, stop, report)
    return newton(corpus, PairSquaredHinge(corpus.arrays, sides), total, stop, report)


def _uppers(corpus: Corpus, blocks: Blocks, negative_weight: float) -> Uppers:
    """Examples above all others, without a list of these."""
    negatives, factor = _below(corpus, blocks, negative_weight)
    unlabeled = blocks.unlabeled
    parts = (unlabeled, 1.0), (negatives, factor)
    each = [(ids, of / blocks.total(ids)) for ids, of in parts if len(ids)]
    below = spread(corpus.arrays, blocks, corpus.shape[0], (blocks.positives, 0.0), *each)
    return Uppers(blocks.positives, blocks.shares(blocks.positives), below)


def total_weight(C: float, budget: float) -> float:
    """The sum of the weights of all losses."""
    check_above_zero("C", C)
    check_above_zero("budget", budget)
    return C * budget


def check_loss(loss: str, known: Iterable[str]) -> None:
    if loss not in known:
        raise UsageError(f"unknown loss {loss!r}: choose {', '.join(known)}")


def sides_of(corpus: Corpus, blocks: Blocks, negative_weight: float) -> Sides:
    """Examples above all others."""
    negatives, factor = _below(corpus, blocks, negative_weight)
    shares = np.zeros(corpus.shape[0])
    shares[blocks.positives] = blocks.shares(blocks.positives)
    shares[np.asarray(blocks.unlabeled)] = blocks.shares(blocks.unlabeled)
    shares[negatives] = factor * blocks.shares(negatives)
    return Sides(blocks.positives, np.concatenate([blocks.unlabeled, negatives]), shares)


def _below(corpus: Corpus, blocks: Blocks, negative_weight: float) -> tuple[Ids, float]:
    """The negatives that are lower documents beside the unlabeled ones, and their weight."""
    check_examples(corpus, blocks)
    check_not_negative("negative_weight", negative_weight)
    negatives = blocks.negatives
    if len(blocks.unlabeled) and negative_weight == 0.0:
        negatives = negatives[:0]
    if not len(blocks.unlabeled) and not len(negatives):
        raise UsageError(
            f"there is one class only: all {len(blocks.positives)} documents are examples; "
            "unlabeled ones or negatives are needed, too"
        )
    return negatives, negative_weight if len(blocks.unlabeled) else 1.0
