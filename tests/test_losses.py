"""Losses against every contingency table, and against every choice of documents.

All run on NumPy's arrays, and on array-api-strict's, which can only do what the standard says.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import reference
from helpers.strict import ARRAYS as STRICT
from likewise.engines.arrays import NUMPY
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
from likewise.losses.smooth import along

NAMESPACES = {"numpy": NUMPY, "strict": STRICT}
ON_BOTH = pytest.mark.parametrize("arrays", NAMESPACES.values(), ids=NAMESPACES)
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
    arrays = draw(st.sampled_from(list(NAMESPACES.values())))
    return Problem(
        np.array(values), np.sort(order[:p]), np.sort(order[p:]), weights, name, k, scaling, arrays
    )


def brought(arrays, cut):
    assert type(cut.members) is type(arrays.vector([0.0]))
    return cut._replace(members=arrays.host(cut.members))


class Problem:
    def __init__(self, s, P, U, weights, name, k, scaling, arrays=NUMPY):
        self.arrays = arrays
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
        steps = self.arrays.vector(self.steps)
        return measure.over(self.arrays, self.P, self.U, steps, self.scale)

    def cut(self, reach=None, loss=None):
        """The loss' cut, its members brought to NumPy."""
        reach = self.arrays.vector(self.reach if reach is None else reach)
        return brought(self.arrays, (loss or self.loss()).cut(reach))

    def by(self, oracle):
        reach = self.reach
        return oracle(reference.DELTAS[self.name], reach[self.P], reach[self.U], self.scale, self.k)


@given(problems())
@settings(max_examples=400, deadline=None)
def test_the_worst_table_is_found(problem):
    assert problem.cut().value == pytest.approx(problem.by(reference.worst_table)[0], abs=1e-12)


@given(problems(most=4))
@settings(max_examples=60, deadline=None)
def test_no_choice_of_documents_is_worse_than_the_worst_table(problem):
    assert problem.cut().value == pytest.approx(
        problem.by(reference.worst_of_all_subsets), abs=1e-12
    )


@given(problems())
@settings(max_examples=200, deadline=None)
def test_a_cut_is_the_linear_function_it_claims_to_be(problem):
    cut = problem.cut()
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
    cut = problem.cut()
    other = np.array(elsewhere[: len(problem.s)])
    below = cut.offset + (problem.steps * other)[cut.members].sum()
    assert below <= problem.cut(problem.steps * other).value + 1e-12


@given(problems())
@settings(max_examples=100, deadline=None)
def test_what_a_loss_saw_before_does_not_change_what_it_says(problem):
    """FreeTables guesses how many documents enter from its last call."""
    used = problem.loss()
    for s in (np.zeros_like(problem.s), 30 * problem.s, -30 * problem.s):
        problem.cut(problem.steps * s, used)
    again, fresh = problem.cut(loss=used), problem.cut()
    assert again.value == fresh.value
    assert (again.members == fresh.members).all()


@given(problems(), st.lists(scores, min_size=16, max_size=16), st.floats(0.0, 1.0))
@settings(max_examples=300, deadline=None)
def test_on_a_line_only_those_count_that_may(problem, elsewhere, k):
    other = problem.steps * np.array(elsewhere[: len(problem.s)])
    offsets = np.abs(problem.steps) / 2
    arrays, vector = problem.arrays, problem.arrays.vector
    for loss in (problem.loss(), Hinge(arrays, vector(offsets), vector(problem.steps))):
        there, near = loss.between(vector(problem.reach), vector(other))
        places = np.arange(len(other))[arrays.host(there)]
        point = (1 - k) * problem.reach + k * other
        whole = problem.cut(point, loss)
        part = brought(arrays, near.cut(vector(point[places])))
        assert part.value == pytest.approx(whole.value, abs=1e-12)
        # Which of two equally bad tables is taken is open: each is a cut that attains the value.
        attained = part.offset + point[places][part.members].sum()
        assert attained == pytest.approx(whole.value, abs=1e-12)
        assert (arrays.host(near.steps) == problem.steps[places]).all()


@given(st.floats(1.0, 50.0), st.floats(0.0, 500.0), st.integers(50, 60))
@settings(max_examples=200, deadline=None)
def test_needed_undoes_rise(a, b, total):
    for measure in (PrecisionRecall(), F1()):
        at, after = np.array([a]), np.array([b])
        rise = measure.rise(np, at, after, total)
        delta, then = (measure.delta(np, at, b, total) for b in (after, after + 1))
        assert then - delta == pytest.approx(rise, abs=1e-12)
        assert measure.needed(np, after, rise, total) == pytest.approx(at)


@pytest.mark.parametrize("name", FREE)
@pytest.mark.parametrize("seed", range(5))
@ON_BOTH
def test_many_unlabeled_documents(name, seed, arrays):
    rng = np.random.default_rng(seed)
    p, u = 7, 900
    s = np.concatenate([rng.normal(1, 2, p), rng.normal(-2, 60, u).round(1)])
    who = np.arange(p), np.arange(p, p + u)
    problem = Problem(s, *who, np.ones(p + u), name, None, "balanced", arrays)
    value = problem.by(reference.worst_table)[0]
    assert problem.cut().value == pytest.approx(value, rel=1e-12)


@ON_BOTH
def test_ties_go_to_the_lower_document_number(arrays):
    who = np.arange(2), np.arange(2, 6)
    problem = Problem(np.zeros(6), *who, np.ones(6), "p@k", 3, "balanced", arrays)
    assert problem.cut().members.tolist() == [
        True,
        True,
        True,
        True,
        True,
        False,
    ]


