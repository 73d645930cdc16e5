"""The core's pairs: descent, draws and the hardest, against their readable twins."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import reference_pairs as reference
from helpers.reference_pairs import NOBODY
from likewise import _core
from likewise.engines.memory import as_corpus

NONE = np.zeros(0)
LOSSES = pytest.mark.parametrize("loss", reference.LOSSES)


def rows_of(X):
    return as_corpus(X).row_access(np.arange(X.shape[0])).rows


def u32(values):
    return np.array(values, np.uint32)


def data(seed=0, upper=8, lower=20, terms=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(upper + lower, terms)) * (rng.random((upper + lower, terms)) < 0.7)
    X[:upper] += 0.5
    return X


def some_pairs(seed, upper=8, lower=20, count=50):
    """Pairs and points, some of them twice."""
    rng = np.random.default_rng(seed)
    i, j = rng.integers(0, upper, count), upper + rng.integers(0, lower, count)
    i[::7], j[::5] = NOBODY, NOBODY
    i[::35] = 0
    return u32(i), u32(j)


def solved(X, pairs, costs, *, loss="hinge", threshold=False, seed=0, rounds=4000, tol=1e-9):
    model = _core.Pairs(rows_of(X), loss=loss, threshold=threshold, seed=seed)
    model.add(*pairs)
    model.set_costs(costs)
    for _ in range(rounds):
        primal, dual, _ = model.check()
        if primal - dual <= tol * primal:
            break
        for _ in range(5):
            model.epoch()
    return model, primal, dual


def weights(X, pairs, model, threshold=False):
    return model.alpha @ reference.differences(X, *pairs, threshold)


@LOSSES
@pytest.mark.parametrize("threshold", [False, True])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_the_gap_closes_and_the_values_are_true(loss, threshold, form):
    X, pairs = data(), some_pairs(1)
    costs = np.random.default_rng(2).uniform(0.01, 3, 50)
    model, primal, dual = solved(form(X), pairs, costs, loss=loss, threshold=threshold, tol=1e-7)
    w = weights(X, pairs, model, threshold)
    rows = reference.differences(X, *pairs, threshold)
    assert primal == pytest.approx(reference.objective(rows, costs, w, loss), rel=1e-9)
    assert 0 <= primal - dual <= 1e-7 * primal
    if threshold:
        assert model.theta == pytest.approx(w[-1])
    else:
        assert model.theta == 0


@LOSSES
def test_the_optimum_is_liblinears(loss):
    from liblinear.liblinearutil import train

    X, pairs = data(3), some_pairs(4)
    rows = reference.differences(X, *pairs)
    _, primal, _ = solved(X, pairs, np.full(50, 0.7), loss=loss)
    both, signs = np.vstack([rows, -rows]), np.repeat([1.0, -1.0], 50)  # it wants two classes
    kind = {"hinge": 3, "squared_hinge": 1, "logistic": 7}[loss]
    model = train(signs, sp.csr_matrix(both), f"-s {kind} -c 0.35 -e 1e-9 -q")
    theirs = reference.objective(rows, np.full(50, 0.7), np.array(model.get_decfun()[0]), loss)
    assert primal <= theirs * (1 + 1e-8)
    assert theirs <= primal * (1 + 1e-4)


def test_a_threshold_is_a_further_entry_of_the_points():
    """The same as rows −1 | x of all points, whose pairs have 0 there."""
    X, pairs, costs = data(5), some_pairs(6), np.full(50, 0.5)
    extended = np.column_stack([X, -np.ones(len(X))])
    model, primal, _ = solved(X, pairs, costs, threshold=True)
    other, value, _ = solved(extended, pairs, costs)
    assert primal == pytest.approx(value, rel=1e-7)
    w = weights(extended, pairs, other)
    assert np.append(weights(X, pairs, model), model.theta) == pytest.approx(w, abs=1e-3)


@LOSSES
def test_multipliers_stay_as_pairs_come_and_are_cut_back_as_costs_fall(loss):
    X, (upper, lower) = data(7), some_pairs(8)
    model, *_ = solved(X, (upper[:30], lower[:30]), np.full(30, 1.0), loss=loss)
    before = model.alpha
    model.add(upper[30:], lower[30:])
    costs = np.full(50, 0.4)
    model.set_costs(costs)
    assert model.alpha[:30] == pytest.approx(
        before if loss == "squared_hinge" else np.minimum(before, 0.4)
    )
    assert not model.alpha[30:].any()
    primal, dual, _ = model.check()
    assert dual <= primal
    for _ in range(3000):
        model.epoch()
    warm = model.check()
    _, cold, _ = solved(X, (upper, lower), costs, loss=loss)
    assert warm[0] == pytest.approx(cold, rel=1e-6)


def test_rows_that_are_the_same():
    """They have no curvature, nor do pairs of a row with itself."""
    X = np.ones((4, 2))
    model, primal, dual = solved(X, (u32([0, 1]), u32([2, 1])), np.ones(2))
    assert (primal, dual) == (2.0, 2.0)
    assert model.alpha.tolist() == [1.0, 1.0]


@given(st.floats(-60, 60))
def test_chances(t):
    for name, chance in reference.CHANCES.items():
        assert _core.chance(name, t) == pytest.approx(chance(t), rel=1e-9, abs=1e-15)


scores = st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(-3, 3, width=32))


@given(
    st.lists(scores, min_size=1, max_size=7),
    st.lists(scores, min_size=1, max_size=7),
    st.booleans(),
    st.integers(1, 9),
)
@settings(max_examples=150, deadline=None)
def test_the_hardest_pairs(upper, lower, close, batch):
    """Batch by batch until all are chosen; a row is its score, and w = 1."""
    X = np.array([*upper, *lower])[:, None]
    model = ordering(X)
    draws = _core.Draws(len(upper), len(lower), NONE, NONE)
    taken, s = set(), X[:, 0]
    while True:
        i, j, chances, rejected = draws.hard(model, "close" if close else "correct", batch)
        assert (chances == 1).all()
        assert rejected == 0
        expected = reference.hardest(s[: len(upper)], s[len(upper) :], close, batch, taken)
        values = np.abs(s[i] - s[j]) if close else s[i] - s[j]
        assert values == pytest.approx([value for value, *_ in expected])
        new = set(zip(i.tolist(), j.tolist(), strict=True))
        assert len(new) == len(i) == len(expected)
        assert not new & taken
        taken |= new
        if len(new) < batch:
            break
    assert len(taken) == len(upper) * len(lower)


def ordering(X):
    """A model whose scores are the rows' only entry, times some number above 0."""
    model, best = _core.Pairs(rows_of(X)), int(np.abs(X[:, 0]).argmax())
    model.add(*((u32([best]), u32([NOBODY]))[:: 1 if X[best, 0] > 0 else -1]))
    model.set_costs(np.array([1e9]))
    model.epoch()
    return model


