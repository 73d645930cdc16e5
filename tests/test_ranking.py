"""Bipartite ranking against every pair, LIBLINEAR and each other."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import reference
from likewise.estimators import RankSVM, WeightedSVM
from likewise.losses import Sides
from likewise.matrix import as_corpus

TOTAL = 800.0  # budget·C by default


def problem(seed=0, n=60, terms=6, share=0.3):
    """Two clouds that overlap, in any order."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) < share * n, 1, -1)[rng.permutation(n)]
    X = rng.normal(size=(n, terms)) + 0.4 * (y == 1)[:, None]
    return X, y


def all_pairs(X, y):
    upper, lower = np.flatnonzero(y == 1), np.flatnonzero(y != 1)
    i, j = np.repeat(upper, len(lower)), np.tile(lower, len(upper))
    return X[i] - X[j]


def sides(y):
    upper = y == 1
    shares = np.where(upper, 1 / upper.sum(), 1 / (~upper).sum())
    return Sides(np.flatnonzero(upper), np.flatnonzero(~upper), shares)


def pair_objective(X, y, w, total=TOTAL, power=1):
    return 0.5 * w @ w + total * reference.pair_loss(sides(y), X @ w, power)


def point_objective(X, y, w, total=TOTAL, loss=lambda z: np.maximum(0, 1 - z)):
    return 0.5 * w @ w + 0.5 * total * float(
        sides(y).shares @ loss(np.where(y == 1, 1, -1) * (X @ w))
    )


def liblinear(X, y, costs, kind, eps=1e-8):
    """The minimiser of ½‖w‖² + Σ costs·loss(y·Xw); the costs of a class must be the same."""
    from liblinear.liblinearutil import train

    weights = " ".join(f"-w{label} {costs[y == label][0]:.17g}" for label in np.unique(y))
    model = train(y.astype(float), sp.csr_matrix(X), f"-s {kind} -c 1 {weights} -e {eps} -q")
    return np.array(model.get_decfun()[0])


@pytest.mark.parametrize("total", [0.01, 3.0, TOTAL])
@pytest.mark.parametrize(("loss", "power"), [("hinge", 1), ("squared_hinge", 2)])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, as_corpus])
def test_rank_svm_minimises_the_loss_of_all_pairs(total, loss, power, kind):
    X, y = problem()
    ranker = RankSVM(C=total, budget=1, loss=loss, tol=1e-4).fit(kind(X), y)
    reached = pair_objective(X, y, ranker.coef_, total, power)
    assert ranker.objective_ == pytest.approx(reached, rel=1e-9)
    pairs = all_pairs(X, y)
    both, signs = np.vstack([pairs, -pairs]), np.repeat([1, -1], len(pairs))
    costs = np.full(len(both), 0.5 * total / len(pairs))
    theirs = liblinear(both, signs, costs, {1: 3, 2: 1}[power])
    best = pair_objective(X, y, theirs, total, power)
    assert ranker.objective_ - ranker.duality_gap_ <= best * (1 + 1e-9)
    assert reached <= best * (1 + 2e-4)
    assert ranker.duality_gap_ <= 1e-4 * reached


@pytest.mark.parametrize(
    ("loss", "kind", "value"),
    [
        ("hinge", 3, lambda z: np.maximum(0, 1 - z)),
        ("squared_hinge", 1, lambda z: np.maximum(0, 1 - z) ** 2),
        ("logistic", 7, lambda z: np.logaddexp(0, -z)),
    ],
)
@pytest.mark.parametrize("n", [60, 500])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, as_corpus])
def test_weighted_svm_is_liblinears(loss, kind, value, n, form):
    X, y = problem(1, n)
    ranker = WeightedSVM(loss=loss, tol=1e-4, max_iter=5000).fit(form(X), y)
    reached = point_objective(X, y, ranker.coef_, loss=value)
    assert ranker.objective_ == pytest.approx(reached, rel=1e-6)
    theirs = liblinear(X, y, 0.5 * TOTAL * sides(y).shares, kind, 1e-5)
    best = point_objective(X, y, theirs, loss=value)
    assert reached <= best * (1 + 2e-4)
    assert ranker.objective_ - ranker.duality_gap_ <= best * (1 + 1e-6)


