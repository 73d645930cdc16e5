"""What every engine must do: one test file, each engine a parameter.

A later engine joins by adding a function to ENGINES that builds its Corpus from a matrix of counts.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from likewise.local import CountMatrix, DensePart, Stored, ValuePart, assemble

import reference_products as reference
from likewise import _core
from likewise.corpus import Corpus, SparseVector
from likewise.engines.memory import DenseMatrix
from likewise.errors import UsageError
from likewise.views import View, stack
from likewise.weighting import WEIGHTINGS


def count_matrix(counts: np.ndarray) -> CountMatrix:
    rows = reference.count_arrays(counts)
    inverted = _core.Counts(rows, counts.shape[1]).transpose()
    return CountMatrix(rows, lambda: inverted, counts.shape[1], trusted=False)


def local(counts: np.ndarray, weighting: str, threads: int = 1) -> Corpus:
    stored = [Stored(count_matrix(counts), None)]
    return assemble(stored, counts.shape[1], WEIGHTINGS[weighting], threads)


def local_with_deletions(counts: np.ndarray, weighting: str, threads: int = 1) -> Corpus:
    """Two segments of two dictionaries' lengths, with deleted documents before, between, behind."""
    documents, terms = counts.shape
    noise = np.full((1, terms), 3, counts.dtype)
    half = documents // 2
    used = np.flatnonzero(counts[:half].any(axis=0))
    early = int(used[-1]) + 1 if len(used) else 0
    first = np.concatenate([noise[:, :early], counts[:half, :early], noise[:, :early]])
    second = np.concatenate([counts[half:], noise])
    stored = [
        Stored(count_matrix(first), np.arange(1, half + 1, dtype=np.uint32)),
        Stored(count_matrix(second), np.arange(documents - half, dtype=np.uint32)),
    ]
    return assemble(stored, terms, WEIGHTINGS[weighting], threads)


def stack_of_matrices(counts: np.ndarray, weighting: str, threads: int = 1) -> Corpus:
    """The columns in two views, one of them with a factor."""
    x = reference.weights(counts, weighting)
    half = x.shape[1] // 2
    return stack(
        [View("left", DenseMatrix(4 * x[:, :half]), 0.25), View("right", DenseMatrix(x[:, half:]))]
    )


ENGINES = {
    "local": local,
    "local, segments and deletions": local_with_deletions,
    "a stack": stack_of_matrices,
}
BOTH_WAYS = ["local", "local, segments and deletions"]  # to the k best: by scan, by inverted file
TEXT_WEIGHTINGS = ["tfidf", "counts", "pivoted"]

counts_strategy = arrays(
    np.int64,
    st.tuples(st.integers(0, 9), st.integers(1, 7)),
    elements=st.sampled_from([0, 0, 0, 1, 1, 2, 3, 254, 255, 256, 70000]),
)
ADVERSARIAL = {
    "no document": np.zeros((0, 4), np.int64),
    "one document": np.array([[1, 0, 2]]),
    "empty rows and columns": np.array([[0, 0, 0], [0, 3, 0], [0, 0, 0]]),
    "counts over 255": np.array([[255, 1, 0], [256, 70000, 254], [0, 1, 1]]),
    "identical documents": np.ones((5, 3), np.int64),
}


@pytest.fixture(params=ENGINES)
def engine(request):
    return ENGINES[request.param]


@pytest.fixture(params=ADVERSARIAL)
def adversarial(request):
    return ADVERSARIAL[request.param]


def check_products(corpus: Corpus, x: np.ndarray, dtype: type, seed: int = 0) -> None:
    rng = np.random.default_rng(seed)
    documents, terms = x.shape
    tolerance = {"rtol": 1e-4, "atol": 1e-4} if dtype == np.float32 else {"atol": 1e-10}
    for block in ((), (1,), (3,), (33,), (77,)):
        w = rng.normal(size=(terms, *block)).astype(dtype)
        a = rng.normal(size=(documents, *block)).astype(dtype)
        scores, sums = corpus.scores(w), corpus.weighted_sum(a)
        assert scores.dtype == dtype
        assert sums.dtype == dtype
        assert scores.shape == (documents, *block)
        assert sums.shape == (terms, *block)
        np.testing.assert_allclose(scores, x @ w, **tolerance)
        np.testing.assert_allclose(sums, x.T @ a, **tolerance)
        np.testing.assert_allclose((scores * a).sum(), (w * sums).sum(), **tolerance)