STRATEGIES = ["close", "correct"]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_inverse_chances_add_up_to_all_pairs(strategy):
    """E Σ h/p over accepted draws = (draws made)·(mean of h over all pairs), for any h."""
    X = data(9, 6, 10)
    model, *_ = solved(X, some_pairs(9, 6, 10, 20), np.full(20, 0.3))
    w = weights(X, some_pairs(9, 6, 10, 20), model)
    margins = (X[:6] @ w)[:, None] - (X[6:] @ w)[None, :]
    chances = np.vectorize(reference.CHANCES[strategy])(margins)
    h = np.random.default_rng(0).normal(size=margins.shape) + 1
    reached = np.where(chances > 0, h, 0).mean()
    estimates = []
    for seed in range(3000):  # one accepted pair each: no pair is left out as chosen before
        draws = _core.Draws(6, 10, NONE, NONE, seed=seed)
        i, j, p, rejected = draws.soft(model, strategy, 1, 100_000)
        assert p[0] == pytest.approx(chances[i[0], j[0] - 6])
        estimates.append((h[i[0], j[0] - 6] / p[0], 1 + rejected))
    sums, made = np.array(estimates).T
    spread = 5 * (sums - reached * made).std() / np.sqrt(len(sums))
    assert abs((sums - reached * made).mean()) < spread
    assert made.mean() == pytest.approx(1 / chances.mean(), rel=0.1)


