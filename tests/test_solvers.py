"""Solvers against plain ones, on small problems of all kinds and degrees of degeneration.

Those that work in passes run on NumPy's arrays and on array-api-strict's.
"""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import reference
from helpers.strict import STRICT, StrictCorpus
from likewise.engines.arrays import NUMPY
from likewise.engines.memory import DenseMatrix, as_corpus
from likewise.errors import UsageError
from likewise.losses import F1, Hinge, PrecisionAt, PrecisionRecall, RecallAt, SquaredHinge
from likewise.solvers import blocks as parts
from likewise.solvers import problems
from likewise.solvers.blocks import Blocks
from likewise.solvers.bundle import bundle
from likewise.solvers.dual import dual, gram
from likewise.solvers.newton import newton
from likewise.solvers.products import Biased
from likewise.solvers.qp import on_simplex
from likewise.solvers.ranking import rank, sides_of, weighted
from likewise.solvers.shares import Shares
from likewise.solvers.stopping import Progress, first_of, gap_below, iterations, passes

CONVERGED = first_of(iterations(3000), gap_below(1e-3))
PRECISE = first_of(iterations(20000), gap_below(1e-7))
COSTS = [1e-6, 1e-2, 1.0, 1e2, 1e6]
ENGINES = {"numpy": as_corpus, "strict": StrictCorpus}
ON_BOTH = pytest.mark.parametrize("made", ENGINES.values(), ids=ENGINES)


def unit(X):
    return X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-300)


def random_problem(seed, positives=4, unlabeled=7, terms=4):
    rng = np.random.default_rng(seed)
    X = unit(rng.random((positives + unlabeled, terms)) * (rng.random(terms) > 0.2))
    y = rng.permutation([1] * positives + [0] * unlabeled)
    return X, y


def same_documents():
    X = unit(np.random.default_rng(5).random((4, 3)))
    return np.concatenate([X, X]), np.array([1, 1, 1, 1, 0, 0, 0, 0])


def an_empty_example():
    X, y = random_problem(6)
    X[np.flatnonzero(y == 1)[0]] = 0
    return X, y


PROBLEMS = {
    "random 0": random_problem(0),
    "random 1": random_problem(1, 6, 6, 5),
    "random 2": random_problem(2, 2, 10, 3),
    "one example": random_problem(3, positives=1),
    "one unlabeled document": random_problem(4, unlabeled=1),
    "the same documents in P and U": same_documents(),
    "an example without terms": an_empty_example(),
    "one document many times": (np.ones((6, 2)) / np.sqrt(2), np.array([1, 1, 0, 0, 0, 0])),
    "two orthogonal documents": (np.eye(2), np.array([1, 0])),
}
MEASURES = {"pr": PrecisionRecall, "f1": F1, "p@k": PrecisionAt, "r@k": RecallAt}


class Counting(DenseMatrix):
    """Counts passes itself."""

    passes = 0

    def scores(self, w):
        self.passes += 1
        return super().scores(w)

    def weighted_sum(self, a):
        self.passes += 1
        return super().weighted_sum(a)


def blocks(y):
    return Blocks(np.flatnonzero(y == 1), np.flatnonzero(y == 0), np.flatnonzero(y == -1))


def check(solution, X, C, cut, tol=1e-3):
    """The objective is what it says, near the least, and w is made of the documents it names."""
    progress, w = solution.progress, solution.arrays.host(solution.w)
    assert type(solution.w) is type(solution.arrays.vector([0.0]))
    at_zero, best = reference.objective(cut, 0 * w, X, C), reference.minimum(cut, X, C)
    objective = reference.objective(cut, w, X, C)
    assert progress.objective == pytest.approx(objective, rel=1e-9, abs=1e-13 * at_zero)
    assert progress.at_zero == pytest.approx(at_zero)
    assert progress.bound <= best + 1e-4 * min(best, at_zero - best) + 1e-11 * at_zero
    assert progress.relative_gap <= tol
    assert solution.alphas @ X[solution.support] == pytest.approx(w, abs=1e-9 * (1 + abs(w).max()))


