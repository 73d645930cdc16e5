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
from likewise.feedback.columns import Columns
from likewise.feedback.situation import Situation
from likewise.feedback.twoclass import MEMORY, TwoClass

N = 24


def documents(seed, terms=15):
    rng = np.random.default_rng(seed)
    X = rng.random((N, terms)) * (rng.random((N, terms)) < 0.4)
    return X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-12)


def column(X, number):
    return (X @ X[number]).astype(np.float32)


def row_of(X, number):
    columns = np.flatnonzero(X[number]).astype(np.int32)
    return columns, X[number][columns]


def judge(engine, X, number, relevant, *, kept=False):
    engine.add(number, relevant, *row_of(X, number))
    if kept:
        engine.keep(number, column(X, number))


def settle(engine, X):
    for number in {number for number, _, _ in engine.debts}:
        engine.pay(number, column(X, number))


def engine_of(X, labels):
    engine = _core.Judged(len(X))
    for number, relevant in labels.items():
        judge(engine, X, number, relevant)
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
    """A document judged a second time is taken back, so that undoing is tried as well.

    Every third column is kept; others are paid when they are owed, not after every change.
    """
    X, labels, engine = documents(seed), {}, _core.Judged(N)
    for step, (number, relevant) in enumerate(changes):
        if number in labels:
            engine.remove(number)
            del labels[number]
        else:
            judge(engine, X, number, relevant, kept=number % 3 == 0)
            labels[number] = relevant
        costs = relevant_cost, other_cost / (1 + step)
        primal, dual, at_zero, _ = engine.solve(*costs, 1e-6, 10_000)
        assert dual <= primal + 1e-9
        if labels:
            assert primal - dual <= 1e-6 * min(primal, at_zero - dual) + 1e-12 * at_zero
        if step % 2:
            settle(engine, X)
    settle(engine, X)
    assert not engine.debts
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
    settle(engine, X)
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
    settle(engine, X)
    assert engine.documents.tolist() == [0, 5, 9, 11]
    np.testing.assert_allclose(X @ (engine.weights @ X[engine.documents]), engine.scores, atol=1e-6)
    assert engine.bias == pytest.approx(engine.weights.sum())


def pay_sides(engine, X):
    """All that the documents' sums lack, for each side at once."""
    for side in (True, False):
        debts = [(number, change) for number, to, change in engine.debts if to is side]
        total = sum((change * X[number] for number, change in debts), np.zeros(X.shape[1]))
        engine.pay_side(side, (X @ total).astype(np.float32))
        assert not any(to is side for _, to, _ in engine.debts)


def test_what_is_owed_may_be_paid_at_once():
    X, labels = documents(4), {0: True, 5: False, 9: True, 11: False}
    engines = [engine_of(X, labels) for _ in range(2)]
    for engine in engines:
        engine.solve(1.0, 0.3, 1e-4, 1000)
    settle(engines[0], X)
    engines[1].pay(5, column(X, 5))  # what is paid is owed no more
    assert {number for number, _, _ in engines[1].debts} == {0, 9, 11}
    pay_sides(engines[1], X)
    assert not engines[1].debts
    np.testing.assert_allclose(engines[1].scores, engines[0].scores, atol=1e-6)
    for engine in engines:  # a document that changes sides is owed to both
        engine.remove(9)
        judge(engine, X, 9, False)
        engine.solve(1.0, 0.3, 1e-6, 1000)
    assert {to for number, to, _ in engines[1].debts if number == 9} == {True, False}
    settle(engines[0], X)
    pay_sides(engines[1], X)
    np.testing.assert_allclose(engines[1].scores, engines[0].scores, atol=1e-6)


def test_the_best_are_those_of_the_scores_and_ties_go_by_number():
    X = documents(3)[[*range(N), 7, 7]]
    engine = engine_of(X, {0: True, 5: False, 9: True, 11: False})
    engine.solve(1.0, 0.3, 1e-4, 1000)
    settle(engine, X)
    keep = np.arange(N + 2) % 4 != 1
    for k, mask in ((1, None), (5, None), (5, keep), (N + 2, keep), (0, keep)):
        allowed = np.arange(N + 2) if mask is None else np.flatnonzero(mask)
        order = sorted(allowed.tolist(), key=lambda number: (-engine.scores[number], number))[:k]
        assert engine.best(k, mask) == [(number, engine.scores[number]) for number in order]


