"""From examples to a query vector: each function sets up a problem and calls a solver.

The problems are those of Zhang & Lee, Query-By-Multiple-Examples using Support Vector Machines
(2009). `scaling` is `balanced` (all examples together weigh 1, all unlabeled documents too) or
`printed` (as in the paper). Negatives are a third block with its own weight; `centroid` and
`one_class` use only the examples and the negatives.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np

from likewise.corpus import Summed
from likewise.errors import UsageError
from likewise.losses import Both, Hinge, PrecisionRecall, SquaredHinge
from likewise.solvers.blocks import (
    Few,
    Rest,
    Side,
    check_above_zero,
    check_examples,
    check_not_negative,
    hinge,
    scale_of,
    spread,
    spread_hinge,
)
from likewise.solvers.bundle import bundle
from likewise.solvers.corrected import corrected
from likewise.solvers.descent import descend
from likewise.solvers.dual import dual
from likewise.solvers.newton import newton
from likewise.solvers.precise import Problem, precise
from likewise.solvers.products import Biased
from likewise.solvers.shares import Shares
from likewise.solvers.solution import Solution
from likewise.solvers.stopping import UNMEASURED, Progress, first_of, gap_below, iterations
from likewise.solvers.thinned import LEAST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likewise.corpus import Corpus, Ids, Vector
    from likewise.losses import Measure, Smooth
    from likewise.solvers.blocks import Blocks, Scale
    from likewise.solvers.stopping import Report, Stop

NEGATIVE_WEIGHT = 0.5  # β of Rocchio's feedback formula
FEW = 200  # up to this many documents, all their dot products are computed
SOME, ROUGH = 20, 5e-4  # examples, and relative gap: with fewer, few cuts are enough for more
ROUNDS = 60  # of `dual` at most: it is slow for long rows that are very similar
NARROW = 1000  # with fewer terms, rows are very similar, and passes are faster than row visits
PER_EXAMPLE = {"hinge": (0.5, 1.0), "squared_hinge": (1.0, 3.0)}  # C/(c·l), and c by default
MANY = (100, 20_000)  # examples and documents: passes are then faster for the squared hinge
CONVERGED = first_of(iterations(1000), gap_below(1e-3))


def centroid(
    corpus: Corpus, blocks: Blocks, *, negative_weight: float = NEGATIVE_WEIGHT
) -> Solution:
    """The query mean(P) − negative_weight·mean(N)."""
    check_examples(corpus, blocks)
    check_not_negative("negative_weight", negative_weight)
    ids = np.concatenate([blocks.positives, blocks.negatives])
    parts = [blocks.shares(blocks.positives), -negative_weight * blocks.shares(blocks.negatives)]
    weights = np.concatenate(parts)
    w = corpus.arrays.vector(corpus.rows(ids).weighted_sum(weights))
    return Solution(corpus.arrays, w, weights, UNMEASURED, ids=ids)


def rocchio(
    corpus: Corpus, blocks: Blocks, *, negative_weight: float = NEGATIVE_WEIGHT
) -> Solution:
    """The query mean(P) − mean(U) − negative_weight·mean(N)."""
    check_examples(corpus, blocks, with_unlabeled=True)
    check_not_negative("negative_weight", negative_weight)
    parts = (
        (blocks.positives, 1.0 / blocks.total(blocks.positives)),
        (blocks.unlabeled, -1.0 / blocks.total(blocks.unlabeled)),
        (blocks.negatives, -negative_weight / (blocks.total(blocks.negatives) or 1.0)),
    )
    weights = spread(corpus.arrays, blocks, corpus.shape[0], *parts)
    w = _told_from_rest(corpus, blocks, parts)
    if w is None:
        w = corpus.weighted_sum(weights)
    return Solution(corpus.arrays, w, weights, UNMEASURED)


def _told_from_rest(
    corpus: Corpus, blocks: Blocks, parts: Sequence[tuple[Ids | Rest, float]]
) -> Vector | None:
    """The weighted sum by the corpus' total and few rows, if all other documents are unlabeled."""
    ids = np.concatenate([blocks.positives, blocks.negatives])
    n = corpus.shape[0]
    if len(ids) + len(blocks.unlabeled) < n or 2 * len(ids) > n or not _alike(blocks, ids):
        return None
    total = corpus.total() if isinstance(corpus, Summed) else None
    if total is None:
        return None
    liked, rest, disliked = (value for _, value in parts)
    own = (
        liked * blocks.weights_of(blocks.positives),
        disliked * blocks.weights_of(blocks.negatives),
    )
    rows = corpus.rows(ids).weighted_sum(np.concatenate(own) - rest)
    w: Vector = rest * total + corpus.arrays.vector(rows)
    return w