def size(name, y):
    return min(2 * sum(y == 1), len(y)) if "@" in name else None


def measure(name, k):
    return MEASURES[name]() if k is None else MEASURES[name](k)


def balanced_hinge(y, scaling="balanced", arrays=NUMPY):
    """Proposition 4, as it is printed."""
    p, u, n = sum(y == 1), sum(y == 0), len(y)
    costs = np.where(y == 1, 1 / p, 1 / u) if scaling == "balanced" else np.full(n, 1 / n)
    shares = np.where(y == 1, 1 / (4 * p), 1 / (4 * u))
    margins = np.full(n, 0.5) if scaling == "balanced" else shares
    steps = np.where(y == 1, -costs, costs)
    return Hinge(arrays, arrays.vector(costs * margins), arrays.vector(steps))


def squared_hinge(y, arrays=NUMPY):
    return SquaredHinge(arrays, arrays.vector(np.ones(len(y))), arrays.vector(2.0 * y - 1))


@pytest.mark.parametrize("C", COSTS)
@pytest.mark.parametrize("scaling", ["balanced", "printed"])
@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("problem", PROBLEMS)
@ON_BOTH
def test_bundle_on_contingency_tables(problem, name, scaling, C, made):
    X, y = PROBLEMS[problem]
    k = size(name, y)
    solution = problems.multivariate(
        made(X), blocks(y), measure(name, k), C, scaling=scaling, stop=CONVERGED
    )
    check(solution, X, C, reference.family(name, scaling, y, k))


@pytest.mark.parametrize("C", COSTS)
@pytest.mark.parametrize("scaling", ["balanced", "printed"])
@pytest.mark.parametrize("problem", PROBLEMS)
@ON_BOTH
def test_proposition_4_whichever_way_it_is_solved(problem, scaling, C, made):
    X, y = PROBLEMS[problem]
    tables, corpus = reference.family("ba", scaling, y), made(X)
    loss = balanced_hinge(y, scaling, corpus.arrays)
    check(bundle(corpus, loss, C, CONVERGED), X, C, tables)
    solution = problems.balanced(corpus, blocks(y), C, scaling=scaling, stop=PRECISE)
    check(solution, X, C, tables, tol=1e-6)


@pytest.mark.parametrize("C", COSTS)
@pytest.mark.parametrize("problem", PROBLEMS)
def test_one_class(problem, C):
    X, y = PROBLEMS[problem]
    costs = np.where(y == 1, 1 / sum(y), 0.0)
    cut = reference.hinges(costs, np.ones(len(y)), np.ones(len(y)))
    solution = problems.one_class(as_corpus(X), blocks(y), C, stop=PRECISE)
    check(solution, X, C, cut, tol=1e-6)
    assert (y[solution.support] == 1).all()


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e2])
@pytest.mark.parametrize("problem", PROBLEMS)
@ON_BOTH
def test_squared_hinge(problem, C, bias, made):
    X, y = PROBLEMS[problem]
    costs = C * np.where(y == 1, 1 / sum(y), 1 / sum(y == 0))
    best, where = reference.squared_hinge_minimum(costs, np.where(y == 1, 1, -1), X, bias)
    solution = problems.balanced(
        made(X), blocks(y), C, loss="squared_hinge", bias=bias, stop=PRECISE
    )
    w = solution.arrays.host(solution.w)
    assert solution.progress.objective == pytest.approx(best, rel=1e-6)
    assert solution.progress.bound <= best * (1 + 1e-9)
    assert np.append(w, solution.bias)[: len(where)] == pytest.approx(where, abs=3e-3)
    assert solution.alphas @ X[solution.support] == pytest.approx(w, abs=1e-9)
    assert solution.bias == pytest.approx(solution.alphas.sum() if bias else 0.0)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("bias", [False, True])