def test_what_the_engine_refuses():
    engine, column = _core.Judged(3), np.zeros(3, np.float32)
    row = np.arange(2, dtype=np.int32), np.ones(2)
    engine.add(0, True, *row)
    with pytest.raises(ValueError, match="judged already"):
        engine.add(0, False, *row)
    with pytest.raises(ValueError, match="a value a column"):
        engine.add(1, True, row[0], np.ones(3))
    for short in (engine.keep, engine.pay):
        with pytest.raises(ValueError, match="one entry a document"):
            short(0, column[:2])
    for side, sums in ((True, column[:2]), (False, np.zeros(4, np.float32))):
        with pytest.raises(ValueError, match="one entry a document"):
            engine.pay_side(side, sums)
    with pytest.raises(ValueError, match="one entry a document"):
        engine.best(1, np.ones(2, np.bool_))
    with pytest.raises(ValueError, match="not judged"):
        engine.remove(2)
    with pytest.raises(ValueError, match="not judged"):
        engine.keep(2, column)
    for cost in (0.0, -1.0, np.nan, np.inf):
        for costs in ((cost, 1.0), (1.0, cost)):
            with pytest.raises(ValueError, match="costs must be finite and above 0"):
                engine.solve(*costs, 1e-2, 10)
    for tol in (-1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match="tol must be finite"):
            engine.solve(1.0, 1.0, tol, 10)
    engine.solve(1.0, 1.0, 1e-2, 10)
    for bad in (np.nan, np.inf):
        with pytest.raises(ValueError, match="NaN or an infinite"):
            engine.pay_side(True, np.array([0, bad, 0], np.float32))
        with pytest.raises(ValueError, match="NaN or an infinite"):
            engine.add(1, True, row[0], np.array([0, bad]))
        for take in (engine.keep, engine.pay):
            with pytest.raises(ValueError, match="NaN or an infinite"):
                take(0, np.array([0, bad, 0], np.float32))


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


def test_without_memory_for_products_rows_are_read(index):
    """All ways end within the gap that they were asked for: also one that keeps no column, and one
    that has memory for some judgements only.
    """
    ways = [TwoClass(tol=1e-6, memory=most) for most in (MEMORY, 0, 4 * 5**2, MEMORY)]
    ways[3]._columns = Columns(0)
    situations = [Situation(index.corpus()) for _ in ways]
    for number in range(0, 24, 2):
        for situation in situations:
            situation.judge(number, number % 3 == 0)
        ranked = [way(situation) for way, situation in zip(ways, situations, strict=True)]
        scores = [r.all_scores(s) for r, s in zip(ranked, situations, strict=True)]
        np.testing.assert_allclose(scores[1], scores[0], atol=2e-3)
        np.testing.assert_allclose(scores[2], scores[0], atol=2e-3)
        np.testing.assert_allclose(scores[3], scores[0], atol=2e-3)
        assert ranked[0].query().progress.relative_gap <= 1e-6


def test_undoing_goes_back(index):
    learner, situation = TwoClass(tol=1e-8), Situation(index.corpus())
    situation.judge_all({1: True, 2: False})
    before = learner(situation).all_scores(situation)
    situation.judge_all({1: True, 2: False, 3: True, 4: False})
    learner(situation)
    situation.judge_all({1: False, 5: True})
    learner(situation)
    situation.judge_all({1: True, 2: False})
    np.testing.assert_allclose(learner(situation).all_scores(situation), before, atol=1e-4)


@pytest.mark.parametrize("at_once", [1, 5, 30])
def test_judged_at_once_or_one_by_one(index, at_once):
    """Few new documents come with columns, many with passes over all documents."""
    labels = {number: number % 3 == 0 for number in range(60)}
    fresh, whole = TwoClass(tol=1e-7), Situation(index.corpus())
    whole.judge_all(labels)
    learner, situation = TwoClass(tol=1e-7), Situation(index.corpus())
    learner._columns = Columns(3 * 4 * len(index))
    for first in range(0, 60, at_once):
        situation.judge_all(dict(list(labels.items())[: first + at_once]))
        ranked = learner(situation)
    expected = fresh(whole).all_scores(whole)
    np.testing.assert_allclose(ranked.all_scores(situation), expected, atol=1e-3)
    assert learner.size < fresh.size + 4 * 5 * len(index)
