"""SVM_pr by hinge losses: the bound of whole tables is true, and the optimum is the bundle's."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog

from helpers.topics import topics
from likewise.engines.arrays import NUMPY
from likewise.engines.memory import as_corpus
from likewise.estimators import PrecisionRecallSVM
from likewise.losses import PrecisionRecall
from likewise.losses.mixtures import largest_mean
from likewise.solvers.bundle import bundle
from likewise.solvers.precise import Problem, precise
from likewise.solvers.stopping import first_of, gap_below, iterations

MEASURE = PrecisionRecall()


def delta(a, b, total):
    return MEASURE.delta(np, np.asarray(a, np.float64), np.asarray(b, np.float64), total)


def test_the_measure_is_the_least_of_its_tangents():
    rng, total = np.random.default_rng(0), 7
    for _ in range(50):
        a, b = rng.uniform(0.01, total), rng.uniform(1.0, 30.0)
        values = [
            value + left * (total - a) + included * b
            for value, left, included in (
                MEASURE.tangent(r, total) for r in [a / (a + b), *np.linspace(0, 1, 101)]
            )
        ]
        assert values[0] == pytest.approx(min(values))
        assert values[0] == pytest.approx(float(delta(a, b, total)))


def mean_over_all_tables(left, entered):
    """By a linear programme over all subsets."""
    count = len(left)
    tables = np.array(list(product([0, 1], repeat=count + len(entered))))
    out, included = tables[:, :count].sum(axis=1), tables[:, count:].sum(axis=1)
    equal = np.vstack([np.ones(len(tables)), tables.T])
    found = linprog(
        -delta(count - out, included, count),
        A_eq=equal,
        b_eq=[1.0, *left, *entered],
    )
    return -found.fun


@pytest.mark.parametrize("seed", range(12))
def test_mixtures_are_those_of_all_tables(seed):
    rng = np.random.default_rng(seed)
    left, entered = rng.random(3), rng.random(5)
    left[rng.random(3) < 0.2] = 1.0
    entered[rng.random(5) < 0.3] = rng.integers(0, 2)
    found = largest_mean(lambda a, b: delta(a, b, 3), left, entered)
    assert found == pytest.approx(mean_over_all_tables(left, entered), abs=1e-8)


SOME = {"documents": 1500, "terms": 3000, "length": 30, "topic": 150}
SOME |= {"shares": (0.25, 0.05), "exponent": 1.5}


def problem(examples, C, *, printed):
    X, y = topics(examples, **SOME)
    n, corpus = len(y), as_corpus(X)
    scale = 1 / (2 * n) if printed else 1.0
    each = (1 / n, 1 / n) if printed else (1 / examples, 1 / (n - examples))
    steps = np.where(y == 1, -each[0], each[1])
    places = np.arange(examples), np.arange(examples, n)
    loss = MEASURE.over(NUMPY, *places, steps, scale)
    return Problem(corpus, MEASURE, loss, *places, steps, scale, C)


@pytest.mark.parametrize(
    ("examples", "C", "printed"), [(60, 100.0, True), (60, 60.0, False), (300, 100.0, True)]
)
def test_the_optimum_is_the_bundles(examples, C, printed):
    given = problem(examples, C, printed=printed)
    found = precise(given, gap_below(1e-5)).solution
    assert found is not None
    assert found.progress.relative_gap <= 1e-5
    value = given.loss.cut(given.steps * given.corpus.scores(found.w)).value
    assert found.progress.objective == pytest.approx(0.5 * found.w @ found.w + C * value)
    np.testing.assert_allclose(given.corpus.weighted_sum(found.weights), found.w, atol=1e-9)
    stop = first_of(iterations(100), gap_below(1e-3))
    other = bundle(given.corpus, given.loss, C, stop).progress
    assert found.progress.bound <= other.objective * (1 + 1e-12)
    assert other.bound <= found.progress.objective * (1 + 1e-12)


def test_few_examples_begin_the_bundle():
    """Whole tables are far from real ones: the cut is true, and leaves little to do."""
    given = problem(4, 4.0, printed=False)
    found = precise(given, gap_below(1e-5))
    assert found.solution is None
    stop = first_of(iterations(60), gap_below(1e-5))
    plain, begun = (
        bundle(given.corpus, given.loss, 4.0, stop, first=first).progress
        for first in (None, found.cut)
    )
    assert max(begun.relative_gap, plain.relative_gap) <= 1e-5
    assert begun.iterations < plain.iterations
    assert begun.bound <= plain.objective * (1 + 1e-12)
    assert plain.bound <= begun.objective * (1 + 1e-12)


def test_as_printed_to_a_small_gap():
    """The bundle alone is still at a gap of a thousandth after a thousand iterations."""
    fitted = PrecisionRecallSVM(C=100.0, scaling="printed", tol=1e-5, max_iter=1000)
    fitted.fit(*topics(300, **SOME))
    assert fitted.n_iter_ <= 20
