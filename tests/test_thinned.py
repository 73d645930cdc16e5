"""Learning by a sample that stands for all documents: the result is that of all documents."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse import random as random_matrix

from helpers.corpora import local
from helpers.strict import ARRAYS as STRICT
from helpers.strict import StrictCorpus
from likewise.engines.arrays import NUMPY
from likewise.engines.memory import SparseMatrix, as_corpus
from likewise.losses import Hinge, Logistic, PairSquaredHinge, Sides, SquaredHinge
from likewise.solvers import newton as steps
from likewise.solvers import problems
from likewise.solvers import thinned as sampling
from likewise.solvers.bundle import bundle
from likewise.solvers.corrected import GRID, allowed_gap, corrected
from likewise.solvers.newton import newton
from likewise.solvers.products import Biased
from likewise.solvers.stopping import Progress, first_of, gap_below, iterations, passes
from likewise.solvers.thinned import thinned

DOCUMENTS, TERMS, EXAMPLES = 1600, 200, 12
ENGINES = {"numpy": as_corpus, "strict": StrictCorpus}
ON_BOTH = pytest.mark.parametrize("made", ENGINES.values(), ids=ENGINES)
PRECISE = first_of(iterations(2000), gap_below(1e-6))


@pytest.fixture(autouse=True)
def small_samples(monkeypatch):
    monkeypatch.setattr(sampling, "LEAST", 1000)
    monkeypatch.setattr(sampling, "ONE_OF", 6)


@pytest.fixture(scope="module")
def documents():
    """Sparse rows of unit length; the first have terms in common."""
    random = np.random.default_rng(0)
    x = random_matrix(DOCUMENTS, TERMS, 0.05, "csr", rng=random).toarray()
    x[:EXAMPLES, :8] += random.random((EXAMPLES, 8))
    x /= np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-300)
    return np.ascontiguousarray(x)


SIGNS = np.where(np.arange(DOCUMENTS) < EXAMPLES, 1.0, -1.0)
COSTS = np.where(SIGNS > 0, 1.0 / EXAMPLES, 1.0 / (DOCUMENTS - EXAMPLES))
SMOOTH = {"squared hinge": SquaredHinge, "logistic": Logistic}


def hinge(arrays):
    return Hinge(arrays, arrays.vector(0.5 * COSTS), arrays.vector(-COSTS * SIGNS))


def of_points(kind, arrays):
    return kind(arrays, arrays.vector(COSTS), arrays.vector(SIGNS))


def test_the_sample_keeps_examples_and_stands_for_the_rest(documents):
    corpus = as_corpus(documents)
    found = thinned(corpus, hinge(NUMPY), 10.0)
    assert found.ids[:EXAMPLES].tolist() == list(range(EXAMPLES))
    assert (np.diff(found.ids) > 0).all()  # no document is there twice
    assert DOCUMENTS // 6 - EXAMPLES <= len(found.ids) - EXAMPLES <= DOCUMENTS // 6
    assert found.loss.costs[:EXAMPLES] == pytest.approx(COSTS[:EXAMPLES])
    assert found.loss.costs.sum() == pytest.approx(COSTS.sum())
    w = np.random.default_rng(1).normal(size=TERMS)
    own = found.corpus.scores(found.narrowed(NUMPY, w))
    assert own == pytest.approx(documents[found.ids] @ w)
    assert found.own(NUMPY, documents @ w) == pytest.approx(own)
    a = np.random.default_rng(2).normal(size=len(found.ids))
    sums = found.widened(NUMPY, found.corpus.weighted_sum(a))
    assert sums == pytest.approx(documents.T @ found.spread(NUMPY, a))


def test_rows_that_are_drawn_are_read_once(documents, monkeypatch):
    corpus = as_corpus(documents)
    read, asked = corpus.rows, []
    monkeypatch.setattr(corpus, "rows", lambda ids: asked.append(len(ids)) or read(ids))
    first, second = (thinned(corpus, hinge(NUMPY), C) for C in (10.0, 5.0))
    assert asked == [DOCUMENTS // 6, EXAMPLES, EXAMPLES]
    assert first.ids.tolist() == second.ids.tolist()


@pytest.mark.parametrize("solver", [corrected, newton])
def test_all_threads_of_the_corpus_work_on_the_sample_and_change_no_bit(documents, solver):
    one, three = (SparseMatrix(csr_array(documents), threads=threads) for threads in (1, 3))
    loss = hinge(NUMPY) if solver is corrected else of_points(SquaredHinge, NUMPY)
    assert [thinned(each, loss, 10.0).corpus.threads for each in (one, three)] == [1, 3]
    alone, together = (solver(each, loss, 10.0, gap_below(1e-3)) for each in (one, three))
    np.testing.assert_array_equal(alone.w, together.w)
    np.testing.assert_array_equal(alone.weights, together.weights)


def test_a_bias_stays_a_column_of_ones(documents):
    found = thinned(Biased(as_corpus(documents)), of_points(SquaredHinge, NUMPY), 10.0)
    w = np.random.default_rng(1).normal(size=TERMS + 1)
    assert found.corpus.scores(found.narrowed(NUMPY, w)) == pytest.approx(
        documents[found.ids] @ w[:-1] + w[-1]
    )


def test_no_sample_is_taken_where_it_would_not_stand_for_all(documents):
    corpus, n = as_corpus(documents), np.arange(DOCUMENTS)
    pairs = Sides(n[:EXAMPLES], n[EXAMPLES:], COSTS)
    assert thinned(as_corpus(documents[:900]), Hinge(NUMPY, COSTS[:900], COSTS[:900]), 1.0) is None
    assert thinned(corpus, hinge(NUMPY), 1000.0) is None  # errors cost too much
    assert thinned(corpus, PairSquaredHinge(NUMPY, pairs.spread(NUMPY)), 1.0) is None
    many = np.where(n % 5 == 0, 1.0, 0.01)  # a fifth weighs much
    assert thinned(corpus, Hinge(NUMPY, many, many), 1e-3) is None


@ON_BOTH
@pytest.mark.parametrize("C", [0.1, 20.0])
def test_a_hinge_is_learned_in_few_passes(made, C, documents):
    corpus = made(documents)
    found = corrected(corpus, hinge(corpus.arrays), C, gap_below(1e-3))
    best = bundle(as_corpus(documents), hinge(NUMPY), C, PRECISE).progress
    check(found, documents, hinge(NUMPY), C, best)
    by_cuts = bundle(corpus, hinge(corpus.arrays), C, gap_below(1e-3)).progress
    assert found.progress.passes <= max(by_cuts.passes, 6)


@pytest.mark.parametrize("many", [False, True], ids=["", "many examples"])
@ON_BOTH
@pytest.mark.parametrize("kind", SMOOTH.values(), ids=SMOOTH)
@pytest.mark.parametrize("bias", [False, True])
def test_smooth_losses_are_learned_from_a_sample_first(
    made, kind, bias, many, documents, monkeypatch
):
    monkeypatch.setattr(steps, "MANY", EXAMPLES if many else EXAMPLES + 1)
    corpus = Biased(made(documents)) if bias else made(documents)
    arrays = corpus.arrays
    found = newton(corpus, of_points(kind, arrays), 20.0, gap_below(1e-5))
    monkeypatch.setattr(sampling, "LEAST", DOCUMENTS + 1)
    best = newton(corpus, of_points(kind, arrays), 20.0, gap_below(1e-9)).progress
    rows = np.hstack([documents, np.ones((DOCUMENTS, 1))]) if bias else documents
    w = arrays.host(found.w)
    value = 0.5 * w @ w + 20.0 * of_points(kind, NUMPY).at(rows @ w).value
    assert found.progress.objective == pytest.approx(value, rel=1e-9)
    assert found.progress.relative_gap <= 1e-5
    assert best.bound <= value <= best.objective * (1 + 1e-5)
    assert found.progress.bound <= best.objective * (1 + 1e-9)
    made_of = arrays.host(found.weights) @ documents
    assert made_of == pytest.approx(w[:TERMS], abs=1e-9)


def check(found, documents, loss, C, best):
    w = found.arrays.host(found.w)
    value = 0.5 * w @ w + C * loss.cut(loss.steps * (documents @ w)).value
    assert found.progress.objective == pytest.approx(value, rel=1e-9)
    assert found.progress.relative_gap <= 1e-3
    assert found.progress.bound <= best.objective * (1 + 1e-9)
    assert best.bound <= value <= best.objective * (1 + 1.1e-3)
    assert found.arrays.host(found.weights) @ documents == pytest.approx(w, abs=1e-9)


def test_a_small_gap_is_left_to_other_solvers(documents):
    corpus = as_corpus(documents)
    assert corrected(corpus, hinge(NUMPY), 20.0, gap_below(1e-7)) is None


def test_the_gap_that_a_rule_allows_is_found():
    now = Progress(0, 0, 10.0, 0.0, 100.0)
    assert allowed_gap(gap_below(1e-2), now) == pytest.approx(0.1, rel=0.3)
    assert allowed_gap(gap_below(1e-2), now) <= 0.1
    assert allowed_gap(gap_below(1e-7), now) == 0.0
    assert allowed_gap(passes(5), now) == 0.0


@pytest.mark.parametrize("made", [as_corpus, lambda x: local(np.ceil(3 * x).astype(int), "tfidf")])
def test_many_examples_and_a_bias_are_learned_over_a_matrix_of_the_documents(
    made, documents, monkeypatch
):
    corpus, signs = made(documents), np.where(np.arange(DOCUMENTS) < 150, 1.0, -1.0)
    loss = SquaredHinge(NUMPY, np.where(signs > 0, 1 / 150, 1 / (DOCUMENTS - 150)), signs)
    monkeypatch.setattr(problems, "LEAST", DOCUMENTS + 1)
    monkeypatch.setattr(problems, "NARROW", 1)
    monkeypatch.setattr(sampling, "LEAST", DOCUMENTS + 1)
    found = problems.smooth(corpus, loss, 20.0, gap_below(1e-6), None, bias=True)
    other = newton(Biased(corpus), loss, 20.0, gap_below(1e-6))
    assert found.progress.objective == pytest.approx(other.progress.objective, rel=3e-6)
    assert found.w == pytest.approx(other.w[:-1], abs=0.01)
    assert corpus.weighted_sum(found.weights) == pytest.approx(found.w, abs=1e-9)
    s = corpus.scores(found.w) + found.bias
    value = 0.5 * (found.w @ found.w + found.bias**2) + 20.0 * loss.at(s).value
    assert found.progress.objective == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize("arrays", [NUMPY, STRICT], ids=["core", "any namespace"])
def test_a_line_of_hinges_is_their_sum_at_each_point(arrays):
    random = np.random.default_rng(3)
    slack, change = random.standard_normal((2, 500))
    change[:50], slack[40:60], slack[60:80] = 0.0, 0.0, -change[60:80]  # those cross at 0, or at 1
    slopes, values = arrays.hinge_line(arrays.vector(slack), arrays.vector(change), GRID)
    points = np.arange(1, GRID + 1) / GRID
    expected = np.maximum(0.0, slack + points[:, None] * change).sum(axis=1)
    np.testing.assert_allclose(values, expected, rtol=1e-10)
    inside = slack + points[:-1, None] * change > 1e-12  # at 1 some are at their corner
    np.testing.assert_allclose(slopes[:-1], (inside * change).sum(axis=1), rtol=1e-10, atol=1e-10)
