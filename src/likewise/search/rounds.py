"""Carry out a plan of `auto`: a fast first round over all documents, then the real learning.

The first round is Rocchio's query. Documents that score as high as the examples are *similar*. Some
of the unlabeled documents are relevant, and these are probably among the similar ones. So the best
of them join the examples, and none of them is used as a negative (two-step learning from positive
and unlabeled examples: Liu et al., ICDM 2003). Of the other documents, all that score high are
learned from, because errors among them change the ranking; of the rest a sample is enough.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise.engines.arrays import NUMPY
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
        part = _second(corpus, blocks, plan, options, seen)
        if options.C_per_example is not None:  # joined documents are no examples
            each = options.C_per_example * given / len(part.blocks.positives)
            options = replace(options, C_per_example=each)
    else:
        part = Part.of(corpus, blocks, METHODS[plan.method])
    solution = part.solve(METHODS[plan.method], options, report)
    if plan.also is None:
        return solution
    others = without_unused(plan.also, replace(options, C=None, C_per_example=plan.also_cost))
    other = part.solve(METHODS[plan.also], others, report)
    return averaged([solution, other], corpus, part.numbers(np.asarray(part.blocks.unlabeled)))


def _second(
    corpus: Corpus, blocks: Blocks, plan: Plan, options: Options, seen: Seen | None
) -> Part:
    """What the second round learns from."""
    first = METHODS["rocchio"].solve(corpus, blocks, Options(), None)
    scores = None if seen is None else seen.told_from_rest(corpus, blocks, first.w)
    if scores is None:
        scores = _quick_scores(corpus, first.w)
    count = _count_alike(corpus, blocks, scores, plan.likely)
    if plan.near is not None and plan.near + plan.far < len(blocks.unlabeled):
        close = best(corpus.arrays, scores, blocks.unlabeled, plan.near)
        blocks = _thinned(blocks, close, plan.far, options.seed or 0)
    few = min(count, len(blocks.unlabeled) // 2)
    part, arrays = Part.of(corpus, blocks, METHODS[plan.method]), corpus.arrays
    if few and len(blocks.positives) > FEW:
        rough = replace(options, tol=max(ROUGH, options.tolerance))
        arrays, scores = part.scores(part.solve(METHODS[plan.method], rough))
    elif part.ids is not None:
        scores = arrays.take(scores, part.ids)
    alike = best(arrays, scores, part.blocks.unlabeled, few)
    likely = best(arrays, scores, alike, plan.likely)
    return part.learning_from(_joined(part.blocks, alike, likely, plan.worth))


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
    ordered = np.sort(left_out(corpus, blocks, own))
    least = float(np.interp(HELD_OUT * (len(ordered) - 1), np.arange(len(ordered)), ordered))
    places = slice(0, others.documents) if isinstance(others, Rest) else others
    some = arrays.take(scores, places)
    bound = _rounded_up(least, arrays.host(some[:0]).dtype)
    count = int(arrays.xp.count_nonzero(some >= arrays.xp.asarray(bound)))
    return count - int(np.count_nonzero(judged >= bound))


def _rounded_up(value: float, dtype: np.dtype[np.floating]) -> np.floating:
    """The least number of a precision that is not below a value: the same reach both."""
    near: np.floating = dtype.type(value)
    return near if float(near) >= value else np.nextafter(near, dtype.type(np.inf))


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
        rest = blocks.unlabeled[~np.isin(blocks.unlabeled, alike, assume_unique=True)]
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
        near = numbers = near[among.has(near)]
    else:
        found = arrays.take(scores, among)
        near = arrays.best(found, count)
        numbers = among[near]
    return _best_of(numbers, arrays.host(arrays.take(found, near)), count)


def _best_of(numbers: Ids, scores: NDArray[np.floating], count: int) -> Ids:
    """Of a few more than so many documents, without ordering all of them."""
    least = np.partition(scores, len(scores) - count)[len(scores) - count]
    above = numbers[scores > least]
    ties = np.sort(numbers[scores == least])[: count - len(above)]
    return np.sort(np.concatenate([above, ties]))


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


class Part(NamedTuple):
    """The documents that are learned from: the whole corpus or, if less than half of it is used,
    the part that is, a corpus of its own. `ids` are the numbers of its documents, ascending;
    `blocks` name documents by their places among them, and not all of these need be in one.
    """

    whole: Corpus
    corpus: Corpus
    blocks: Blocks
    ids: Ids | None = None

    @classmethod
    def of(cls, corpus: Corpus, blocks: Blocks, method: Method) -> Part:
        used = [blocks.positives, blocks.unlabeled, blocks.negatives]
        if method.online or 2 * sum(map(len, used)) > corpus.shape[0]:
            return cls(corpus, corpus, blocks)
        numbers = np.concatenate(used)
        order = np.argsort(numbers)
        ids, places = numbers[order], np.empty_like(order)
        places[order] = np.arange(len(order))
        liked, others, disliked = np.split(places, np.cumsum([len(each) for each in used[:-1]]))
        weights = None if blocks.weights is None else blocks.weights[ids]
        return cls(corpus, corpus.take(ids), Blocks(liked, others, disliked, weights), ids)

    def numbers(self, places: Ids) -> Ids:
        return places if self.ids is None else self.ids[places]

    def learning_from(self, blocks: Blocks) -> Part:
        """The same documents in other blocks."""
        if self.ids is not None and isinstance(blocks.weights, Few):  # of most of them
            blocks = replace(blocks, weights=blocks.weights.of_first(len(self.ids)))
        return self._replace(blocks=blocks)

    def solve(self, method: Method, options: Options, report: Report | None = None) -> Solution:
        found = method.solve(self.corpus, self.blocks, options, report)
        return found if self.ids is None else found.among(self.ids, self.whole.arrays)

    def scores(self, found: Solution) -> tuple[Arrays, Vector]:
        """Of its documents by a query, and where they lie."""
        if found.scores is not None:
            return (NUMPY if isinstance(found.scores, np.ndarray) else found.arrays), found.scores
        arrays = self.corpus.arrays
        w = found.w if arrays is found.arrays else arrays.vector(found.arrays.host(found.w))
        return arrays, _quick_scores(self.corpus, w)