def test_vectors_stay_in_the_namespace_of_the_corpus(loss, bias):
    """Of more documents than have their products formed, so that passes are made."""
    X, y = random_problem(17, positives=60, unlabeled=200, terms=30)
    here, there = (
        problems.balanced(made(X), blocks(y), 5.0, loss=loss, bias=bias, stop=gap_below(1e-5))
        for made in (as_corpus, StrictCorpus)
    )
    assert isinstance(there.w, STRICT)
    assert there.progress.objective == pytest.approx(here.progress.objective, rel=1e-4)
    assert type(there.alphas) is type(there.support) is type(there.sparse.weights) is np.ndarray
    for made in (problems.rocchio, problems.centroid):
        assert isinstance(made(StrictCorpus(X), blocks(y)).w, STRICT)


class Distant(DenseMatrix):
    """What its rows are weighed by travels, as it would to other machines."""

    fused_passes = 0

    def fused(self, w, weigh, *along):
        self.fused_passes += 1
        return super().fused(w, pickle.loads(pickle.dumps(weigh)), *along)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
def test_curvature_is_a_fused_pass_that_can_travel(bias, loss):
    X, y = random_problem(20, positives=6, unlabeled=20, terms=8)
    far = Distant(X)
    found, near = (
        weighted(corpus, blocks(y), 5.0, budget=1, loss=loss, bias=bias, stop=PRECISE)
        for corpus in (far, as_corpus(X))
    )
    assert far.fused_passes > 0
    assert found.w == pytest.approx(near.w)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@ON_BOTH
def test_ranking_by_all_pairs(loss, made):
    X, y = random_problem(18, positives=6, unlabeled=20, terms=8)
    found = rank(made(X), blocks(y), 5.0, budget=1, loss=loss, stop=PRECISE)
    w = found.arrays.host(found.w)
    sides = sides_of(as_corpus(X), blocks(y), 0.5)
    power = 1 if loss == "hinge" else 2
    value = 0.5 * w @ w + 5.0 * reference.pair_loss(sides, X @ w, power)
    assert found.progress.objective == pytest.approx(value, rel=1e-9)
    assert found.progress.relative_gap <= 1e-7


@ON_BOTH
def test_weighted_points_with_the_logistic_loss(made):
    X, y = random_problem(19, positives=6, unlabeled=20, terms=8)
    found = weighted(made(X), blocks(y), 5.0, budget=1, loss="logistic", bias=True, stop=PRECISE)
    s = X @ found.arrays.host(found.w) + found.bias
    costs = 2.5 * np.where(y == 1, 1 / 6, 1 / 20)
    w = found.arrays.host(found.w)
    value = costs @ np.log1p(np.exp(-(2 * y - 1) * s)) + 0.5 * (w @ w + found.bias**2)
    assert found.progress.objective == pytest.approx(value, rel=1e-9)


def with_negatives(seed):
    X, y = random_problem(seed, positives=3, unlabeled=6)
    y[np.flatnonzero(y == 0)[:2]] = -1
    return X, y


@pytest.mark.parametrize("name", ["1c", "ba", *MEASURES])
@pytest.mark.parametrize("scaling", ["balanced", "printed"])
@pytest.mark.parametrize("seed", range(3))
@ON_BOTH
def test_negatives_are_a_third_block(name, scaling, seed, made):
    X, y = with_negatives(seed)
    C, among = 20.0, y >= 0
    p, u, n = sum(y == 1), sum(y == 0), sum(y == -1)
    each, margin = (0.3 / n, 0.5) if scaling == "balanced" else (0.3 / (p + u), 1 / (4 * n))
    options = {"negative_weight": 0.3, "stop": PRECISE}
    if name == "1c":
        positive = reference.hinges(np.where(y == 1, 1 / p, 0), np.ones(len(y)), np.ones(len(y)))
        each, margin = 0.3 / n, 1.0
        solution = problems.one_class(made(X), blocks(y), C, **options)
    elif name == "ba":
        positive = spread(reference.family("ba", scaling, y[among]), among)
        solution = problems.balanced(made(X), blocks(y), C, scaling=scaling, **options)
    else:
        k = size(name, y[among])
        positive = spread(reference.family(name, scaling, y[among], k), among)
        solution = problems.multivariate(
            made(X), blocks(y), measure(name, k), C, scaling=scaling, **options
        )
    negative = reference.hinges(
        np.where(y == -1, each, 0), np.full(len(y), margin), -np.ones(len(y))
    )
    check(solution, X, C, reference.plus(positive, negative))


