"""Coordinate descent on the dual: the same optimum as other solvers find, wherever rows lie."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from helpers import reference_products as reference
from helpers.corpora import corpus as corpus_of
from helpers.corpora import local, local_with_deletions, stored_dense, stored_values
from helpers.topics import topics
from likewise import _core
from likewise.engines.arrays import NUMPY
from likewise.engines.memory import as_corpus
from likewise.losses import Hinge, SquaredHinge
from likewise.solvers.bundle import bundle
from likewise.solvers.descent import descend
from likewise.solvers.newton import newton
from likewise.solvers.products import Biased
from likewise.solvers.stopping import first_of, gap_below, passes

TOL = 1e-6
STOP = first_of(passes(5000), gap_below(TOL))
TIGHT = first_of(passes(500), gap_below(1e-3))
DOCUMENTS, EXAMPLES = 120, 8
HINGE_OR_SQUARE = pytest.mark.parametrize("squared", [False, True], ids=["hinge", "squared"])
WITH_BIAS = pytest.mark.parametrize("bias", [False, True], ids=["", "bias"])


def random_counts(documents: int = DOCUMENTS, terms: int = 40, seed: int = 0) -> np.ndarray:
    """Documents of a few terms, one of them empty, one with a count over 255."""
    rng = np.random.default_rng(seed)
    counts = rng.poisson(0.15, size=(documents, terms)) * rng.integers(
        1, 4, size=(documents, terms)
    )
    counts[: documents // 10, :5] += rng.poisson(0.7, size=(documents // 10, 5))
    counts[documents // 2] = 0
    counts[documents // 3, 2] = 300
    return counts


def with_outside_rows(counts):
    inside, outside = counts[:-7], counts[-7:]
    return local(inside, "tfidf").extended(reference.count_arrays(outside))


def real_values(counts):
    values = np.where(counts > 0, np.sin(counts + np.arange(counts.shape[1])), 0)
    return values.astype(np.float32)


def values_part(counts):
    return corpus_of("local", stored_values(real_values(counts)), weighting="unit")


def dense_part(counts):
    return corpus_of("local", stored_dense(real_values(counts)), weighting="unit")


def view(counts):
    """Two thirds of a corpus in another order."""
    rng = np.random.default_rng(1)
    more = np.concatenate([counts, rng.poisson(0.3, size=(len(counts) // 2, counts.shape[1]))])
    places = rng.permutation(len(more))
    return local_with_deletions(more[places], "tfidf").take(np.argsort(places)[: len(counts)])


STORAGE = {
    "one segment": lambda counts: local(counts, "tfidf"),
    "segments and deletions": lambda counts: local_with_deletions(counts, "tfidf"),
    "not of unit length": lambda counts: local(np.minimum(counts, 5), "raw"),
    "rows from outside": with_outside_rows,
    "real values": values_part,
    "dense values": dense_part,
    "a view": view,
}


@pytest.fixture(scope="module", params=STORAGE)
def corpus(request):
    return STORAGE[request.param](random_counts())


def dense(corpus) -> np.ndarray:
    """All rows of a corpus as an array."""
    starts, columns, values, shape = corpus.rows(np.arange(corpus.shape[0]))
    x = np.zeros(shape)
    x[np.repeat(np.arange(shape[0]), np.diff(starts)), columns] = values
    return x


def sides(squared: bool, costs: np.ndarray, labels: np.ndarray, margins=1.0):
    if squared:
        return SquaredHinge(NUMPY, costs, labels)
    return Hinge(NUMPY, costs * margins, -costs * labels)


def balanced(squared: bool, documents: int = DOCUMENTS, examples: int = EXAMPLES):
    """Examples first; all examples together weigh as much as all others."""
    labels = np.where(np.arange(documents) < examples, 1.0, -1.0)
    costs = np.where(labels > 0, 1 / examples, 1 / max(documents - examples, 1))
    return sides(squared, costs, labels)


def objective(x: np.ndarray, loss, C: float, solution) -> float:
    """From w alone."""
    s = x @ solution.w + solution.bias
    if isinstance(loss, SquaredHinge):
        worth = float(loss.costs @ np.maximum(0, loss.margin - loss.signs * s) ** 2)
    else:
        worth = float(np.maximum(0, loss.offsets + loss.steps * s).sum())
    return 0.5 * float(solution.w @ solution.w) + 0.5 * solution.bias**2 + C * worth


def by_passes(corpus, loss, C, *, bias: bool = False):
    """How low others come, that only use a corpus' two products."""
    products = Biased(corpus) if bias else corpus
    solve = newton if isinstance(loss, SquaredHinge) else bundle
    return solve(products, loss, C, first_of(passes(4000), gap_below(1e-4))).progress