@given(st.integers(0, 10_000), st.floats(1e-3, 1e3), st.floats(0, 10))
@settings(max_examples=60, deadline=None)
def test_theorem_1(seed, total, length):
    """The loss of all pairs at w is at most a quarter of that of the points at 2w."""
    X, y = problem(seed, n=14, terms=3)
    w = length * np.random.default_rng(seed).normal(size=3)
    by_points = point_objective(X, y, 2 * w, 4 * total)
    assert pair_objective(X, y, w, total) <= 0.25 * by_points * (1 + 1e-12)


def test_the_bound_holds_between_the_minima():
    X, y = problem(3)
    pairs = RankSVM(C=1, budget=1).fit(X, y)
    points = WeightedSVM(C=4, budget=1).fit(X, y)
    assert pairs.objective_ - pairs.duality_gap_ <= 0.25 * points.objective_


@pytest.mark.parametrize("estimator", [RankSVM(), WeightedSVM()], ids=str)
def test_score_is_the_area_under_the_curve(estimator):
    X, y = problem(4)
    ranker = estimator.fit(X, y)
    s = ranker.decision_function(X)
    order = np.sign(s[y == 1][:, None] - s[y != 1][None, :])
    assert ranker.score(X, y) == pytest.approx((order.mean() + 1) / 2)
    assert ranker.score(X, y) > 0.7
    assert ranker.score(X, np.where(y == 1, 1, 0)) == ranker.score(X, y)


def test_negatives_beside_the_unlabeled_weigh_by_themselves():
    X, y = problem(5)
    judged = np.where(y == 1, 1, 0)
    judged[np.flatnonzero(judged == 0)[:4]] = -1
    ranker = RankSVM(C=2, budget=1, negative_weight=0.7, tol=1e-5).fit(X, judged)
    each = [1 / (judged == 1).sum(), 1 / (judged == 0).sum()]
    shares = np.select([judged == 1, judged == 0], each, 0.7 / 4)
    every = Sides(np.flatnonzero(judged == 1), np.flatnonzero(judged != 1), shares)
    loss = reference.pair_loss(every, X @ ranker.coef_)
    assert ranker.objective_ == pytest.approx(0.5 * ranker.coef_ @ ranker.coef_ + 2 * loss)
    without = RankSVM(C=2, budget=1, negative_weight=0, tol=1e-5).fit(X, judged)
    left = judged >= 0
    assert without.coef_ == pytest.approx(
        RankSVM(C=2, budget=1, tol=1e-5).fit(X[left], judged[left]).coef_, abs=1e-2
    )


BAD = {
    "one class": (RankSVM(), {"y": [1] * 60}, "one class only"),
    "no example": (WeightedSVM(), {"y": [-1] * 60}, "no example"),
    "nan": (RankSVM(), {"X": np.full((60, 3), np.nan)}, "NaN"),
    "C": (RankSVM(C=0), {}, "C must be a number above 0"),
    "budget": (WeightedSVM(budget=0), {}, "budget must be a number above 0"),
    "loss": (RankSVM(loss="exponential"), {}, "loss='exponential' is none of hinge"),
    "points' loss": (WeightedSVM(loss="odd"), {}, "loss='odd' is none of hinge"),
    "all pairs": (RankSVM(loss="logistic"), {}, "quadratic in the documents: take hinge"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_makes_no_sense_is_refused_in_a_sentence(case):
    estimator, given, message = BAD[case]
    X, y = problem()
    with pytest.raises(ValueError, match=message):
        estimator.fit(**{"X": X, "y": y, **given})


def test_a_score_needs_both_kinds():
    X, y = problem()
    ranker = RankSVM().fit(X, y)
    with pytest.raises(ValueError, match="AUC needs both kinds: 60 of 60"):
        ranker.score(X, np.ones(60))


@pytest.mark.parametrize("estimator", [RankSVM(), RankSVM(loss="squared_hinge")], ids=str)
def test_documents_that_are_all_the_same_are_told_of(estimator):
    with pytest.warns(UserWarning, match="all documents score alike"):
        ranker = estimator.fit(np.ones((20, 3)), np.arange(20) % 2)
    assert ranker.score(np.ones((20, 3)), np.arange(20) % 2) == 0.5


@pytest.mark.parametrize("estimator", [RankSVM(), WeightedSVM()], ids=str)
def test_ties_and_constant_features(estimator):
    X = np.column_stack([np.ones(40), np.arange(40) % 2, np.arange(40) < 20])
    y = np.where(np.arange(40) < 25, 1, 0)
    ranker = estimator.fit(X, y)
    assert ranker.score(X, y) > 0.7