@pytest.mark.parametrize("weighting", TEXT_WEIGHTINGS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_agree_with_the_reference_on_adversarial_matrices(
    engine, adversarial, weighting, dtype
):
    corpus = engine(adversarial, weighting)
    assert corpus.shape == adversarial.shape
    check_products(corpus, reference.weights(adversarial, weighting), dtype)


@settings(max_examples=60, deadline=None)
@given(counts=counts_strategy, name=st.sampled_from(sorted(ENGINES)), seed=st.integers(0, 99))
def test_products_agree_with_the_reference_on_random_matrices(counts, name, seed):
    corpus = ENGINES[name](counts, "tfidf")
    check_products(corpus, reference.weights(counts, "tfidf"), np.float64, seed)


@pytest.mark.parametrize("engine", [local, local_with_deletions])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_documents_from_outside_are_weighted_as_those_inside(engine, adversarial, dtype):
    outside = np.concatenate([adversarial[:2], np.zeros_like(adversarial[:1])])
    corpus = engine(adversarial, "tfidf").extended(reference.count_arrays(outside))
    inside = reference.weights(adversarial, "tfidf")
    x = np.concatenate([inside, inside[:2], np.zeros_like(inside[:1])])
    check_products(corpus, x, dtype)
    w = np.arange(1.0, x.shape[1] + 1)
    expected = sorted(enumerate(x @ w), key=lambda found: (-round(found[1], 9), found[0]))
    assert [number for number, _ in corpus.top(w, len(x) or 1)] == [
        number for number, _ in expected
    ]


@settings(max_examples=60, deadline=None)
@given(counts=counts_strategy, name=st.sampled_from(sorted(ENGINES)), data=st.data())
def test_rows_and_views(counts, name, data):
    x = reference.weights(counts, "tfidf")
    corpus = ENGINES[name](counts, "tfidf")
    ids = np.array(data.draw(st.lists(st.integers(0, max(len(x) - 1, 0)), max_size=5)), np.int64)
    if len(x) == 0:
        ids = ids[:0]
    starts, columns, values, shape = corpus.rows(ids)
    assert shape == (len(ids), x.shape[1])
    for i, d in enumerate(ids):
        row = slice(starts[i], starts[i + 1])
        assert columns[row].tolist() == np.flatnonzero(x[d]).tolist() or counts[d].any()
        np.testing.assert_allclose(values[row], x[d][columns[row]], atol=1e-12)
        assert (np.diff(columns[row]) > 0).all()
    view = corpus.take(ids)
    check_products(view, x[ids], np.float64)
    again = view.take(np.arange(len(ids))[::-1])
    check_products(again, x[ids[::-1]], np.float64)


def assert_same_list(found, expected):
    assert [d for d, _ in found] == [d for d, _ in expected]
    np.testing.assert_allclose([s for _, s in found], [s for _, s in expected], atol=1e-10)


# Small integers as weights over counts give exact scores and many ties.
@settings(max_examples=80, deadline=None)
@given(counts=counts_strategy, name=st.sampled_from(sorted(ENGINES)), data=st.data())
def test_top_is_exact_with_ties_by_number(counts, name, data):
    x = reference.weights(np.minimum(counts, 3), "raw")
    corpus = ENGINES[name](np.minimum(counts, 3), "raw")
    documents, terms = x.shape
    w = np.array(data.draw(st.lists(st.integers(-2, 2), min_size=terms, max_size=terms)), float)
    k = data.draw(st.integers(1, documents + 2))
    keep = data.draw(st.none() | arrays(np.bool_, documents))
    positive = data.draw(st.booleans())
    expected = reference.top(x, w, k, keep, positive)
    assert_same_list(corpus.top(w, k, keep, positive=positive), expected)
    view = corpus.take(np.arange(documents))
    assert_same_list(view.top(w, k, keep, positive=positive), expected)


@settings(max_examples=100, deadline=None)
@given(counts=counts_strategy, name=st.sampled_from(BOTH_WAYS), data=st.data())
def test_top_is_the_same_by_scan_and_by_inverted_file(counts, name, data):
    x = reference.weights(np.minimum(counts, 3), "raw")
    corpus = ENGINES[name](np.minimum(counts, 3), "raw")
    documents, terms = x.shape
    w = np.array(data.draw(st.lists(st.integers(-2, 2), min_size=terms, max_size=terms)), float)
    k = data.draw(st.integers(1, documents + 2))
    keep = data.draw(st.none() | arrays(np.bool_, documents))
    positive = data.draw(st.booleans())
    expected = reference.top(x, w, k, keep, positive)
    by_scan = corpus._by_scan(w, k, keep)
    by_file = corpus._by_inverted_file(corpus.sparse(w), k, keep, positive)
    assert_same_list(corpus.top(w, k, keep, positive=positive), expected)
    assert corpus.best(by_scan, w, k, positive=positive) == corpus.best(
        by_file, corpus.sparse(w), k, positive=positive
    )
    view = corpus.take(np.arange(documents))
    assert_same_list(view.top(w, k, keep, positive=positive), expected)


@pytest.mark.parametrize("weighting", TEXT_WEIGHTINGS)
def test_both_ways_to_the_top_give_the_same_bits(weighting):
    rng = np.random.default_rng(1)
    counts = rng.poisson(0.1, size=(3000, 200)) * rng.integers(1, 4, size=(3000, 200))
    corpus = local_with_deletions(counts, weighting)
    for _ in range(20):
        w = rng.normal(size=200) * (rng.random(200) < 0.3)
        found = corpus.best(corpus._by_scan(w, 10, None), w, 10)
        sparse = corpus.sparse(w)
        assert found == corpus.best(corpus._by_inverted_file(sparse, 10, None, False), sparse, 10)
        assert_same_list(found, reference.top(reference.weights(counts, weighting), w, 10))


def test_results_do_not_depend_on_the_number_of_threads(engine):
    rng = np.random.default_rng(2)
    counts = rng.poisson(0.4, size=(12000, 150))
    one, three = (engine(counts, "tfidf", threads) for threads in (1, 3))
    for dtype in (np.float32, np.float64):
        w, a = rng.normal(size=150).astype(dtype), rng.normal(size=12000).astype(dtype)
        assert (one.scores(w) == three.scores(w)).all()
        assert (one.weighted_sum(a) == three.weighted_sum(a)).all()
        for width in (5, 90):
            blocks = rng.normal(size=(150, width)).astype(dtype)
            assert (one.scores(blocks) == three.scores(blocks)).all()
            sums = rng.normal(size=(12000, width)).astype(dtype)
            assert (one.weighted_sum(sums) == three.weighted_sum(sums)).all()
        assert one.top(w, 20) == three.top(w, 20)


def test_long_sums_are_accurate_in_single_precision():
    counts = np.ones((200_000, 2), np.int64)
    corpus = local(counts, "raw")
    a = np.full(len(counts), 0.1, np.float32)
    exact = float(np.float32(0.1)) * len(counts)
    assert corpus.weighted_sum(a)[0] == pytest.approx(exact, rel=1e-7)


def test_sparse_and_dense_queries_are_the_same(engine):
    rng = np.random.default_rng(3)
    counts = rng.poisson(0.3, size=(300, 40))
    corpus = engine(counts, "tfidf")
    columns = np.array([3, 7, 30], np.int32)
    query = SparseVector(columns, np.array([1.0, -0.5, 2.0]))
    w = np.zeros(40)
    w[columns] = query.weights
    assert corpus.top(query, 12) == corpus.top(w, 12)


def test_wrong_lengths_are_refused(engine):
    corpus = engine(np.ones((4, 3), np.int64), "tfidf")
    with pytest.raises(UsageError, match="3 terms"):
        corpus.scores(np.ones(4))
    with pytest.raises(UsageError, match="4 documents"):
        corpus.weighted_sum(np.ones(3))
    with pytest.raises(UsageError, match="from 0 to 3"):
        corpus.rows(np.array([4]))
    with pytest.raises(UsageError, match="at least one"):
        corpus.top(np.ones(3), 0)
    with pytest.raises(UsageError, match="keep"):
        corpus.top(np.ones(3), 1, np.ones(3, np.bool_))


@pytest.mark.parametrize("kind", ["values", "dense"])
def test_real_valued_segments(kind):
    rng = np.random.default_rng(4)
    x = np.where(rng.random((50, 8)) < 0.5, rng.normal(size=(50, 8)), 0).astype(np.float32)
    x[7] = 0
    if kind == "dense":
        part = DensePart(x)
    else:
        row, column = np.nonzero(x)
        starts = np.searchsorted(row, np.arange(51)).astype(np.uint32)
        part = ValuePart(starts, column.astype(np.uint32), x[row, column], 8)
    live = np.delete(np.arange(50), [3, 49]).astype(np.uint32)
    for weighting in ("unit", "raw"):
        expected = x[live].astype(np.float64)
        if weighting == "unit":
            length = np.sqrt((expected**2).sum(axis=1))[:, None]
            expected = expected / np.where(length > 0, length, 1)
        corpus = assemble([Stored(part, live)], 8, WEIGHTINGS[weighting])
        check_products(corpus, expected, np.float64)
        check_products(corpus.take(np.array([5, 1])), expected[[5, 1]], np.float64)
        w = rng.normal(size=8)
        assert_same_list(corpus.top(w, 9), reference.top(expected, w, 9))
        starts, columns, values, _ = corpus.rows(np.array([2, 0]))
        np.testing.assert_allclose(values[: starts[1]], expected[2][columns[: starts[1]]])