def weights_of(solution, documents: int) -> np.ndarray:
    weights = np.zeros(documents)
    weights[solution.support] = solution.alphas
    return weights


def check(corpus, loss, C, solution, tol: float = TOL) -> None:
    """What every solution must be, whatever the problem."""
    x = dense(corpus)
    progress = solution.progress
    assert progress.relative_gap <= tol
    assert progress.objective == pytest.approx(objective(x, loss, C, solution), rel=1e-9, abs=1e-15)
    np.testing.assert_allclose(
        solution.w, x.T @ weights_of(solution, len(x)), atol=1e-9 * max(1, abs(solution.w).max())
    )
    assert (solution.alphas != 0).all()


@HINGE_OR_SQUARE
@WITH_BIAS
@pytest.mark.parametrize("C", [0.5, 20.0])
def test_the_optimum_is_liblinears(corpus, squared, bias, C):
    from liblinear.liblinearutil import train
    from scipy.sparse import csr_matrix

    x, loss = dense(corpus), balanced(squared)
    solution = descend(corpus, loss, C, STOP, bias=bias)
    check(corpus, loss, C, solution)
    labels = np.where(np.arange(DOCUMENTS) < EXAMPLES, 1.0, -1.0)
    model = train(
        labels,
        csr_matrix(x),
        f"-s {1 if squared else 3} -e 1e-9 -B {1 if bias else -1} -q "
        f"-w1 {C / EXAMPLES} -w-1 {C / (DOCUMENTS - EXAMPLES)}",
    )
    theirs = replace(solution, w=np.array(model.get_decfun()[0]), bias=model.get_decfun()[1])
    reached = objective(x, loss, C, theirs)
    assert solution.progress.objective <= reached * (1 + TOL)
    # ½‖w‖² is in the objective, so none is further from the optimum than its excess allows.
    excess = solution.progress.gap, max(reached - solution.progress.bound, 0)
    distance = np.linalg.norm(np.append(solution.w - theirs.w, solution.bias - theirs.bias))
    assert distance <= sum(np.sqrt(2 * np.array(excess))) + 1e-9
    assert reached <= 1.1 * solution.progress.objective


@HINGE_OR_SQUARE
@WITH_BIAS
def test_documents_may_differ_in_cost_and_margin(corpus, squared, bias):
    rng = np.random.default_rng(2)
    labels = np.where(np.arange(DOCUMENTS) < EXAMPLES, 1.0, -1.0)
    costs = rng.uniform(0.0, 0.3, DOCUMENTS) * (rng.random(DOCUMENTS) < 0.8)
    loss = sides(squared, costs, labels, rng.uniform(0.2, 2.0, DOCUMENTS))
    solution = descend(corpus, loss, 3.0, STOP, bias=bias)
    check(corpus, loss, 3.0, solution)
    assert not weights_of(solution, DOCUMENTS)[costs == 0].any()
    other = by_passes(corpus, loss, 3.0, bias=bias)
    assert other.bound * (1 - TOL) <= solution.progress.objective
    assert solution.progress.bound <= other.objective * (1 + TOL)


@HINGE_OR_SQUARE
@pytest.mark.parametrize("C", [1e-6, 1e-3, 1.0, 1e3, 1e6])
def test_any_cost(squared, C):
    corpus, loss = local(random_counts(seed=3), "tfidf"), balanced(squared)
    solution = descend(corpus, loss, C, first_of(passes(5000), gap_below(1e-3)))
    check(corpus, loss, C, solution, 1e-3)
    other = by_passes(corpus, loss, C)
    assert solution.progress.objective <= other.objective * (1 + 1e-3)
    assert other.bound <= solution.progress.objective * (1 + 1e-9)


PROBLEMS = {
    "one example, one other": (np.array([[1, 0, 2], [0, 1, 1]]), 1),
    "one example": (random_counts(40, 12, seed=4), 1),
    "one other": (random_counts(40, 12, seed=5), 39),
    "the same document on both sides": (np.array([[1, 2, 0], [1, 2, 0], [0, 1, 1]]), 1),
    "all documents the same": (np.ones((9, 4), np.int64), 3),
    "an empty example": (np.array([[0, 0], [1, 0], [0, 1]]), 2),
    "an empty other": (np.array([[1, 2], [0, 0], [0, 0]]), 1),
    "nothing but empty documents": (np.zeros((4, 3), np.int64), 2),
}


