"""Combined ranking and regression: its steps, its minimum, and what it says if that is far."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from helpers import reference, reference_pairs
from likewise.estimators import CombinedRankingRegression
from test_ranking import FORMS, problem, sides


@pytest.mark.parametrize(("loss", "power"), [("hinge", 1), ("squared_hinge", 2)])
@pytest.mark.parametrize("gamma", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("form", FORMS)
def test_combined_ranking_and_regression_comes_near_its_minimum(loss, power, gamma, form):
    X, y = problem(16, 120)
    signs = np.where(y == 1, 1, -1)

    def objective(w):
        points = np.mean((signs - X @ w) ** 2)
        pairs = reference.pair_loss(sides(y), X @ w, power)
        return 0.5 * w @ w + 30 * (gamma * pairs + (1 - gamma) * points)

    ranker = CombinedRankingRegression(C=30, budget=1, gamma=gamma, loss=loss, max_iter=20_000)
    ranker.fit(FORMS[form](X), y)
    assert ranker.objective_ == pytest.approx(objective(ranker.coef_), rel=1e-9)
    near = np.random.default_rng(0).normal(size=(200, X.shape[1]))
    least = min(objective(ranker.coef_ + 0.1 * step) for step in near)
    assert ranker.objective_ <= 1.02 * least


def test_combined_ranking_has_other_losses_and_refuses_the_rest():
    X, y = problem(17, 200)
    for options in ({"loss": "logistic"}, {"points": "as_pairs"}):
        ranker = CombinedRankingRegression(**options, tol=0.1).fit(X, y)
        assert ranker.score(X, y) > 0.7
    assert (
        CombinedRankingRegression().fit(X, y).coef_ == CombinedRankingRegression().fit(X, y).coef_
    ).all()
    with pytest.raises(ValueError, match="unknown points 'odd': choose squared, as_pairs"):
        CombinedRankingRegression(points="odd").fit(X, y)
    with pytest.raises(ValueError, match="gamma must be a number from 0 to 1"):
        CombinedRankingRegression(gamma=2).fit(X, y)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "logistic"])
def test_combined_ranking_takes_the_loss_of_pairs_for_points(loss):
    X, y = problem(18, 80)
    ranker = CombinedRankingRegression(C=30, budget=1, loss=loss, points="as_pairs").fit(X, y)
    signs, s = np.where(y == 1, 1, -1), X @ ranker.coef_
    each = np.vectorize(reference_pairs.LOSSES[loss])
    pairs = each(s[y == 1][:, None] - s[y != 1][None, :]).mean()
    value = 0.5 * ranker.coef_ @ ranker.coef_ + 30 * (0.5 * pairs + 0.5 * each(signs * s).mean())
    assert ranker.objective_ == pytest.approx(value, rel=1e-9)


def test_combined_ranking_is_the_mean_of_its_steps():
    """With one document on each side every step is known: step t of at most total/t, and shorter
    where the margin is reached; all before it shrink by t/(t + 1).
    """
    x, total, steps = np.array([1.0, 2.0]), 3.0, 9
    u, lower = 0.0, np.array([0.0, -1.0])
    length = (np.linalg.norm(x) + np.linalg.norm(lower)) ** 2
    seen = []
    for t in range(1, steps + 1):
        margin = u * (x - lower) @ (x - lower)
        u = u * t / (t + 1) + min(total / t, max(0.0, 1 - margin) / length)
        seen.append(u)
    weights = np.arange(1, steps + 1)
    ranker = CombinedRankingRegression(C=total, budget=1, gamma=1, max_iter=steps, tol=10)
    ranker.fit(np.array([x, lower]), [1, 0])
    assert ranker.coef_ == pytest.approx(np.average(seen, weights=weights) * (x - lower))
    half = np.average(seen[: steps // 2], weights=weights[: steps // 2]) * (x - lower)
    objective = [0.5 * w @ w + total * max(0.0, 1 - w @ (x - lower)) for w in (half, ranker.coef_)]
    assert ranker.objective_ == pytest.approx(objective[1])
    assert ranker.excess_ == pytest.approx(max(0.0, objective[0] - objective[1]))


def test_combined_ranking_says_if_it_is_far_from_its_minimum():
    X, y = problem(19, 200)
    with pytest.warns(ConvergenceWarning, match="above its minimum after 20 steps, more than"):
        CombinedRankingRegression(max_iter=20).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        near = CombinedRankingRegression(max_iter=500_000, C=0.01).fit(X, y)
    assert 0 <= near.excess_ <= 0.01 * near.objective_
    with pytest.raises(ValueError, match="tol must be a number above 0"):
        CombinedRankingRegression(tol=0).fit(X, y)