def test_when_draws_get_many_they_are_as_likely_as_before():
    """Few pairs can be accepted: after a while these are drawn alone, and the rest is counted."""
    upper, lower = np.full(60, 1.0), np.full(60, -1.0)
    upper[[3, 8]], lower[[5, 9]] = [0.1, 0.2], [0.15, 0.05]
    model = ordering(np.append(upper, lower)[:, None])  # margins of 1 and above for all others
    margins = upper[:, None] - lower
    chances = np.vectorize(reference.CHANCES["correct"])(margins)
    counts, made, made_next, without = np.zeros((60, 60)), [], [], []
    for seed in range(1500):
        draws = _core.Draws(60, 60, NONE, NONE, seed=seed)
        i, j, _, rejected = draws.soft(model, "correct", 1, 1_000_000)
        counts[i[0], j[0] - 60] += 1
        made.append(1 + rejected)
        _, _, _, rejected = draws.soft(model, "correct", 1, 1_000_000)  # mostly so from the start
        made_next.append(1 + rejected)
        without.append(chances.size / (chances.sum() - chances[i[0], j[0] - 60]))
    likely = chances > 0.3
    assert likely.sum() == 4
    assert counts[likely] / 1500 == pytest.approx((chances / chances.sum())[likely], abs=0.05)
    assert np.mean(made) == pytest.approx(1 / chances.mean(), rel=0.1)
    assert np.mean(made_next) == pytest.approx(np.mean(without), rel=0.1)


def test_weights_say_how_often_a_row_is_drawn():
    X = data(10, 3, 4)
    shares = np.array([0.5, 0.25, 0.25]), np.array([0.4, 0.3, 0.2, 0.1])
    model, counts = _core.Pairs(rows_of(X)), np.zeros((3, 4))
    for seed in range(4000):
        draws = _core.Draws(3, 4, *map(np.cumsum, shares), seed=seed)
        i, j, _, _ = draws.soft(model, "random", 1, 1000)
        counts[i[0], j[0] - 3] += 1
    assert counts / 4000 == pytest.approx(np.outer(*shares), abs=0.03)


@pytest.mark.parametrize("gamma", [0.0, 0.3, 1.0])
def test_gamma_says_how_often_a_pair_is_drawn(gamma):
    X = data(11, 40, 60)
    draws = _core.Draws(40, 60, NONE, NONE, gamma=gamma)
    i, j, _, _ = draws.soft(_core.Pairs(rows_of(X)), "random", 80, 100_000)
    points = (i == NOBODY) | (j == NOBODY)
    assert points.mean() == pytest.approx(1 - gamma, abs=0.12)
    if gamma == 0:
        assert (i == NOBODY).mean() == pytest.approx(0.5, abs=0.15)


def test_all_pairs_and_points_can_be_drawn_and_no_more():
    X = data(12, 3, 5)
    draws = _core.Draws(3, 5, NONE, NONE, gamma=0.5)
    i, j, _, _ = draws.soft(_core.Pairs(rows_of(X)), "random", 1000, 10_000_000)
    assert len(set(zip(i.tolist(), j.tolist(), strict=True))) == len(i) == 3 * 5 + 8
    again = draws.soft(_core.Pairs(rows_of(X)), "random", 10, 1000)
    assert len(again[0]) == 0


def test_drawing_ends_where_nothing_can_be_accepted():
    X = np.array([[9.0], [8.0], [-9.0], [-8.0]])
    model, *_ = solved(X, (u32([0]), u32([2])), np.array([1e6]))
    model.add(u32([1]), u32([3]))
    model.set_costs(np.full(2, 1e6))
    for _ in range(50):
        model.epoch()
    draws = _core.Draws(2, 2, NONE, NONE)
    i, _, _, rejected = draws.soft(model, "correct", 100, 10**7)
    assert len(i) <= 4
    assert rejected < 10**7


