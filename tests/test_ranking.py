"""Bipartite ranking against every pair, LIBLINEAR and each other."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_svmlight_file

from helpers import reference, reference_pairs
from helpers.strict import StrictCorpus
from likewise.engines.memory import as_corpus
from likewise.estimators import (
    ActiveRankSVM,
    CombinedRankingRegression,
    Curve,
    RankSVM,
    WeightedSVM,
)
from likewise.losses import Sides

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
    "loss": (RankSVM(loss="exponential"), {}, "unknown loss 'exponential': choose hinge"),
    "points' loss": (WeightedSVM(loss="odd"), {}, "unknown loss 'odd': choose hinge"),
    "all pairs": (RankSVM(loss="logistic"), {}, "quadratic time: use hinge"),
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
    with pytest.raises(ValueError, match="AUC needs both classes: 60 of 60"):
        ranker.score(X, np.ones(60))


@pytest.mark.parametrize("estimator", [RankSVM(), RankSVM(loss="squared_hinge")], ids=str)
def test_documents_that_are_all_the_same_are_told_of(estimator):
    with pytest.warns(UserWarning, match="all documents have the same score"):
        ranker = estimator.fit(np.ones((20, 3)), np.arange(20) % 2)
    assert ranker.score(np.ones((20, 3)), np.arange(20) % 2) == 0.5


@pytest.mark.parametrize("estimator", [RankSVM(), WeightedSVM()], ids=str)
def test_ties_and_constant_features(estimator):
    X = np.column_stack([np.ones(40), np.arange(40) % 2, np.arange(40) < 20])
    y = np.where(np.arange(40) < 25, 1, 0)
    ranker = estimator.fit(X, y)
    assert ranker.score(X, y) > 0.7


ACTIVE = ["random", "soft-close", "soft-correct", "hard-close", "hard-correct"]
FORMS = {"array": np.asarray, "sparse": sp.csr_array, "corpus": as_corpus}


def drawn(X, y, **options):
    return ActiveRankSVM(**{"budget": 300, "batch": 50, **options}).fit(X, y)


@pytest.mark.parametrize("strategy", ACTIVE)
@pytest.mark.parametrize("form", FORMS)
def test_a_budget_of_pairs(strategy, form):
    X, y = problem(6, 200)
    ranker = drawn(FORMS[form](X), y, strategy=strategy)
    upper, lower = ranker.pairs_.T
    assert len(set(map(tuple, ranker.pairs_.tolist()))) == 300
    assert (y[upper] == 1).all()
    assert (y[lower] == -1).all()
    assert ranker.pair_costs_.sum() == pytest.approx(300 * 0.1)
    assert len(ranker.rejected_) == 6
    assert ranker.n_rejected_ == sum(ranker.rejected_)
    assert (ranker.n_rejected_ > 0) == strategy.startswith("soft")
    if strategy in ("random", "hard-close", "hard-correct"):
        assert ranker.pair_costs_ == pytest.approx(0.1)
    assert strategy == "hard-correct" or ranker.score(X, y) > 0.7


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "logistic"])
@pytest.mark.parametrize("strategy", ["random", "soft-correct"])
def test_the_sampled_problem_is_solved_as_liblinear_does(loss, strategy):
    X, y = problem(7, 200)
    ranker = drawn(X, y, strategy=strategy, loss=loss, tol=1e-5, bias_correction=False)
    upper, lower = ranker.pairs_.T
    rows = X[upper] - X[lower]
    reached = reference_pairs.objective(rows, ranker.pair_costs_, ranker.coef_, loss)
    assert ranker.objective_ == pytest.approx(reached, rel=1e-7)
    both, signs = np.vstack([rows, -rows]), np.repeat([1, -1], len(rows))
    kind = {"hinge": 3, "squared_hinge": 1, "logistic": 7}[loss]
    theirs = liblinear(both, signs, np.full(len(both), 0.05), kind, 1e-7)
    best = reference_pairs.objective(rows, ranker.pair_costs_, theirs, loss)
    assert ranker.objective_ - ranker.duality_gap_ <= best * (1 + 1e-9)
    assert reached <= best * (1 + 2e-5)


def test_bias_correction_weighs_by_the_inverse_chance():
    X, y = problem(8, 200)
    ranker = drawn(X, y, strategy="soft-close")
    assert (ranker.pair_costs_[:50] == ranker.pair_costs_.min()).all()  # chances of 1 at first
    plain = drawn(X, y, strategy="soft-close", bias_correction=False)
    assert plain.pair_costs_ == pytest.approx(0.1)


@pytest.mark.parametrize("threshold", [False, True])
def test_with_all_pairs_or_all_points_it_is_the_other_two(threshold):
    X, y = problem(9, 60)
    every = {"C": 0.004, "budget": 5000, "tol": 1e-4, "max_iter": 20_000, "threshold": threshold}
    with pytest.warns(UserWarning, match="budget=5000 is not below the 756 pairs"):
        pairs = ActiveRankSVM(gamma=1.0, **every).fit(X, y)
    assert pairs.objective_ == pytest.approx(
        RankSVM(C=0.004, budget=5000, tol=1e-4).fit(X, y).objective_, 5e-5
    )
    with pytest.warns(UserWarning, match="budget=5000 is not below the 60 pairs and points"):
        points = ActiveRankSVM(gamma=0.0, **every).fit(X, y)
    weighted = WeightedSVM(C=0.004, budget=5000, tol=1e-4, fit_intercept=threshold).fit(X, y)
    assert points.objective_ == pytest.approx(weighted.objective_, rel=2e-4)
    assert points.intercept_ == pytest.approx(weighted.intercept_, abs=0.02)
    with pytest.warns(UserWarning, match="816 pairs and points"):
        both = ActiveRankSVM(gamma=0.4, **{**every, "threshold": False}).fit(X, y)
    expected = 0.4 * pair_objective(X, y, both.coef_, 20) + 0.6 * point_objective(
        X, y, both.coef_, 20
    )
    assert both.objective_ == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("gamma", [0.0, 0.5, "uniform"])
@pytest.mark.parametrize("strategy", ACTIVE)
def test_points_beside_pairs(gamma, strategy):
    X, y = problem(10, 400)
    ranker = drawn(X, y, gamma=gamma, strategy=strategy, threshold=True, budget=200)
    points = (ranker.pairs_ == -1).any(axis=1)
    share = {0.0: 1.0, 0.5: 0.5, "uniform": 400 / (120 * 280 + 400)}[gamma]
    assert points.mean() == pytest.approx(share, abs=0.15)
    assert (ranker.intercept_ != 0) == bool(points.any())
    upper, lower = ranker.pairs_.T
    assert (y[upper[upper >= 0]] == 1).all()
    assert (y[lower[lower >= 0]] == -1).all()


def test_a_seed_repeats_bit_for_bit_on_any_number_of_threads():
    X, y = problem(11, 300)
    one, same, other = (
        drawn(X, y, random_state=seed, n_jobs=jobs) for seed, jobs in ((3, 1), (3, 2), (4, 1))
    )
    assert (one.coef_ == same.coef_).all()
    assert one.rejected_ == same.rejected_
    assert (one.coef_ != other.coef_).any()
    drawn(X, y, random_state=np.random.RandomState(0))


def test_a_curve_is_kept():
    X, y = problem(12, 200)
    curve = Curve(X, y)
    ranker = drawn(X, y, callback=curve)
    assert curve.pairs == [50, 100, 150, 200, 250, 300]
    assert curve.auc[-1] == pytest.approx(ranker.score(X, y))
    assert sum(curve.rejected) * 50 == pytest.approx(ranker.n_rejected_)


def test_a_curve_has_a_point_as_soon_as_a_checkpoint_is_reached():
    X, y = problem(12, 200)
    full, some = Curve(X, y), Curve(X, y, at=(60, 200, 100, 1000))
    ranker = drawn(X, y, callback=lambda step: (full(step), some(step)))
    assert some.pairs == [100, 200]  # 60 and 100 by the same batch; 1000 are never chosen
    assert some.auc == [full.auc[1], full.auc[3]]
    assert some.rejected == pytest.approx([np.mean(full.rejected[:2]), np.mean(full.rejected[2:4])])
    assert (drawn(X, y).coef_ == ranker.coef_).all()  # looking changes nothing


def test_more_pairs_come_nearer_to_all_of_them():
    X, y = problem(13, 600)
    best = RankSVM(budget=8000).fit(X, y)
    ranker = drawn(X, y, budget=8000, strategy="soft-close")
    cosine = ranker.coef_ @ best.coef_ / np.linalg.norm(ranker.coef_) / np.linalg.norm(best.coef_)
    assert cosine > 0.99


def test_where_nothing_is_wrong_drawing_ends_with_a_warning():
    y = np.where(np.arange(400) < 200, 1, -1)
    X = 20.0 * y[:, None] + np.random.default_rng(0).normal(size=(400, 2))
    with pytest.warns(UserWarning, match="no more pairs are accepted"):
        ranker = drawn(X, y, budget=2000, batch=100)
    assert ranker.score(X, y) == 1
    assert len(ranker.pairs_) < 2000


def test_weights_and_negatives_say_how_often_documents_are_drawn():
    X, y = problem(14, 500)
    judged = np.where(y == 1, 1, 0)
    judged[np.flatnonzero(judged == 0)[:50]] = -1
    ranker = drawn(X, judged, strategy="random", negative_weight=1.0, budget=1000)
    assert (judged[ranker.pairs_[:, 1]] == -1).mean() == pytest.approx(0.5, abs=0.06)
    weights = np.where(np.arange(500) % 2, 3.0, 1.0)
    ranker = ActiveRankSVM(strategy="random", budget=1000).fit(X, y, sample_weight=weights)
    assert (ranker.pairs_ % 2).mean() == pytest.approx(0.75, abs=0.06)


@pytest.mark.parametrize("strategy", ACTIVE)
def test_ties_everywhere(strategy):
    X = np.ones((80, 3))
    with pytest.warns(UserWarning, match="all documents have the same score"):
        ranker = drawn(X, np.arange(80) % 2, strategy=strategy)
    assert len(ranker.pairs_) == 300


def test_points_cannot_be_drawn_more_than_once():
    X, y = problem(15, 60)
    ranker = drawn(X, y, gamma=0.2, budget=200, strategy="random")
    assert (ranker.pairs_ == -1).any(axis=1).sum() == 60


def test_one_document_on_each_side():
    with pytest.warns(UserWarning, match="not below the 1 pairs"):
        ranker = ActiveRankSVM().fit(np.eye(2), [1, 0])
    assert ranker.score(np.eye(2), [1, 0]) == 1


ACTIVE_BAD = {
    "strategy": ({"strategy": "odd"}, "unknown strategy 'odd': choose random, soft-close"),
    "budget": ({"budget": 0}, "budget must be a number above 0"),
    "half": ({"budget": 10.5}, "budget must be a whole number, not 10.5"),
    "batch": ({"batch": -1}, "batch must be a number above 0"),
    "gamma": ({"gamma": 1.5}, "gamma must be a number from 0 to 1 or 'uniform', not 1.5"),
    "word": ({"gamma": "all"}, "gamma must be a number from 0 to 1 or 'uniform', not 'all'"),
    "loss": ({"loss": "exponential"}, "unknown loss 'exponential': choose hinge"),
    "C": ({"C": -1}, "C must be a number above 0"),
}


@pytest.mark.parametrize("case", ACTIVE_BAD)
def test_active_options_that_make_no_sense(case):
    options, message = ACTIVE_BAD[case]
    with pytest.raises(ValueError, match=message):
        drawn(*problem(), **options)


@pytest.mark.parametrize("estimator", [ActiveRankSVM(), CombinedRankingRegression()], ids=str)
def test_what_active_learners_cannot_learn_from(estimator):
    X, y = problem()
    with pytest.raises(ValueError, match="one class only"):
        estimator.fit(X, np.ones(60))
    with pytest.raises(ValueError, match="NaN"):
        estimator.fit(np.full((60, 2), np.nan), y)
    with pytest.raises(ValueError, match=r"needs access to single rows.*use RankSVM"):
        estimator.fit(StrictCorpus(X), y)


def test_the_papers_figures_hold(shared):
    """Table 4, a9a, where CRR's last step alone would have .883 to .892."""
    train, test = (
        load_svmlight_file(str(shared / "ranking" / "a9a" / f"{part}.svm.gz"), n_features=123)
        for part in ("train", "test")
    )
    rankers = (WeightedSVM(), ActiveRankSVM(), CombinedRankingRegression())
    for estimator, auc in zip(rankers, (0.9008, 0.9007, 0.8999), strict=True):
        assert estimator.fit(*train).score(*test) == pytest.approx(auc, abs=0.002)