def spread(cut, among):
    """A loss of some documents as one of all."""

    def wider(s):
        offset, pull = cut(s[among])
        out = np.zeros(len(s))
        out[among] = pull
        return offset, out

    return wider


@pytest.mark.parametrize("name", MEASURES)
def test_weights_multiply_scores_in_tables(name):
    X, y = random_problem(7)
    weights = np.linspace(0.5, 2.0, len(y))
    k = size(name, y)
    who = Blocks(np.flatnonzero(y == 1), np.flatnonzero(y == 0), weights=weights)
    solution = problems.multivariate(as_corpus(X), who, measure(name, k), 30.0)
    check(solution, X, 30.0, reference.family(name, "balanced", y, k, weights))


@pytest.mark.parametrize("method", [problems.one_class, problems.balanced])
def test_weights_multiply_slack_in_sums(method):
    """A whole weight is as many copies, but for what all examples share."""
    X, y = random_problem(8)
    weights = np.where(y == 1, 3.0, 1.0)
    who = Blocks(np.flatnonzero(y == 1), np.flatnonzero(y == 0), weights=weights)
    heavy = method(as_corpus(X), who, 10.0, stop=PRECISE)
    copies = np.r_[np.flatnonzero(y == 1).repeat(3), np.flatnonzero(y == 0)]
    p, u = sum(y == 1), sum(y == 0)
    margin, negative = (1.0, 0.0) if method is problems.one_class else (0.5, 1 / u)
    costs = np.where(y[copies] == 1, 1 / p, negative)
    cut = reference.hinges(costs, np.full(len(copies), margin), np.where(y[copies] == 1, 1, -1))
    assert heavy.progress.objective == pytest.approx(
        reference.minimum(cut, X[copies], 10.0), rel=1e-5
    )


@pytest.mark.parametrize("C", [0.3, 30.0])
def test_a_bias_is_a_column_of_ones(C):
    X, y = random_problem(9)
    wide = np.c_[X, np.ones(len(X))]
    for stop in (PRECISE,):
        direct = bundle(as_corpus(wide), balanced_hinge(y), C, stop)
        biased = bundle(Biased(as_corpus(X)), balanced_hinge(y), C, stop)
        few = problems.balanced(as_corpus(X), blocks(y), C, bias=True, stop=stop)
        assert biased.progress.objective == pytest.approx(direct.progress.objective, rel=1e-9)
        assert biased.w == pytest.approx(direct.w, abs=1e-6)
        assert np.append(few.w, few.bias) == pytest.approx(direct.w, abs=1e-3)


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("room", [3, 5])
@ON_BOTH
def test_cuts_that_are_merged_keep_w_and_its_documents_together(name, room, made):
    X, y = random_problem(10, positives=8, unlabeled=20, terms=12)
    k = size(name, y)
    steps = np.where(y == 1, -1 / sum(y), 1 / sum(y == 0))
    who, corpus = blocks(y), made(X)
    loss = measure(name, k).over(
        corpus.arrays, who.positives, who.unlabeled, corpus.arrays.vector(steps)
    )
    solution = bundle(corpus, loss, 300.0, gap_below(0.03), room=room)
    assert solution.progress.iterations > room
    check(solution, X, 300.0, reference.family(name, "balanced", y, k), tol=0.03)