@HINGE_OR_SQUARE
@WITH_BIAS
@pytest.mark.parametrize("C", [0.01, 1.0, 10.0])
@pytest.mark.parametrize("name", PROBLEMS)
def test_degenerate_problems(name, squared, bias, C):
    counts, examples = PROBLEMS[name]
    corpus, loss = local(counts, "tfidf"), balanced(squared, len(counts), examples)
    solution = descend(corpus, loss, C, STOP, bias=bias)
    check(corpus, loss, C, solution)
    assert solution.progress.objective <= by_passes(corpus, loss, C, bias=bias).objective * 1.001


@settings(max_examples=60, deadline=None)
@given(
    counts=arrays(
        np.int64,
        st.tuples(st.integers(2, 8), st.integers(1, 5)),
        elements=st.sampled_from([0, 0, 1, 1, 2, 300]),
    ),
    data=st.data(),
)
def test_random_small_problems(counts, data):
    documents = len(counts)
    labels = np.array(data.draw(st.lists(st.sampled_from([1.0, -1.0]), min_size=documents,
                                         max_size=documents)))  # fmt: skip
    costs = np.array(data.draw(st.lists(st.floats(0.01, 2), min_size=documents,
                                        max_size=documents)))  # fmt: skip
    bias = data.draw(st.booleans())
    corpus, loss = local(counts, "tfidf"), sides(False, costs, labels)
    solution = descend(corpus, loss, 1.0, STOP, bias=bias, seed=data.draw(st.integers(0, 9)))
    check(corpus, loss, 1.0, solution)
    other = by_passes(corpus, loss, 1.0, bias=bias)
    assert solution.progress.objective == pytest.approx(other.objective, rel=1e-3)


@HINGE_OR_SQUARE
@WITH_BIAS
def test_from_a_solution_there_is_no_way_to_go(corpus, squared, bias):
    loss = balanced(squared)
    first = descend(corpus, loss, 5.0, STOP, bias=bias)
    start = weights_of(first, DOCUMENTS)
    again = descend(corpus, loss, 5.0, first_of(passes(5000), gap_below(2 * TOL)), bias=bias,
                    start=start)  # fmt: skip
    check(corpus, loss, 5.0, again, 2 * TOL)
    assert again.progress.iterations <= min(2, first.progress.iterations)
    np.testing.assert_allclose(again.w, first.w, atol=1e-2)


@HINGE_OR_SQUARE
def test_a_start_from_another_problem(squared):
    """Costs have shrunk, and a document has changed sides."""
    corpus = local(random_counts(), "tfidf")
    start = weights_of(descend(corpus, balanced(squared), 50.0, STOP), DOCUMENTS)
    loss = balanced(squared, DOCUMENTS, EXAMPLES - 1)
    assert start[EXAMPLES - 1] > 0
    warm = descend(corpus, loss, 5.0, STOP, start=start)
    check(corpus, loss, 5.0, warm)
    cold = descend(corpus, loss, 5.0, STOP)
    assert warm.progress.objective == pytest.approx(cold.progress.objective, rel=1e-5)


@HINGE_OR_SQUARE
def test_a_seed_repeats_bit_for_bit(corpus, squared):
    loss = balanced(squared)
    stop = first_of(passes(5000), gap_below(1e-3))
    one, same, other = (descend(corpus, loss, 30.0, stop, seed=seed) for seed in (7, 7, 8))
    assert (one.w == same.w).all()
    assert (one.alphas == same.alphas).all()
    assert one.progress == same.progress
    assert (one.w != other.w).any()
    assert one.progress.objective == pytest.approx(other.progress.objective, rel=1e-3)


@HINGE_OR_SQUARE
def test_a_limit_of_passes_ends_it_with_the_truth(corpus, squared):
    loss = balanced(squared)
    solution = descend(corpus, loss, 1000.0, first_of(passes(2), gap_below(1e-9)))
    progress = solution.progress
    assert progress.passes <= 5
    assert progress.relative_gap > 1e-9
    assert progress.objective == pytest.approx(objective(dense(corpus), loss, 1000.0, solution))
    assert progress.bound <= descend(corpus, loss, 1000.0, STOP).progress.objective


def test_many_examples_do_not_take_many_passes():
    """When all examples had their turn together, a third of the gap was left after 500."""
    examples, documents = 700, 8000
    X, relevant = topics(
        examples, documents, 5000, length=40, topic=200, shares=(0.3, 0.06), exponent=1.4
    )
    labels = np.where(relevant, 1.0, -1.0)
    costs = np.where(relevant, 1 / examples, 1 / (documents - examples))
    found = descend(as_corpus(X), Hinge(NUMPY, 0.5 * costs, -labels * costs), 1.5 * examples, TIGHT)
    assert found.progress.relative_gap <= 1e-3
    assert found.progress.passes <= 150