def _alike(blocks: Blocks, ids: Ids) -> bool:
    """Whether all documents but some have the weight 1."""
    weights = blocks.weights
    if weights is None:
        return True
    others = weights.ids if isinstance(weights, Few) else np.flatnonzero(weights != 1.0)
    return bool(np.isin(others, ids).all())


def one_class(
    corpus: Corpus,
    blocks: Blocks,
    C: float = 100.0,
    *,
    negative_weight: float = NEGATIVE_WEIGHT,
    stop: Stop = CONVERGED,
    report: Report | None = None,
) -> Solution:
    """½‖w‖² + C·[mean max(0, 1 − s) over P + negative_weight · mean max(0, 1 + s) over N]."""
    check_examples(corpus, blocks)
    check_above_zero("C", C)
    check_not_negative("negative_weight", negative_weight)
    positive = 1.0 / len(blocks.positives)
    negative = negative_weight / max(len(blocks.negatives), 1)
    sides = (
        Side(blocks.positives, positive, -positive),
        Side(blocks.negatives, negative, negative),
    )
    return _by_sides(corpus, blocks, sides, C, stop, report)


def balanced(
    corpus: Corpus,
    blocks: Blocks,
    C: float | None = None,
    *,
    C_per_example: float | None = None,
    loss: str = "hinge",
    bias: bool = False,
    scaling: str = "balanced",
    negative_weight: float = NEGATIVE_WEIGHT,
    stop: Stop = CONVERGED,
    report: Report | None = None,
) -> Solution:
    """½‖w‖² + ½b² + C·[mean loss over P + mean loss over U + negative_weight · mean loss over N].

    The loss is max(0, ½ − y(s + b)), or max(0, 1 − y(s + b))² for `squared_hinge`. C_per_example
    is C/l for the squared hinge, and 2C/l for the hinge, whose margins are ½.
    """
    check_examples(corpus, blocks, with_unlabeled=True)
    check_not_negative("negative_weight", negative_weight)
    if loss not in PER_EXAMPLE:
        raise UsageError(f"unknown loss {loss!r}: choose {', '.join(PER_EXAMPLE)}")
    if scaling == "printed" and (loss != "hinge" or C is None):
        raise UsageError("scaling='printed' needs loss='hinge' and a C: give both")
    C = _total(C, C_per_example, len(blocks.positives), loss)
    if loss == "squared_hinge":
        squared = _squared(corpus, blocks, negative_weight)
        return smooth(corpus, squared, C, stop, report, bias)
    sides = _sides(blocks, scale_of(scaling, blocks), negative_weight)
    return _by_sides(corpus, blocks, sides, C, stop, report, bias)