def test_passes_are_counted():
    X, y = random_problem(11)
    who = blocks(y)
    for loss, solver in (
        (balanced_hinge(y), bundle),
        (squared_hinge(y), newton),
    ):
        corpus = Counting(X)
        assert solver(corpus, loss, 50.0, CONVERGED).progress.passes == corpus.passes
    corpus = Counting(X)
    problems.rocchio(corpus, who)
    problems.one_class(corpus, who)
    assert corpus.passes == 1


@pytest.mark.parametrize("solver", [bundle, newton])
@ON_BOTH
def test_a_solver_reports_and_obeys_its_stopping_rule(solver, made):
    X, y = random_problem(12, positives=8, unlabeled=20, terms=12)
    corpus, told = made(X), []
    make = balanced_hinge if solver is bundle else squared_hinge
    loss = make(y, arrays=corpus.arrays)
    solution = solver(
        corpus, loss, 1e4, first_of(passes(9), gap_below(0.0)), lambda *now: told.append(now)
    )
    read, objectives, gaps = zip(*told, strict=True)
    assert read == tuple(sorted(read))
    assert objectives == tuple(sorted(objectives, reverse=True))
    assert 9 <= read[-1] <= solution.progress.passes
    assert gaps[-1] == pytest.approx(solution.progress.gap, rel=0.1)


def test_an_interrupt_passes_through():
    def interrupt(*_):
        raise KeyboardInterrupt

    X, y = random_problem(13)
    with pytest.raises(KeyboardInterrupt):
        bundle(as_corpus(X), balanced_hinge(y), 1e3, gap_below(1e-9), interrupt)


def test_the_gap_is_relative_to_what_there_is_to_gain():
    at_zero = Progress(0, 0, objective=1.0, bound=0.999999, at_zero=1.0)
    assert not gap_below(1e-3)(at_zero)
    assert gap_below(1e-3)(at_zero._replace(objective=0.999999))


@given(st.integers(1, 12), st.integers(1, 4), st.integers(0, 10**6), st.sampled_from(COSTS))
@settings(max_examples=150, deadline=None)
def test_the_bundle_dual_meets_its_optimality_conditions(size, rank, seed, total):
    """Of any rank, and from any start: used variables have one price, unused ones promise less."""
    rng = np.random.default_rng(seed)
    G = rng.normal(size=(size, rank))
    b = rng.random(size)
    start = total * rng.dirichlet(np.ones(size + 1))[:-1]
    alpha = on_simplex(G @ G.T, b, total, start)
    assert (alpha >= 0).all()
    assert alpha.sum() <= total * (1 + 1e-9)
    slope = G @ (G.T @ alpha) - b
    price = max(0.0, -slope.min())
    scale = 1 + 1e-3 * total * (G @ G.T).max()
    assert (slope + price)[alpha > 1e-6 * total] == pytest.approx(0.0, abs=1e-6 * scale)
    assert price <= 1e-6 * scale or alpha.sum() == pytest.approx(total)


@given(st.integers(0, 10**6), st.sampled_from([*MEASURES]))
@settings(max_examples=100, deadline=None)
def test_a_cut_by_shares_holds_as_much_and_stays_below_the_loss(seed, name):
    rng = np.random.default_rng(seed)
    X, y = random_problem(seed, positives=6, unlabeled=9, terms=7)
    steps = np.where(y == 1, -1 / 6, 1 / 9) * rng.uniform(0.5, 2.0, len(y))
    who, k = blocks(y), size(name, y)
    loss = measure(name, k).over(NUMPY, who.positives, who.unlabeled, steps)
    shares = Shares(NUMPY, as_corpus(X).rows(who.positives), who.positives, steps, C=5.0)
    cut = loss.cut(steps * rng.normal(0, 1, len(y)))
    refined = shares.refine(cut, steps * rng.normal(0, 1, len(y)), rng.random(6))
    assert refined.offset == cut.offset
    assert refined.members.sum() == pytest.approx(cut.members.sum())
    assert (refined.members >= 0).all()
    assert (refined.members <= 1).all()
    for _ in range(20):
        reach = steps * rng.normal(0, 10, len(y))
        assert refined.offset + refined.members @ reach <= loss.cut(reach).value + 1e-12