@pytest.mark.parametrize("strategy", ["random", *STRATEGIES])
def test_threads_do_not_matter(strategy):
    X = data(13, 300, 900, 30)
    model, *_ = solved(X, some_pairs(13, 300, 900, 400), np.full(400, 3.0), rounds=5)
    found = []
    for threads in (1, 3):
        draws = _core.Draws(300, 900, NONE, NONE, gamma=0.9, seed=5, threads=threads)
        found.append([draws.soft(model, strategy, 700, 10**7) for _ in range(3)])
    for one, other in zip(*found, strict=True):
        assert [np.asarray(a).tolist() for a in one] == [np.asarray(b).tolist() for b in other]


def test_the_core_refuses_what_does_not_fit():
    X = data(14, 2, 2)
    model = _core.Pairs(rows_of(X))
    with pytest.raises(ValueError, match="no such name: odd"):
        _core.Pairs(rows_of(X), loss="odd")
    with pytest.raises(ValueError, match="out of range"):
        model.add(u32([0]), u32([4]))
    with pytest.raises(ValueError, match="nobody"):
        model.add(u32([NOBODY]), u32([NOBODY]))
    with pytest.raises(ValueError, match="an upper and a lower"):
        model.add(u32([0]), u32([]))
    with pytest.raises(ValueError, match="one cost a pair"):
        model.set_costs(np.ones(1))
    with pytest.raises(ValueError, match="both sides"):
        _core.Draws(0, 2, NONE, NONE)
    with pytest.raises(ValueError, match="one sum an upper"):
        _core.Draws(2, 2, np.ones(3), NONE)
    with pytest.raises(ValueError, match="other rows"):
        _core.Draws(2, 5, NONE, NONE).soft(model, "close", 1, 1)
    with pytest.raises(ValueError, match="not given"):
        _core.Pairs(_core.Rows(np.ones(1), 1))


def test_the_core_refuses_senseless_numbers():
    X = data(14, 2, 2)
    model = _core.Pairs(rows_of(X))
    model.add(u32([0]), u32([2]))
    for cost in (-1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match="costs must be finite"):
            model.set_costs(np.array([cost]))
    for gamma in (-0.1, 1.1, np.nan):
        with pytest.raises(ValueError, match="gamma"):
            _core.Draws(2, 2, NONE, NONE, gamma=gamma)
    for sums in ([1.0, np.nan], [1.0, np.inf], [2.0, 1.0], [-1.0, 1.0], [0.0, 0.0]):
        for both in ((np.array(sums), NONE), (NONE, np.array(sums))):
            with pytest.raises(ValueError, match="running sums"):
                _core.Draws(2, 2, *both)
    with pytest.raises(ValueError, match="too many"):
        _core.Draws(2**63, 2**63, NONE, NONE)
    draws, good = _core.Draws(2, 2, NONE, NONE), np.ones(4)
    for square in (-1.0, np.nan, np.inf):
        bad = np.array([1, 1, square, 1])
        with pytest.raises(ValueError, match="squares"):
            _core.combined(rows_of(X), bad, draws, "hinge", True, 1.0, 1)
    for total in (-1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match="total"):
            _core.combined(rows_of(X), good, draws, "hinge", True, total, 1)


def test_scores_that_cannot_be_compared_are_not_sorted():
    X = np.array([[1e308, 1e308], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    model = _core.Pairs(rows_of(X))
    model.add(u32([0]), u32([1]))
    model.set_costs(np.array([1e308]))
    model.epoch()
    for strategy in ("close", "correct"):
        with pytest.raises(ValueError, match="score is NaN or infinite"):
            _core.Draws(2, 2, NONE, NONE).hard(model, strategy, 2)