@HINGE_OR_SQUARE
@WITH_BIAS
def test_a_solution_knows_its_scores(corpus, squared, bias):
    """Those by the w that is returned, without the bias."""
    solution = descend(corpus, balanced(squared), 20.0, STOP, bias=bias)
    np.testing.assert_allclose(solution.scores, dense(corpus) @ solution.w, rtol=1e-12, atol=1e-14)


def test_scores_are_unknown_where_a_document_has_no_cost():
    costs = np.where(np.arange(DOCUMENTS) == 5, 0.0, 0.1)
    labels = np.where(np.arange(DOCUMENTS) < EXAMPLES, 1.0, -1.0)
    loss = sides(False, costs, labels)
    assert descend(local(random_counts(), "tfidf"), loss, 1.0, STOP).scores is None


@HINGE_OR_SQUARE
def test_nothing_but_a_check_ends_it(squared):
    """Where many examples pull at each other, estimates of the gap are far too low at times."""
    X, relevant = topics(300, 3000, 2000, length=40, topic=200, shares=(0.3, 0.06), exponent=1.4)
    labels = np.where(relevant, 1.0, -1.0)
    costs = np.where(relevant, 1 / 300, 1 / 2700)
    corpus, loss = as_corpus(X), sides(squared, costs, labels)
    for tol in (0.3, 1e-2, 1e-3):
        found = descend(corpus, loss, 900.0, first_of(passes(5000), gap_below(tol)))
        check(corpus, loss, 900.0, found, tol)


def test_progress_is_reported(corpus):
    told = []
    solution = descend(corpus, balanced(False), 5.0, STOP, lambda *now: told.append(now))
    assert len(told) == solution.progress.iterations
    assert [one[0] for one in told] == sorted(one[0] for one in told)
    assert told[-1][1] == solution.progress.objective
    assert told[-1][2] == solution.progress.gap


def test_the_core_refuses_what_does_not_fit():
    matrix = _core.Values(
        np.array([0, 1], np.uint32), np.zeros(1, np.uint32), np.ones(1, np.float32), 1
    )
    one, row = np.ones(1), np.zeros(1, np.uint32)
    rows = _core.Rows(np.ones(1), 1)
    with pytest.raises(ValueError, match="not given"):
        _core.Descent(rows, one, one, one, one, one, one)
    with pytest.raises(ValueError, match="out of range"):
        rows.add_values(matrix, row, row + 1, one)
    with pytest.raises(ValueError, match="out of range"):
        rows.add_values(matrix, row + 1, row, one)
    with pytest.raises(ValueError, match="one place and factor"):
        rows.add_values(matrix, row, row, np.ones(2))
    with pytest.raises(ValueError, match="wider"):
        _core.Rows(np.ones(0), 1).add_values(matrix, row, row, one)
    rows.add_values(matrix, row, row, one)
    with pytest.raises(ValueError, match="one entry a row"):
        _core.Descent(rows, one, one, one, np.ones(2), one, one)
    with pytest.raises(ValueError, match="one entry a column"):
        _core.Descent(rows, one, one, one, one, one, np.ones(2))


PROBLEM = {"squares": 1.0, "labels": 1.0, "margins": 1.0, "costs": 2.0, "alpha": 0.5, "w": 0.5}
NUMBERS = {"nan": np.nan, "infinite": np.inf}
SENSELESS = {
    **{f"{name}, {kind}": {name: NUMBERS[kind]} for name in PROBLEM for kind in NUMBERS},
    **{f"{name}, below 0": {name: -1.0} for name in ("squares", "costs", "alpha")},
    "a label of 0": {"labels": 0.0},
    "a label of 2": {"labels": 2.0},
    "alpha, above its cost": {"alpha": 2.1},
}


@pytest.mark.parametrize("change", SENSELESS.values(), ids=SENSELESS)
def test_the_core_refuses_senseless_problems(change):
    rows = _core.Rows(np.ones(1), 1)
    row = np.zeros(1, np.uint32)
    rows.add_array(np.ones((1, 1)), row, row, np.ones(1))

    def descent(squared=False, **changed):
        values = {name: np.array([value]) for name, value in {**PROBLEM, **changed}.items()}
        return _core.Descent(rows, **values, squared=squared)

    assert descent().check()[0] == pytest.approx(0.5 * 0.5**2 + 2 * 0.5)
    with pytest.raises(ValueError, match=next(iter(change))):
        descent(**change)
    with pytest.raises(ValueError, match="above 0"):
        descent(squared=True, costs=0.0)
    descent(squared=True, alpha=2.1)
