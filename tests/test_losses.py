"""Losses against every contingency table, and against every choice of documents."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference
from likewise.losses import (
    F1,
    Both,
    Hinge,
    Logistic,
    PairHinge,
    PairSquaredHinge,
    PrecisionAt,
    PrecisionRecall,
    RecallAt,
    Sides,
    SquaredHinge,
)

FREE = {"pr": PrecisionRecall, "f1": F1}
SIZED = {"p@k": PrecisionAt, "r@k": RecallAt}
scores = st.one_of(
    st.sampled_from([-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0]), st.floats(-20.0, 20.0, width=32)
)


@st.composite
def problems(draw, most=8):
    """Scores of l examples and u unlabeled documents in any order, weights, a name and its k."""
    p, u = draw(st.integers(1, most)), draw(st.integers(1, most))
    values = draw(st.lists(scores, min_size=p + u, max_size=p + u))
    weights = draw(st.sampled_from([np.ones(p + u), np.linspace(0.5, 3.0, p + u)]))
    order = np.array(draw(st.permutations(range(p + u))))
    name = draw(st.sampled_from([*FREE, *SIZED]))
    k = draw(st.integers(1, p + u)) if name in SIZED else None
    scaling = draw(st.sampled_from(["balanced", "printed"]))
    return Problem(
        np.array(values), np.sort(order[:p]), np.sort(order[p:]), weights, name, k, scaling
    )


class Problem:
    def __init__(self, s, P, U, weights, name, k, scaling):
        self.s, self.P, self.U, self.name, self.k = s, P, U, name, k
        p, u, n = len(P), len(U), len(s)
        self.scale, cp, cu = (
            (1.0, 1 / p, 1 / u) if scaling == "balanced" else (0.5 / n, 1 / n, 1 / n)
        )
        self.steps = np.zeros(n)
        self.steps[P], self.steps[U] = -cp * weights[P], cu * weights[U]
        self.reach = self.steps * s

    def loss(self):
        measure = FREE[self.name]() if self.k is None else SIZED[self.name](self.k)
        return measure.over(self.P, self.U, self.steps, self.scale)

    def by(self, oracle):
        reach = self.reach
        return oracle(reference.DELTAS[self.name], reach[self.P], reach[self.U], self.scale, self.k)


@given(problems())
@settings(max_examples=400, deadline=None)
def test_the_worst_table_is_found(problem):
    assert problem.loss().cut(problem.reach).value == pytest.approx(
        problem.by(reference.worst_table)[0], abs=1e-12
    )


@given(problems(most=4))
@settings(max_examples=60, deadline=None)
def test_no_choice_of_documents_is_worse_than_the_worst_table(problem):
    assert problem.loss().cut(problem.reach).value == pytest.approx(
        problem.by(reference.worst_of_all_subsets), abs=1e-12
    )


@given(problems())
@settings(max_examples=200, deadline=None)
def test_a_cut_is_the_linear_function_it_claims_to_be(problem):
    cut = problem.loss().cut(problem.reach)
    pushed = (problem.steps * problem.s)[cut.members].sum()
    assert cut.value == pytest.approx(cut.offset + pushed, abs=1e-12)
    if cut.value > 0:
        p, u = len(problem.P), len(problem.U)
        a, b = p - cut.members[problem.P].sum(), cut.members[problem.U].sum()
        delta = reference.DELTAS[problem.name](int(a), int(b), p, u)
        assert cut.offset == pytest.approx(problem.scale * delta)
        assert problem.k is None or a + b == problem.k
    else:
        assert not cut.members.any()


@given(problems(), st.lists(scores, min_size=16, max_size=16))
@settings(max_examples=200, deadline=None)
def test_cuts_lie_below_the_loss_everywhere(problem, elsewhere):
    cut = problem.loss().cut(problem.reach)
    other = np.array(elsewhere[: len(problem.s)])
    below = cut.offset + (problem.steps * other)[cut.members].sum()
    assert below <= problem.loss().cut(problem.steps * other).value + 1e-12


@given(problems())
@settings(max_examples=100, deadline=None)
def test_what_a_loss_saw_before_does_not_change_what_it_says(problem):
    """FreeTables guesses how many documents enter from its last call."""
    used = problem.loss()
    for s in (np.zeros_like(problem.s), 30 * problem.s, -30 * problem.s):
        used.cut(problem.steps * s)
    again, fresh = used.cut(problem.reach), problem.loss().cut(problem.reach)
    assert again.value == fresh.value
    assert (again.members == fresh.members).all()


@given(problems(), st.lists(scores, min_size=16, max_size=16), st.floats(0.0, 1.0))
@settings(max_examples=300, deadline=None)
def test_on_a_line_only_those_count_that_may(problem, elsewhere, k):
    other = problem.steps * np.array(elsewhere[: len(problem.s)])
    offsets = np.abs(problem.steps) / 2
    for loss in (problem.loss(), Hinge(offsets, problem.steps)):
        places, near = loss.between(problem.reach, other)
        point = (1 - k) * problem.reach + k * other
        whole, part = loss.cut(point), near.cut(point[places])
        assert part.value == pytest.approx(whole.value, abs=1e-12)
        # Which of two equally bad tables is taken is open: each is a cut that attains the value.
        attained = part.offset + point[places][part.members].sum()
        assert attained == pytest.approx(whole.value, abs=1e-12)
        assert (near.steps == problem.steps[places]).all()


@given(st.floats(1.0, 50.0), st.floats(0.0, 500.0), st.integers(50, 60))
@settings(max_examples=200, deadline=None)
def test_needed_undoes_rise(a, b, total):
    for measure in (PrecisionRecall(), F1()):
        at, after = np.array([a]), np.array([b])
        rise = measure.rise(at, after, total)
        assert measure.delta(at, after + 1, total) - measure.delta(
            at, after, total
        ) == pytest.approx(rise, abs=1e-12)
        assert measure.needed(after, rise, total) == pytest.approx(at)


@pytest.mark.parametrize("name", FREE)
@pytest.mark.parametrize("seed", range(5))
def test_many_unlabeled_documents(name, seed):
    rng = np.random.default_rng(seed)
    p, u = 7, 900
    s = np.concatenate([rng.normal(1, 2, p), rng.normal(-2, 60, u).round(1)])
    problem = Problem(s, np.arange(p), np.arange(p, p + u), np.ones(p + u), name, None, "balanced")
    value = problem.by(reference.worst_table)[0]
    assert problem.loss().cut(problem.reach).value == pytest.approx(value, rel=1e-12)


def test_ties_go_to_the_lower_document_number():
    problem = Problem(np.zeros(6), np.arange(2), np.arange(2, 6), np.ones(6), "p@k", 3, "balanced")
    assert problem.loss().cut(problem.reach).members.tolist() == [
        True,
        True,
        True,
        True,
        True,
        False,
    ]


def test_at_the_margin_a_document_does_not_count():
    loss = Hinge(np.array([1.0, 1.0, 1.0]), np.array([-1.0, -1.0, 1.0]))
    cut = loss.cut(loss.steps * np.array([1.0, 0.25, -1.0]))
    assert cut.members.tolist() == [False, True, False]
    assert (cut.value, cut.offset) == (0.75, 1.0)


@given(problems())
@settings(max_examples=100, deadline=None)
def test_balanced_accuracy_separates_over_documents(problem):
    """Proposition 4, in both scalings: the worst table of Δ_ba is a sum of hinges."""
    p, u = len(problem.P), len(problem.U)
    offsets = np.zeros(len(problem.s))
    offsets[problem.P], offsets[problem.U] = problem.scale / (2 * p), problem.scale / (2 * u)
    problem.name, problem.k = "ba", None
    separable = Hinge(offsets, problem.steps).cut(problem.reach).value
    assert separable == pytest.approx(problem.by(reference.worst_table)[0], abs=1e-12)


def test_two_losses_of_different_documents_add_up():
    first = Hinge(np.array([1.0, 0.0]), np.array([-1.0, 0.0]))
    second = Hinge(np.array([0.0, 1.0]), np.array([0.0, 1.0]))
    both = Both(first, second)
    assert both.steps.tolist() == [-1.0, 1.0]
    cut = both.cut(both.steps * np.array([0.5, 0.5]))
    assert (cut.value, cut.offset, cut.members.tolist()) == (2.0, 2.0, [True, True])


@pytest.mark.parametrize(("square", "values"), [(True, [0.75, 0.0, 4.5]), (False, None)])
def test_smooth_losses_of_points(square, values):
    costs, signs, s = np.array([3.0, 1.0, 2.0]), np.array([1, 1, -1.0]), np.array([0.5, 2.0, 0.5])
    bend = SquaredHinge(costs, signs).at(s) if square else Logistic(costs, signs).at(s)
    each = values or (costs * np.log(1 + np.exp(-signs * s))).tolist()
    assert bend.value == pytest.approx(sum(each))
    assert Logistic(costs, signs).at(1e4 * s).value == pytest.approx(1e4)


SMOOTH = {
    "squared hinge": lambda s, sides: SquaredHinge(sides.shares, np.where(s > 0, 1.0, -1.0)),
    "logistic": lambda s, sides: Logistic(sides.shares, np.where(s > 0, 1.0, -1.0)),
    "pairs": lambda s, sides: PairSquaredHinge(sides, len(s)),
}


@pytest.mark.parametrize("name", SMOOTH)
def test_slopes_and_curvature_are_derivatives(name):
    rng = np.random.default_rng(0)
    s, d = rng.normal(size=(2, 9))
    loss = SMOOTH[name](s, Sides(np.arange(3), np.arange(3, 9), rng.uniform(0.1, 1, 9)))
    h = 1e-6
    ahead, behind, bend = loss.at(s + h * d), loss.at(s - h * d), loss.at(s)
    assert bend.slopes @ d == pytest.approx((ahead.value - behind.value) / (2 * h), rel=1e-5)
    curve = (ahead.slopes - behind.slopes) / (2 * h)
    assert bend.times(d) == pytest.approx(curve, rel=1e-4, abs=1e-6)


@given(problems(), st.lists(scores, min_size=16, max_size=16))
@settings(max_examples=200, deadline=None)
def test_losses_of_pairs_are_sums_over_all_pairs(problem, elsewhere):
    sides = Sides(problem.P, problem.U, np.abs(problem.steps))
    s, other = problem.s, np.array(elsewhere[: len(problem.s)])
    loss = PairHinge(sides, len(s))
    cut, exact = loss.cut(loss.steps * s), partial(reference.pair_loss, sides)
    assert cut.value == pytest.approx(exact(s), abs=1e-9)
    assert cut.value == pytest.approx(max(0, cut.offset + loss.steps * s @ cut.members), abs=1e-9)
    assert 0 <= cut.members.min() <= cut.members.max() <= 1 + 1e-12
    assert cut.offset + loss.steps * other @ cut.members <= exact(other) + 1e-9
    squared = PairSquaredHinge(sides, len(s)).at(s).value
    assert squared == pytest.approx(exact(s, power=2), rel=1e-9, abs=1e-9)
