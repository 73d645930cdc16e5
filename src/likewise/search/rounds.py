"""Carry out a plan of `auto`: a fast first round over all documents, then the real learning.

The first round is Rocchio's query. Documents that score as high as the examples are *similar*. Some
of the unlabeled documents are relevant, and these are probably among the similar ones. So the best
of them join the examples, and none of them is used as a negative (two-step learning from positive
and unlabeled examples: Liu et al., ICDM 2003). Of the other documents, all that score high are
learned from, because errors among them change the ranking; of the rest a sample is enough.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from likewise.search.looking import row_sums
from likewise.search.methods import METHODS, Options, without_unused
from likewise.solvers.blocks import Blocks, Few, Rest
from likewise.solvers.solution import Solution

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likewise.corpus import Arrays, Corpus, Floats, Ids, Vector
    from likewise.search.auto import Plan
    from likewise.search.looking import Seen
    from likewise.search.methods import Method
    from likewise.solvers.stopping import Report

FEW = 5  # up to this many examples, Rocchio's query is good enough to find similar documents
ROUGH = 0.5  # relative gap of a query that is only used to find these
COMPARED = 3  # from this many examples on, each can be scored by the query of the others
HELD_OUT = 0.75  # share of left-out examples that score below a similar document


def carry_out(
    corpus: Corpus,
    blocks: Blocks,
    plan: Plan,
    options: Options,
    report: Report | None = None,
    seen: Seen | None = None,
) -> Solution:
    """The query of the plan's method, or the mean of two methods' queries.

    `seen` are scores by the examples' mean, if they are known.
    """
    if plan.twice:
        given = len(blocks.positives)
        blocks = _second(corpus, blocks, plan, options, seen)
        if options.C_per_example is not None:  # joined documents are no examples
            each = options.C_per_example * given / len(blocks.positives)
            options = replace(options, C_per_example=each)
    solution = solve(corpus, blocks, METHODS[plan.method], options, report)
    if plan.also is None:
        return solution
    others = without_unused(plan.also, replace(options, C=None, C_per_example=plan.also_cost))
    other = solve(corpus, blocks, METHODS[plan.also], others, report)
    return averaged([solution, other], corpus, np.asarray(blocks.unlabeled))


def _second(
    corpus: Corpus, blocks: Blocks, plan: Plan, options: Options, seen: Seen | None
) -> Blocks:
    """The documents that the second round learns from."""
    first = METHODS["rocchio"].solve(corpus, blocks, Options(), None)
    scores = None if seen is None else seen.told_from_rest(corpus, blocks, first.w)
    if scores is None:
        scores = _quick_scores(corpus, first.w)
    count = _count_alike(corpus, blocks, scores, plan.likely)
    if plan.near is not None and plan.near + plan.far < len(blocks.unlabeled):
        close = best(corpus.arrays, scores, blocks.unlabeled, plan.near)
        blocks = _thinned(blocks, close, plan.far, options.seed or 0)
    if count and len(blocks.positives) > FEW:
        rough = replace(options, tol=max(ROUGH, options.tolerance))
        found = solve(corpus, blocks, METHODS[plan.method], rough)
        scores = _scores_of(corpus, found.w, blocks.unlabeled)
    few = min(count, len(blocks.unlabeled) // 2)
    alike = best(corpus.arrays, scores, blocks.unlabeled, few)
    likely = best(corpus.arrays, scores, alike, plan.likely)
    return _joined(blocks, alike, likely, plan.worth)


def _count_alike(corpus: Corpus, blocks: Blocks, scores: Vector, few: int) -> int:
    """How many documents score as high as left-out examples.

    Each example is scored by the query of the others. With too few examples, `few` is assumed.
    """
    if len(blocks.positives) < COMPARED:
        return few
    arrays, others = corpus.arrays, blocks.unlabeled
    without = others.without if isinstance(others, Rest) else np.zeros(0, np.int64)
    taken = [arrays.take(scores, places) for places in (blocks.positives, without)]
    own, judged = (arrays.host(each) for each in taken)
    least = float(np.quantile(left_out(corpus, blocks, own), HELD_OUT))
    places = slice(0, others.documents) if isinstance(others, Rest) else others
    some = arrays.xp.astype(arrays.take(scores, places), arrays.xp.float64)
    count = int(arrays.xp.count_nonzero(some >= least))
    return count - int(np.count_nonzero(judged.astype(np.float64) >= least))


def left_out(corpus: Corpus, blocks: Blocks, own: NDArray[np.floating]) -> Floats:
    """The score of each example by Rocchio's query of the others; `own` are scores by all.

    The query is mean(P) − rest. x_i has a share in the mean, so the mean of the others is
    (mean − share·x_i)/(1 − share).
    """
    rows, shares = corpus.rows(blocks.positives), blocks.shares(blocks.positives)
    mean = rows.weighted_sum(shares)
    along, squares = (
        row_sums(rows.starts, rows.values * factor) for factor in (mean[rows.columns], rows.values)
    )
    rest = along - own
    scores: NDArray[np.float64] = (along - shares * squares) / (1.0 - shares) - rest
    return scores


def _scores_of(corpus: Corpus, w: Vector, ids: Ids | Rest) -> Vector:
    """The scores of some documents, at their places among all."""
    if isinstance(ids, Rest):
        return _quick_scores(corpus, w)
    some = corpus.take(ids)
    scores = _quick_scores(some, some.arrays.vector(corpus.arrays.host(w)))
    return corpus.arrays.placed(corpus.shape[0], (ids, some.arrays.host(scores)))


def _quick_scores(corpus: Corpus, w: Vector) -> Vector:
    """In single precision."""
    xp = corpus.arrays.xp
    return corpus.scores(xp.astype(w, xp.float32))


def _joined(blocks: Blocks, alike: Ids, likely: Ids, worth: float) -> Blocks:
    """Blocks with `likely` among the examples, and without the other similar documents."""
    own = blocks.weights_of(blocks.positives)
    parts = [
        (blocks.positives, own),
        (likely, np.full(len(likely), worth * own.mean())),
        (blocks.negatives, blocks.weights_of(blocks.negatives)),
    ]
    rest: Ids | Rest
    if isinstance(blocks.unlabeled, Rest):  # the weight of each is 1
        rest = blocks.unlabeled.but(alike)
    else:
        rest = np.setdiff1d(blocks.unlabeled, alike, assume_unique=True)
        others = blocks.weights_of(rest)
        parts.append((rest, others / others.mean()))
    positives = np.concatenate([blocks.positives, likely])
    return Blocks(positives, rest, blocks.negatives, Few.of(*parts))


def _thinned(blocks: Blocks, close: Ids, far: int, seed: int) -> Blocks:
    """The unlabeled documents in `close`, and a sample of the others, weighted to represent all.

    The mean weight is 1, as with all documents.
    """
    count = len(blocks.unlabeled)
    if isinstance(blocks.unlabeled, Rest):
        sample = blocks.unlabeled.but(close).drawn(far, seed)
    else:
        others = np.setdiff1d(blocks.unlabeled, close, assume_unique=True)
        sample = np.sort(np.random.default_rng(seed).choice(others, far, replace=False))
    each = (len(close) + far) / count
    weights = Few.of(
        *((ids, blocks.weights_of(ids)) for ids in (blocks.positives, blocks.negatives)),
        (close, each * blocks.weights_of(close)),
        (sample, each * (count - len(close)) / far * blocks.weights_of(sample)),
    )
    kept = np.sort(np.concatenate([close, sample]))
    return Blocks(blocks.positives, kept, blocks.negatives, weights)


def best(arrays: Arrays, scores: Vector, among: Ids | Rest, count: int) -> Ids:
    """The numbers of the best documents, ascending; ties go to the lower number."""
    count = min(count, len(among))
    if not count:
        return np.zeros(0, np.int64)
    if isinstance(among, Rest):  # enough of all documents to leave the others out
        found = arrays.take(scores, slice(0, among.documents))
        near = arrays.best(found, min(count + len(among.without), among.documents))
        near = numbers = near[~np.isin(near, among.without)]
    else:
        found = arrays.take(scores, among)
        near = arrays.best(found, count)
        numbers = among[near]
    order = np.lexsort((numbers, -arrays.host(arrays.take(found, near))))[:count]
    return np.sort(numbers[order])


def averaged(solutions: Sequence[Solution], corpus: Corpus, unlabeled: Ids) -> Solution:
    """The mean of queries, each scaled so that unlabeled documents' scores have deviation 1.

    Its progress is that of the query with the largest gap.
    """
    arrays, weights = corpus.arrays, np.zeros(corpus.shape[0])
    w = arrays.xp.zeros_like(solutions[0].w)
    for solution in solutions:
        scores = arrays.take(corpus.scores(solution.w), unlabeled)
        spread = float(arrays.xp.std(scores)) or 1.0
        share = 1.0 / (spread * len(solutions))
        w = w + share * solution.w
        weights[solution.support] += share * solution.alphas
    worst = max(solutions, key=lambda solution: solution.progress.relative_gap).progress
    passes = sum(solution.progress.passes + 1 for solution in solutions)
    return Solution(arrays, w, weights, worst._replace(passes=passes))


def solve(
    corpus: Corpus, blocks: Blocks, method: Method, options: Options, report: Report | None = None
) -> Solution:
    """Solve over the whole corpus or, if less than half of it is used, over the part that is."""
    used = [blocks.positives, blocks.unlabeled, blocks.negatives]
    if method.online or 2 * sum(map(len, used)) > corpus.shape[0]:
        return method.solve(corpus, blocks, options, report)
    ids = np.concatenate(used)
    ends = np.cumsum([len(block) for block in used])
    positives, unlabeled, negatives = np.split(np.arange(len(ids)), ends[:-1])
    weights = None if blocks.weights is None else blocks.weights[ids]
    chosen = Blocks(positives, unlabeled, negatives, weights)
    solution = method.solve(corpus.take(ids), chosen, options, report)
    return solution.among(ids, corpus.arrays)