def multivariate(
    corpus: Corpus,
    blocks: Blocks,
    measure: Measure,
    C: float | None = None,
    *,
    scaling: str = "balanced",
    negative_weight: float = NEGATIVE_WEIGHT,
    stop: Stop = CONVERGED,
    report: Report | None = None,
) -> Solution:
    """½‖w‖² + C·R, where R is the largest Δ of the measure that the scores allow.

    The default of C is the number of examples.
    """
    check_examples(corpus, blocks, with_unlabeled=True)
    C = float(len(blocks.positives)) if C is None else C
    check_above_zero("C", C)
    check_not_negative("negative_weight", negative_weight)
    scale = scale_of(scaling, blocks)
    arrays, n = corpus.arrays, corpus.shape[0]
    parts = (blocks.positives, -scale.positive), (blocks.unlabeled, scale.unlabeled)
    steps = spread(arrays, blocks, n, *parts)
    unlabeled = blocks.unlabeled
    places = unlabeled.places(arrays) if isinstance(unlabeled, Rest) else unlabeled
    loss = measure.over(arrays, blocks.positives, places, steps, scale.delta)
    first = None
    if len(blocks.negatives):
        side = _negative_side(blocks, scale, negative_weight)
        loss = Both(arrays, loss, spread_hinge(arrays, blocks, n, side))
    elif isinstance(measure, PrecisionRecall) and _worth_visits(corpus, blocks, stop):
        given = blocks.positives, places, steps, scale.delta, float(C)
        found = precise(Problem(corpus, measure, loss, *given), stop, report)
        if found.solution is not None:
            return found.solution
        first = found.cut
    shares = None
    if len(blocks.positives) <= FEW:
        rows = corpus.rows(blocks.positives)
        shares = Shares(arrays, rows, blocks.positives, steps, C)
    return bundle(corpus, loss, C, stop, report, shares=shares, first=first)


def _worth_visits(corpus: Corpus, blocks: Blocks, stop: Stop) -> bool:
    """Whether SVM_pr is solved by hinge losses: with few examples only if a small gap is asked."""
    enough = Progress(0, 0, 1.0, 1.0 - ROUGH, 2.0)
    return _visited(corpus) and (len(blocks.positives) >= SOME or not stop(enough))


def table_size(k: int | None, blocks: Blocks) -> int:
    """Check k of precision and recall at k, which includes the examples; default: twice those."""
    examples = len(blocks.positives)
    documents = examples + len(blocks.unlabeled)
    if k is None:
        return min(2 * examples, documents)
    if not isinstance(k, Real) or k % 1 != 0 or k < 1:
        raise UsageError(f"k must be a whole number of at least 1, not {k!r}")
    if k > documents:
        raise UsageError(f"k={k} is more than the {documents} documents: lower k")
    if k <= examples:
        warnings.warn(
            f"k={k} is not above the number of examples, {examples}: unlabeled documents hardly "
            f"count, and the query is near the centroid; raise k (the default is {2 * examples})",
            stacklevel=2,
        )
    return int(k)


def _total(C: float | None, C_per_example: float | None, examples: int, loss: str) -> float:
    """C, given as such or per example."""
    if C is not None and C_per_example is not None:
        raise UsageError("C and C_per_example both set the cost: give one of them")
    if C is not None:
        check_above_zero("C", C)
        return C
    factor, default = PER_EXAMPLE[loss]
    each = default if C_per_example is None else C_per_example
    check_above_zero("C_per_example", each)
    return factor * each * examples


def _sides(blocks: Blocks, scale: Scale, negative_weight: float) -> tuple[Side, Side, Side]:
    """For balanced accuracy Δ is a sum over documents (Proposition 4)."""
    return (
        Side(blocks.positives, 0.5 * scale.delta / len(blocks.positives), -scale.positive),
        Side(blocks.unlabeled, 0.5 * scale.delta / len(blocks.unlabeled), scale.unlabeled),
        _negative_side(blocks, scale, negative_weight),
    )


def _squared(corpus: Corpus, blocks: Blocks, negative_weight: float) -> SquaredHinge:
    n, arrays = corpus.shape[0], corpus.arrays
    totals = (blocks.positives, 1.0), (blocks.unlabeled, 1.0), (blocks.negatives, negative_weight)
    costs = spread(arrays, blocks, n, *((ids, v / max(len(ids), 1)) for ids, v in totals))
    signs = arrays.placed(n, (slice(0, n), -1.0), (blocks.positives, 1.0))
    return SquaredHinge(arrays, costs, signs)


def _negative_side(blocks: Blocks, scale: Scale, weight: float) -> Side:
    count = max(len(blocks.negatives), 1)
    return Side(blocks.negatives, 0.5 * weight * scale.delta / count, weight * scale.negative)