def test_products_of_rows():
    X = np.random.default_rng(14).random((5, 9000)) * (np.arange(9000) % 3 > 0)
    X[2] = 0
    assert gram(as_corpus(X).rows(np.arange(5))) == pytest.approx(X @ X.T)


def test_few_documents_of_any_rank_are_solved_exactly():
    """More documents than terms, some twice, and from a bound to no bound at all."""
    for seed in range(20):
        X, y = random_problem(seed, positives=15, unlabeled=25, terms=3)
        for C in COSTS:
            rows = as_corpus(X).rows(np.arange(len(y)))
            progress = dual(rows, balanced_hinge(y), C, PRECISE).progress
            assert progress.relative_gap <= 1e-6


def test_with_little_slack_weight_the_query_tends_to_rocchio():
    X, y = random_problem(15)
    rocchio = problems.rocchio(as_corpus(X), blocks(y)).w
    for solution in (
        problems.balanced(as_corpus(X), blocks(y), 1e-5),
        bundle(as_corpus(X), balanced_hinge(y), 1e-5, CONVERGED),
    ):
        assert solution.w / 1e-5 == pytest.approx(rocchio)


def test_a_slack_weight_per_example():
    """½‖v‖² + c·Σ_P max(0, 1 − v·x) + c·l/u·Σ_U max(0, 1 + v·x) at v = 2w."""
    X, y = random_problem(16)
    c, p, u = 0.7, sum(y == 1), sum(y == 0)
    solution = problems.balanced(as_corpus(X), blocks(y), C_per_example=c, stop=PRECISE)
    costs = np.where(y == 1, c, c * p / u)
    cut = reference.hinges(costs, np.ones(len(y)), np.where(y == 1, 1, -1))
    value = reference.objective(cut, 2 * solution.w, X, 1.0)
    assert value == pytest.approx(4 * solution.progress.objective)
    assert value == pytest.approx(reference.minimum(cut, X, 1.0), rel=1e-6)
    squared = problems.balanced(
        as_corpus(X), blocks(y), C_per_example=c, loss="squared_hinge", bias=True, stop=PRECISE
    )
    best, _ = reference.squared_hinge_minimum(costs, np.where(y == 1, 1, -1), X, bias=True)
    assert squared.progress.objective == pytest.approx(best, rel=1e-6)


def test_k():
    who = Blocks(np.arange(3), np.arange(3, 10))
    assert problems.table_size(None, who) == 6
    assert problems.table_size(None, Blocks(np.arange(3), np.arange(3, 4))) == 4
    assert problems.table_size(10, who) == 10
    with pytest.warns(UserWarning, match="k=3 is not above the number of examples, 3"):
        assert problems.table_size(3, who) == 3
    with pytest.raises(UsageError, match="k=11 is more than the 10 documents"):
        problems.table_size(11, who)
    for k in (0, -1, 2.5):
        with pytest.raises(UsageError, match="at least 1"):
            problems.table_size(k, who)


@pytest.mark.parametrize("weights", [None, np.array([1.0, 2.0, 0.5, 1.0, 3.0, 1.0])])
@pytest.mark.parametrize("unlabeled", [[0, 2, 5], [0, 2]])
def test_a_value_for_each_part_of_the_documents(weights, unlabeled):
    """Whether the parts are all documents, which takes a shorter way, or not."""
    some = Blocks(np.array([1, 4]), np.array(unlabeled), np.array([3]), weights)
    found = parts.spread(
        NUMPY, some, 6, (some.positives, 2.0), (some.unlabeled, -1.0), (some.negatives, 5.0)
    )
    expected = np.zeros(6)
    expected[[1, 4]], expected[unlabeled], expected[3] = 2.0, -1.0, 5.0
    assert found.tolist() == (expected * (1.0 if weights is None else weights)).tolist()
