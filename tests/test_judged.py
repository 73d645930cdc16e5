"""The two-class SVM that goes on from judgement to judgement: the same optimum as from scratch."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from liblinear.liblinearutil import parameter, problem, train

from helpers import reference
from likewise import Document, Index, _core
from likewise.corpus import SparseVector
from likewise.feedback.situation import Situation
from likewise.feedback.twoclass import TwoClass

N = 24


def documents(seed, terms=15):
    rng = np.random.default_rng(seed)
    X = rng.random((N, terms)) * (rng.random((N, terms)) < 0.4)
    return X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-12)


def engine_of(X, labels):
    engine = _core.Judged(len(X))
    for number, relevant in labels.items():
        engine.add(number, relevant, (X @ X[number]).astype(np.float32))
    return engine


def exact(X, labels, costs):
    ids = list(labels)
    signs = np.where([labels[i] for i in ids], 1.0, -1.0)
    each = np.where(signs > 0, *costs)
    return reference.squared_hinge_minimum(each, signs, X[ids], bias=True)


judgements = st.lists(st.tuples(st.integers(0, N - 1), st.booleans()), min_size=1, max_size=30)
prices = st.floats(0.01, 10)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1000), judgements, prices, prices)
def test_after_every_change_it_is_the_optimum(seed, changes, relevant_cost, other_cost):
    """A document judged a second time is taken back, so that undoing is tried as well."""
    X, labels, engine = documents(seed), {}, _core.Judged(N)
    for step, (number, relevant) in enumerate(changes):
        if number in labels:
            engine.remove(number)
            del labels[number]
        else:
            engine.add(number, relevant, (X @ X[number]).astype(np.float32))
            labels[number] = relevant
        costs = relevant_cost, other_cost / (1 + step)
        primal, dual, at_zero, _ = engine.solve(*costs, 1e-6, 10_000)
        assert dual <= primal + 1e-9
        if labels:
            assert primal - dual <= 1e-6 * min(primal, at_zero - dual) + 1e-12 * at_zero
    if labels:
        least, v = exact(X, labels, costs)
        assert primal == pytest.approx(least, rel=1e-4)
        np.testing.assert_allclose(engine.scores + engine.bias, X @ v[:-1] + v[-1], atol=5e-3)
    else:
        assert not engine.scores.any()


def test_the_optimum_is_that_of_liblinear():
    X = documents(7)
    labels = {number: number % 3 == 0 for number in range(N)}
    engine = engine_of(X, labels)
    primal, dual, _, _ = engine.solve(0.5, 0.1, 1e-10, 10_000)
    y = [1 if labels[i] else -1 for i in range(N)]
    model = train(problem(y, X), parameter("-s 1 -B 1 -c 1 -w1 0.5 -w-1 0.1 -e 1e-8 -q"))
    w, b = np.array(model.get_decfun()[0]), model.get_decfun()[1]
    np.testing.assert_allclose(engine.scores, X @ w, atol=1e-4)
    assert engine.bias == pytest.approx(b, abs=1e-4)
    assert dual <= primal <= dual + 1e-7


def test_scores_are_those_of_the_weights():
    X = documents(3)
    engine = engine_of(X, {0: True, 5: False, 9: True, 11: False})
    engine.solve(1.0, 0.3, 1e-4, 1000)
    assert engine.documents.tolist() == [0, 9, 5, 11]
    np.testing.assert_allclose(X @ (engine.weights @ X[engine.documents]), engine.scores, atol=1e-6)
    assert engine.bias == pytest.approx(engine.weights.sum())


def test_what_the_engine_refuses():
    engine, column = _core.Judged(3), np.zeros(3, np.float32)
    engine.add(0, True, column)
    with pytest.raises(ValueError, match="judged already"):
        engine.add(0, False, column)
    with pytest.raises(ValueError, match="one entry a document"):
        engine.add(1, True, column[:2])
    with pytest.raises(ValueError, match="one entry a document"):
        engine.add(3, True, column)
    with pytest.raises(ValueError, match="not judged"):
        engine.remove(2)
    for cost in (0.0, -1.0, np.nan, np.inf):
        for costs in ((cost, 1.0), (1.0, cost)):
            with pytest.raises(ValueError, match="costs must be finite and above 0"):
                engine.solve(*costs, 1e-2, 10)
    for tol in (-1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match="tol must be finite"):
            engine.solve(1.0, 1.0, tol, 10)
    for bad in (np.nan, np.inf):
        with pytest.raises(ValueError, match="NaN or an infinite"):
            engine.add(1, True, np.array([0, bad, 0], np.float32))


# Through an index


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    rng = np.random.default_rng(0)
    made = Index.create(tmp_path_factory.mktemp("judged") / "words.idx", language="none")
    for part in range(2):  # two segments, of which the second knows more words
        words = [f"w{i}" for i in range(30 + 20 * part)]
        made.add(
            Document(f"{part}-{i}", " ".join(rng.choice(words, rng.integers(1, 12))))
            for i in range(40)
        )
    made.delete(["0-3", "1-7"])
    return made


def test_sparse_scores_are_scores(index):
    for weighting in ("tfidf", "smooth", "pivoted", "raw"):
        corpus = index.corpus(weighting)
        row = corpus.rows(np.array([len(index) - 1]))
        vector = SparseVector(row.columns, row.values)
        np.testing.assert_allclose(
            corpus.scores(vector), corpus.scores(corpus.dense(vector)), rtol=1e-5, atol=1e-5
        )
        np.testing.assert_allclose(
            corpus.squares, [corpus.rows(np.array([i])).values @ corpus.rows(np.array([i])).values
                             for i in range(len(index))]
        )  # fmt: skip


def test_without_memory_for_columns_rows_are_read(index):
    """Both ways end within the gap that both were asked for."""
    ways = [TwoClass(tol=1e-6), TwoClass(tol=1e-6, memory=0), TwoClass(tol=1e-6, memory=5 * 4 * 78)]
    situations = [Situation(index.corpus()) for _ in ways]
    for number in range(0, 24, 2):
        for situation in situations:
            situation.judge(number, number % 3 == 0)
        ranked = [way(situation) for way, situation in zip(ways, situations, strict=True)]
        scores = [r.all_scores(s) for r, s in zip(ranked, situations, strict=True)]
        np.testing.assert_allclose(scores[1], scores[0], atol=2e-3)
        np.testing.assert_allclose(scores[2], scores[0], atol=2e-3)
        assert ranked[0].query().progress.relative_gap <= 1e-6


def test_undoing_goes_back(index):
    learner, situation = TwoClass(tol=1e-8), Situation(index.corpus())
    situation.judge_all({1: True, 2: False})
    before = learner(situation).scores
    situation.judge_all({1: True, 2: False, 3: True, 4: False})
    learner(situation)
    situation.judge_all({1: False, 5: True})
    learner(situation)
    situation.judge_all({1: True, 2: False})
    np.testing.assert_allclose(learner(situation).scores, before, atol=1e-4)