@ON_BOTH
def test_at_the_margin_a_document_does_not_count(arrays):
    loss = Hinge(arrays, arrays.vector([1.0, 1.0, 1.0]), arrays.vector([-1.0, -1.0, 1.0]))
    cut = brought(arrays, loss.cut(loss.steps * arrays.vector([1.0, 0.25, -1.0])))
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
    steps = problem.arrays.vector(problem.steps)
    hinge = Hinge(problem.arrays, problem.arrays.vector(offsets), steps)
    separable = problem.cut(loss=hinge).value
    assert separable == pytest.approx(problem.by(reference.worst_table)[0], abs=1e-12)


@ON_BOTH
def test_two_losses_of_different_documents_add_up(arrays):
    first = Hinge(arrays, arrays.vector([1.0, 0.0]), arrays.vector([-1.0, 0.0]))
    second = Hinge(arrays, arrays.vector([0.0, 1.0]), arrays.vector([0.0, 1.0]))
    both = Both(arrays, first, second)
    assert arrays.host(both.steps).tolist() == [-1.0, 1.0]
    cut = brought(arrays, both.cut(both.steps * arrays.vector([0.5, 0.5])))
    assert (cut.value, cut.offset, cut.members.tolist()) == (2.0, 2.0, [True, True])


@pytest.mark.parametrize(("square", "values"), [(True, [0.75, 0.0, 4.5]), (False, None)])
@ON_BOTH
def test_smooth_losses_of_points(square, values, arrays):
    costs, signs, s = np.array([3.0, 1.0, 2.0]), np.array([1, 1, -1.0]), np.array([0.5, 2.0, 0.5])
    sides, there = (arrays.vector(costs), arrays.vector(signs)), arrays.vector(s)
    bend = (SquaredHinge if square else Logistic)(arrays, *sides).at(there)
    each = values or (costs * np.log(1 + np.exp(-signs * s))).tolist()
    assert bend.value == pytest.approx(sum(each))
    assert Logistic(arrays, *sides).at(1e4 * there).value == pytest.approx(1e4)


def of_points(kind):
    def make(arrays, s, sides):
        signs = np.where(s > 0, 1.0, -1.0)
        return kind(arrays, arrays.vector(sides.shares), arrays.vector(signs))

    return make


SMOOTH = {
    "squared hinge": of_points(SquaredHinge),
    "logistic": of_points(Logistic),
    "pairs": lambda arrays, s, sides: PairSquaredHinge(arrays, sides.spread(arrays)),
}


@pytest.mark.parametrize("name", SMOOTH)
@ON_BOTH
def test_slopes_and_curvature_are_derivatives(name, arrays):
    rng = np.random.default_rng(0)
    s, d = rng.normal(size=(2, 9))
    loss = SMOOTH[name](arrays, s, Sides(np.arange(3), np.arange(3, 9), rng.uniform(0.1, 1, 9)))
    h = 1e-6
    ahead, behind, bend = (loss.at(arrays.vector(s + k * d)) for k in (h, -h, 0))
    rise = arrays.dot(bend.slopes, arrays.vector(d))
    assert rise == pytest.approx((ahead.value - behind.value) / (2 * h), rel=1e-5)
    curve = arrays.host(ahead.slopes - behind.slopes) / (2 * h)
    times = arrays.host(bend.times(arrays.vector(d)))
    assert times == pytest.approx(curve, rel=1e-4, abs=1e-6)
    if bend.curve is not None:
        assert arrays.host(bend.curve) * d == pytest.approx(times)


@pytest.mark.parametrize("name", SMOOTH)
@ON_BOTH
def test_a_loss_along_a_line_is_that_at_its_points(name, arrays):
    rng = np.random.default_rng(0)
    s, d = rng.normal(size=(2, 9))
    loss = SMOOTH[name](arrays, s, Sides(np.arange(3), np.arange(3, 9), rng.uniform(0.1, 1, 9)))
    start, change = arrays.vector(s), arrays.vector(d)
    line = along(arrays, loss, start, change)
    for k in (-2.0, 0.0, 0.3, 4.0):
        bend = loss.at(start + k * change)
        slope, curvature = line(k)
        assert slope == pytest.approx(arrays.dot(bend.slopes, change), rel=1e-12)
        assert curvature() == pytest.approx(arrays.dot(change, bend.times(change)), rel=1e-12)


@given(problems(), st.lists(scores, min_size=16, max_size=16))
@settings(max_examples=200, deadline=None)
def test_losses_of_pairs_are_sums_over_all_pairs(problem, elsewhere):
    sides = Sides(problem.P, problem.U, np.abs(problem.steps))
    s, other = problem.s, np.array(elsewhere[: len(problem.s)])
    arrays = problem.arrays
    loss, exact = PairHinge(arrays, sides.spread(arrays)), partial(reference.pair_loss, sides)
    steps = arrays.host(loss.steps)
    cut = problem.cut(steps * s, loss)
    assert cut.value == pytest.approx(exact(s), abs=1e-9)
    assert cut.value == pytest.approx(max(0, cut.offset + steps * s @ cut.members), abs=1e-9)
    assert 0 <= cut.members.min() <= cut.members.max() <= 1 + 1e-12
    assert cut.offset + steps * other @ cut.members <= exact(other) + 1e-9
    squared = PairSquaredHinge(arrays, sides.spread(arrays)).at(arrays.vector(s)).value
    assert squared == pytest.approx(exact(s, power=2), rel=1e-9, abs=1e-9)