def _by_sides(
    corpus: Corpus,
    blocks: Blocks,
    sides: Sequence[Side],
    C: float,
    stop: Stop,
    report: Report | None,
    bias: bool = False,
) -> Solution:
    """The hinge loss of documents that should score high or low."""
    count, n = sum(len(side.ids) for side in sides), corpus.shape[0]
    if count > FEW and 2 * count >= n:
        loss = spread_hinge(corpus.arrays, blocks, n, *sides)
        return _by_rows_or_passes(corpus, loss, C, stop, report, bias)
    return separable(corpus, *hinge(corpus.arrays, blocks, *sides), C, stop, report, bias)


def separable(
    corpus: Corpus,
    ids: Ids,
    loss: Hinge,
    C: float,
    stop: Stop,
    report: Report | None,
    bias: bool = False,
) -> Solution:
    """By the dual of few documents, by visits to rows, or by passes over (part of) the corpus."""
    n = corpus.shape[0]
    if len(ids) <= FEW:
        found = dual(corpus.rows(ids), loss, C, first_of(stop, iterations(ROUNDS)), report, bias)
        if stop(found.progress):
            return found.among(ids, corpus.arrays)
    if 2 * len(ids) < n:
        some = corpus.take(ids)
        found = _by_rows_or_passes(some, loss.by(some.arrays), C, stop, report, bias)
        return found.among(ids, corpus.arrays)
    return _by_rows_or_passes(corpus, _spread(loss, ids, n), C, stop, report, bias)


def _by_rows_or_passes(
    corpus: Corpus, loss: Hinge, C: float, stop: Stop, report: Report | None, bias: bool
) -> Solution:
    found = None if bias else corrected(corpus, loss, C, stop, report)
    if found is None:
        found = _descend(corpus, loss, C, stop, report, bias)
    if found is not None:
        return found
    if bias:
        return _split_bias(bundle(Biased(corpus), loss, C, stop, report))
    return bundle(corpus, loss, C, stop, report)


def smooth(
    corpus: Corpus, loss: Smooth, C: float, stop: Stop, report: Report | None, bias: bool = False
) -> Solution:
    """By visits to rows, for the squared hinge of few documents, or by passes over the corpus."""
    few = corpus.shape[0] < LEAST
    if isinstance(loss, SquaredHinge) and few and not (bias and _many(loss)):
        found = _descend(corpus, loss, C, stop, report, bias)
        if found is not None:
            return found
    if bias:
        return _split_bias(newton(Biased(corpus), loss, C, stop, report))
    return newton(corpus, loss, C, stop, report)


def _descend(
    corpus: Corpus,
    loss: Hinge | SquaredHinge,
    C: float,
    stop: Stop,
    report: Report | None,
    bias: bool,
) -> Solution | None:
    """By visits to rows, if that is faster and the engine has row access; otherwise None."""
    if not _visited(corpus):
        return None
    return descend(corpus, loss, C, stop, report, bias=bias)


def _visited(corpus: Corpus) -> bool:
    """Whether visits to rows are possible, and not slower than passes."""
    return corpus.shape[1] >= NARROW and corpus.has_rows


def _many(loss: SquaredHinge) -> bool:
    """Whether so many examples pull at the bias, against so many others, that visits are slow."""
    xp, (examples, documents) = loss.arrays.xp, MANY
    if loss.signs.shape[0] < documents:
        return False
    return int(xp.count_nonzero((loss.signs > 0.0) & (loss.costs > 0.0))) >= examples


def _spread(loss: Hinge, ids: Ids, n: int) -> Hinge:
    """The loss over some documents as a loss over all n."""
    arrays = loss.arrays
    spread = (arrays.placed(n, (ids, values)) for values in (loss.offsets, loss.steps))
    return Hinge(arrays, *spread)


def _split_bias(solution: Solution) -> Solution:
    return replace(solution, w=solution.w[:-1], bias=float(solution.w[-1]))
