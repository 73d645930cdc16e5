"""What every engine must do with a matrix of counts: one test file, each kind a parameter.

A later engine joins by a function in helpers/corpora.py that makes its Corpus of such a matrix.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays as random_arrays

from helpers import reference_products as reference
from helpers.corpora import (
    CARD,
    CORPORA,
    collection,
    corpus,
    local,
    local_with_deletions,
    stored_bytes,
    stored_counts,
    stored_dense,
    stored_values,
    with_deletions,
)
from helpers.products import as_array, assert_same_list, brought, check_products, given_to
from likewise.corpus import Adding, SparseVector
from likewise.errors import UsageError
from likewise.views.precision import rounded
from likewise.weighting import WEIGHTINGS

ENGINES = ["local", "memory", "strict", "gpu by NumPy", *CARD]
EXTENSIBLE = [name for name in CORPORA if "stack" not in name]  # a stack extends its views
BOTH_WAYS = [  # to the k best: by scan, by inverted file
    "local",
    "local, segments and deletions",
    "local, columns of two bytes",
    "local, shards",
]
TEXT_WEIGHTINGS = ["tfidf", "counts", "pivoted", "damped"]
SAME = {"rtol": 1e-6, "atol": 1e-9}  # between engines

counts_strategy = random_arrays(
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
every_corpus = pytest.mark.parametrize("name", CORPORA)
every_engine = pytest.mark.parametrize("engine", ENGINES)


@pytest.fixture(params=ADVERSARIAL)
def adversarial(request):
    return ADVERSARIAL[request.param]


def random_counts(documents: int = 300, terms: int = 40, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).poisson(0.3, size=(documents, terms))


# Products


@pytest.mark.parametrize("weighting", TEXT_WEIGHTINGS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@every_corpus
def test_products_agree_with_the_reference_on_adversarial_matrices(
    name, adversarial, weighting, dtype
):
    corpus = CORPORA[name](adversarial, weighting)
    assert corpus.shape == adversarial.shape
    check_products(corpus, reference.weights(adversarial, weighting), dtype)


@settings(max_examples=60, deadline=None)
@given(counts=counts_strategy, name=st.sampled_from(sorted(CORPORA)), seed=st.integers(0, 99))
def test_products_agree_with_the_reference_on_random_matrices(counts, name, seed):
    corpus = CORPORA[name](counts, "tfidf")
    check_products(corpus, reference.weights(counts, "tfidf"), np.float64, seed)


@pytest.mark.parametrize("weighting", sorted(WEIGHTINGS))
@every_engine
def test_engines_agree(engine, weighting):
    """Scores to 1e-6 of their size, and the same ranking, whatever the weighting."""
    counts = random_counts()
    one = corpus("local", *with_deletions(counts), weighting=weighting)
    other = corpus(engine, *with_deletions(counts), weighting=weighting)
    w = np.random.default_rng(1).normal(size=40)
    mine, theirs = one.scores(w), brought(other, other.scores(given_to(other, w)))
    np.testing.assert_allclose(mine, theirs, rtol=1e-6, atol=1e-6 * np.abs(theirs).max())
    assert [n for n, _ in one.top(w, 20)] == [n for n, _ in other.top(given_to(other, w), 20)]
    np.testing.assert_allclose(one.term_factors, other.term_factors, **SAME)


@every_corpus
def test_a_sparse_vector_is_scored_in_single_precision(name, adversarial):
    corpus = CORPORA[name](adversarial, "tfidf")
    columns = np.array([0, adversarial.shape[1] - 1], np.int32)
    found = brought(corpus, corpus.scores(SparseVector(columns, np.array([1.5, -0.5]))))
    w = np.zeros(adversarial.shape[1])
    w[columns] = 1.5, -0.5
    assert found.dtype == np.float32
    expected = reference.weights(adversarial, "tfidf") @ w
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
    nothing = SparseVector(columns[:0], np.zeros(0))
    assert not brought(corpus, corpus.scores(nothing)).any()


def doubled(s, along):
    return 2.0 * s * along


def squared(s):
    return s * s


@every_corpus
def test_a_fused_pass_is_scores_and_a_weighted_sum(name, adversarial):
    for counts in (adversarial, random_counts(60, 9)):
        corpus = CORPORA[name](counts, "tfidf")
        rng = np.random.default_rng(0)
        w = given_to(corpus, rng.normal(size=counts.shape[1]))
        along = given_to(corpus, rng.normal(size=counts.shape[0]))
        for weigh, vectors in ((doubled, (along,)), (squared, ())):
            scores, sums = corpus.fused(w, weigh, *vectors)
            expected = corpus.scores(w)
            np.testing.assert_allclose(brought(corpus, scores), brought(corpus, expected), **SAME)
            apart = corpus.weighted_sum(weigh(expected, *vectors))
            np.testing.assert_allclose(brought(corpus, sums), brought(corpus, apart), **SAME)


@every_corpus
def test_results_do_not_depend_on_the_number_of_threads(name):
    rng = np.random.default_rng(2)
    counts = rng.poisson(0.4, size=(12000 if "local" in name else 900, 150))
    one, three = (CORPORA[name](counts, "tfidf", threads) for threads in (1, 3))
    for dtype in (np.float32, np.float64):
        for block in ((), (5,), (90,)):
            w = given_to(one, rng.normal(size=(150, *block)).astype(dtype))
            a = given_to(one, rng.normal(size=(len(counts), *block)).astype(dtype))
            assert (brought(one, one.scores(w)) == brought(three, three.scores(w))).all()
            mine, theirs = one.weighted_sum(a), three.weighted_sum(a)
            assert (brought(one, mine) == brought(three, theirs)).all()
        w = given_to(one, rng.normal(size=150).astype(dtype))
        assert one.top(w, 20) == three.top(w, 20)


def test_long_sums_are_accurate_in_single_precision():
    counts = np.ones((200_000, 2), np.int64)
    corpus = local(counts, "raw")
    a = np.full(len(counts), 0.1, np.float32)
    exact = float(np.float32(0.1)) * len(counts)
    assert corpus.weighted_sum(a)[0] == pytest.approx(exact, rel=1e-7)


# Rows, lengths, factors


@settings(max_examples=60, deadline=None)
@given(counts=counts_strategy, name=st.sampled_from(sorted(CORPORA)), data=st.data())
def test_rows_and_some_documents(counts, name, data):
    x = reference.weights(counts, "tfidf")
    corpus = CORPORA[name](counts, "tfidf")
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
    some = corpus.take(ids)
    check_products(some, x[ids], np.float64)
    np.testing.assert_allclose(as_array(some.rows(np.arange(len(ids)))), x[ids], atol=1e-12)
    np.testing.assert_allclose(brought(some, some.squares), (x[ids] ** 2).sum(axis=1), atol=1e-9)
    again = some.take(np.arange(len(ids))[::-1])
    check_products(again, x[ids[::-1]], np.float64)


@every_corpus
def test_weighted_sums_of_a_few_rows(name):
    counts = random_counts(30, 12)
    corpus = CORPORA[name](counts, "tfidf")
    ids, weights = np.array([4, 0, 29]), np.array([0.5, -2.0, 1.0])
    expected = weights @ reference.weights(counts, "tfidf")[ids]
    np.testing.assert_allclose(corpus.rows(ids).weighted_sum(weights), expected, atol=1e-12)


@pytest.mark.parametrize("weighting", TEXT_WEIGHTINGS)
@every_corpus
def test_squared_lengths(name, adversarial, weighting):
    corpus = CORPORA[name](adversarial, weighting)
    expected = (reference.weights(adversarial, weighting) ** 2).sum(axis=1)
    squares = corpus.squares
    assert type(squares) is type(given_to(corpus, np.zeros(1)))
    np.testing.assert_allclose(brought(corpus, squares), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", EXTENSIBLE)
def test_term_factors_are_0_where_no_document_has_the_term(name, adversarial):
    factors = CORPORA[name](adversarial, "tfidf").term_factors
    df = (adversarial > 0).sum(axis=0)
    expected = np.where(df > 0, np.log((len(adversarial) + 1) / np.maximum(df, 1)), 0.0)
    np.testing.assert_allclose(factors, expected, atol=1e-12)


@every_corpus
def test_a_corpus_says_how_fast_it_is(name):
    assert 1e6 < CORPORA[name](random_counts(5), "tfidf").speed < 1e14


@every_corpus
def test_a_corpus_says_how_many_threads_work_for_it(name):
    assert CORPORA[name](random_counts(5), "tfidf", 3).threads in (1, 3)


# Exact scores and the k best


@every_corpus
def test_exact_scores(name, adversarial):
    for counts in (adversarial, random_counts(60)):
        corpus = CORPORA[name](counts, "tfidf")
        documents, terms = counts.shape
        ids = np.arange(documents)[::-2]
        w = np.random.default_rng(0).normal(size=terms)
        expected = (reference.weights(counts, "tfidf") @ w)[ids]
        exact = corpus.exact(ids, given_to(corpus, w))
        np.testing.assert_allclose(exact, expected, rtol=1e-9, atol=1e-12)
        sparse = SparseVector(np.arange(terms, dtype=np.int32), w)
        np.testing.assert_allclose(corpus.exact(ids, sparse), exact, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("weighting", [*TEXT_WEIGHTINGS, "raw"])
@every_corpus
def test_slack_bounds_the_error_of_single_precision(name, weighting):
    """And is no wild guess: within a thousandth of the largest score that could be."""
    rng = np.random.default_rng(3)
    counts = rng.poisson(0.5, size=(200, 60)) * rng.integers(1, 300, size=(200, 60))
    corpus = CORPORA[name](counts, weighting)
    longest = float(brought(corpus, corpus.squares).max()) ** 0.5
    for scale in (1e-3, 1.0, 1e4):
        w = scale * rng.normal(size=60)
        ids, slack = np.arange(200), corpus.slack(given_to(corpus, w))
        exact = corpus.exact(ids, given_to(corpus, w))
        rounded = brought(corpus, corpus.scores(given_to(corpus, w.astype(np.float32))))
        sparse = SparseVector(np.arange(60, dtype=np.int32), w)
        spread = brought(corpus, corpus.scores(sparse))
        assert np.abs(rounded - exact).max() <= slack
        assert np.abs(spread - exact).max() <= corpus.slack(sparse)
        assert slack <= 1e-3 * longest * np.linalg.norm(w)


# Small integers as weights over counts give exact scores and many ties.
@settings(max_examples=120, deadline=None)
@given(counts=counts_strategy, name=st.sampled_from(sorted(CORPORA)), data=st.data())
def test_top_is_exact_with_ties_by_number(counts, name, data):
    x = reference.weights(np.minimum(counts, 3), "raw")
    corpus = CORPORA[name](np.minimum(counts, 3), "raw")
    documents, terms = x.shape
    w = np.array(data.draw(st.lists(st.integers(-2, 2), min_size=terms, max_size=terms)), float)
    k = data.draw(st.integers(1, documents + 2))
    keep = data.draw(st.none() | random_arrays(np.bool_, documents))
    positive = data.draw(st.booleans())
    expected = reference.top(x, w, k, keep, positive)
    for each in (corpus, corpus.take(np.arange(documents))):
        for vector in (given_to(each, w), sparse_of(w)):
            assert_same_list(each.top(vector, k, keep, positive=positive), expected)


def sparse_of(w: np.ndarray) -> SparseVector:
    columns = np.flatnonzero(w)
    return SparseVector(columns.astype(np.int32), w[columns])


@settings(max_examples=100, deadline=None)
@given(counts=counts_strategy, name=st.sampled_from(BOTH_WAYS), data=st.data())
def test_top_is_the_same_by_scan_and_by_inverted_file(counts, name, data):
    corpus = CORPORA[name](np.minimum(counts, 3), "raw")
    documents, terms = counts.shape
    w = np.array(data.draw(st.lists(st.integers(-2, 2), min_size=terms, max_size=terms)), float)
    k = data.draw(st.integers(1, documents + 2))
    keep = data.draw(st.none() | random_arrays(np.bool_, documents))
    positive = data.draw(st.booleans())
    by_scan = corpus._by_scan(w, k, keep)
    by_file = corpus._by_inverted_file(corpus.sparse(w), k, keep, positive)
    assert corpus.best(by_scan, w, k, positive=positive) == corpus.best(
        by_file, corpus.sparse(w), k, positive=positive
    )


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


@every_corpus
def test_sparse_and_dense_queries_are_the_same(name):
    corpus = CORPORA[name](random_counts(), "tfidf")
    w = np.zeros(40)
    w[[3, 7, 30]] = 1.0, -0.5, 2.0
    assert_same_list(corpus.top(sparse_of(w), 12), corpus.top(given_to(corpus, w), 12))


# Some documents, and more documents


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", EXTENSIBLE)
def test_documents_from_outside_are_weighted_as_those_inside(name, adversarial, dtype):
    outside = np.concatenate([adversarial[:2], np.zeros_like(adversarial[:1])])
    corpus = CORPORA[name](adversarial, "tfidf").extended(reference.count_arrays(outside))
    inside = reference.weights(adversarial, "tfidf")
    x = np.concatenate([inside, inside[:2], np.zeros_like(inside[:1])])
    check_products(corpus, x, dtype)
    w = np.arange(1.0, x.shape[1] + 1)
    expected = sorted(enumerate(x @ w), key=lambda found: (-round(found[1], 9), found[0]))
    assert [number for number, _ in corpus.top(given_to(corpus, w), len(x) or 1)] == [
        number for number, _ in expected
    ]


@pytest.mark.parametrize("name", ["a stack", "a stack of strict"])
def test_a_stack_is_extended_by_its_views(name):
    with pytest.raises(UsageError, match="extend each of its views"):
        CORPORA[name](random_counts(5), "tfidf").extended(np.zeros((1, 40), np.float32))


# Access to rows, and documents judged one by one: of engines that offer them


@every_corpus
def test_row_access_or_none(name):
    counts = random_counts(60)
    corpus = CORPORA[name](counts, "tfidf")
    ids = np.array([5, 0, 59])
    rows = corpus.row_access(ids)
    assert corpus.has_rows == (rows is not None)
    if rows is None:
        assert "stack" in name or "strict" in name or "gpu" in name or "cluster" in name
        return
    x = reference.weights(counts, "tfidf")[ids]
    np.testing.assert_allclose(rows.squares, (x**2).sum(axis=1), rtol=1e-6)
    model = rows.pairs(loss="squared_hinge", threshold=False, seed=0)
    model.add(np.array([0, rows.nobody], np.uint32), np.array([1, 2], np.uint32))
    model.set_costs(np.array([1.0, 2.0]))
    for _ in range(300):
        model.epoch()
    primal, dual, _ = model.check()
    w = model.alpha @ np.array([x[0] - x[1], -x[2]])
    margins = np.array([w @ (x[0] - x[1]), -w @ x[2]])
    value = 0.5 * w @ w + np.array([1.0, 2.0]) @ np.maximum(0, 1 - margins) ** 2
    assert primal == pytest.approx(value, rel=1e-5)
    assert dual == pytest.approx(primal, rel=1e-4)


@every_corpus
def test_scores_are_added_in_place(name):
    corpus = CORPORA[name](random_counts(40, 12), "tfidf")
    if not isinstance(corpus, Adding):
        return
    row = corpus.rows(np.array([7]))
    w = SparseVector(row.columns, row.values)
    before = np.arange(40, dtype=np.float32)
    out = before.copy()
    corpus.add_scores(w, out, 0.5)
    expected = before + 0.5 * corpus.arrays.host(corpus.scores(w))
    np.testing.assert_allclose(out, expected, atol=1e-5)


@every_corpus
def test_judged_or_none(name):
    counts = random_counts(40, 12)
    corpus = CORPORA[name](counts, "tfidf")
    judged = corpus.judged()
    if judged is None:
        assert "strict" in name or "gpu" in name or "cluster" in name
        return
    x = reference.weights(counts, "tfidf")
    for document, relevant in ((3, True), (8, False), (20, True)):
        row = corpus.rows(np.array([document]))
        judged.add(document, relevant, row.columns, row.values)
    primal, dual, at_zero, _ = judged.solve(2.0, 1.0, 1e-6, 1000)
    for document, _, _ in judged.debts:
        row = corpus.rows(np.array([document]))
        column = corpus.scores(SparseVector(row.columns, row.values))
        judged.pay(document, corpus.arrays.host(column).astype(np.float32))
    assert judged.documents.tolist() == [3, 8, 20]
    w = judged.weights @ x[judged.documents]
    np.testing.assert_allclose(judged.scores, x @ w, atol=1e-5)
    margins = np.array([1, -1, 1]) * (x[[3, 8, 20]] @ w + judged.bias)
    slack = np.array([2.0, 1.0, 2.0]) @ np.maximum(0, 1 - margins) ** 2
    assert primal == pytest.approx(0.5 * w @ w + 0.5 * judged.bias**2 + slack, rel=1e-4)
    assert primal - dual <= 1e-5 * primal
    assert at_zero == pytest.approx(5.0)


# Operations on vectors


@every_corpus
def test_vectors_go_to_the_engine_and_back(name):
    arrays = CORPORA[name](random_counts(5), "tfidf").arrays
    vector = arrays.vector(np.array([3, -1, 2]))
    assert vector.dtype == arrays.xp.float64
    assert arrays.host(vector).tolist() == [3.0, -1.0, 2.0]
    assert type(arrays.host(vector)) is np.ndarray
    assert arrays.host(vector > 0).tolist() == [True, False, True]


@every_corpus
def test_taking_and_placing(name):
    arrays = CORPORA[name](random_counts(5), "tfidf").arrays
    vector = arrays.vector(np.arange(6.0))
    there = arrays.xp.nonzero(vector > 3.0)[0]
    for places in (np.array([4, 5]), slice(4, 6), there):
        assert arrays.host(arrays.take(vector, places)).tolist() == [4.0, 5.0]
        placed = arrays.placed(6, (places, arrays.vector([1.5, 2.5])), (np.array([0]), 7.0))
        assert placed.dtype == arrays.xp.float64
        assert arrays.host(placed).tolist() == [7.0, 0, 0, 0, 1.5, 2.5]
    over = arrays.placed(3, (np.array([0, 1]), np.ones(2)), (np.array([1]), np.zeros(1)))
    assert arrays.host(over).tolist() == [1.0, 0.0, 0.0]
    mask = arrays.placed(6, (there, vector[:2] > 0.0))
    assert mask.dtype == arrays.xp.bool
    assert arrays.host(mask).tolist() == [False] * 5 + [True]
    assert arrays.host(arrays.placed(2)).tolist() == [0.0, 0.0]


@every_corpus
def test_sums(name):
    arrays = CORPORA[name](random_counts(5), "tfidf").arrays
    rng = np.random.default_rng(0)
    rows, b, weights = rng.normal(size=(3, 1000)), rng.normal(size=1000), np.array([1, 0, -2.0])
    there, vector = arrays.xp.asarray(rows), arrays.vector(b)
    assert arrays.dot(vector, vector) == pytest.approx(b @ b)
    np.testing.assert_allclose(arrays.dots(there, vector), rows @ b)
    assert type(arrays.dots(there, vector)) is np.ndarray
    np.testing.assert_allclose(arrays.host(arrays.mixed(weights, there)), weights @ rows)


@settings(max_examples=100, deadline=None)
@given(
    name=st.sampled_from(sorted(CORPORA)),
    values=random_arrays(
        np.float64, st.integers(1, 12), elements=st.sampled_from([-2.0, -0.5, 0.0, 0.5, 0.6, 3.0])
    ),
    data=st.data(),
)
def test_order_statistics_and_the_best(name, values, data):
    arrays = CORPORA[name](random_counts(2, 2), "tfidf").arrays
    vector, size = arrays.vector(values), len(values)
    count = data.draw(st.integers(0, size))
    largest = arrays.host(arrays.largest(vector, count))
    assert largest.tolist() == sorted(values.tolist(), reverse=True)[:count]
    keep = data.draw(st.none() | random_arrays(np.bool_, size))
    k, slack = data.draw(st.integers(1, size + 2)), data.draw(st.sampled_from([0.0, 0.05]))
    kept = values if keep is None else values[keep]
    least = sorted(kept.tolist(), reverse=True)[: max(k, 1)][-1:]
    inside = np.ones(size, bool) if keep is None else keep
    expected = np.flatnonzero(inside & (values >= (least[0] if least else 0) - 2 * slack))
    assert arrays.best(vector, k, keep, slack).tolist() == expected.tolist()


@every_corpus
def test_sums_by_bucket(name):
    corpus = CORPORA[name](random_counts(20, 5), "tfidf")
    arrays, xp = corpus.arrays, corpus.arrays.xp
    scores = corpus.scores(arrays.vector(np.arange(5.0)))
    here = arrays.host(scores)
    edges = np.sort(here)[[3, 9, 9, 15]]
    buckets = xp.searchsorted(arrays.vector(edges), scores, side="left")
    expected = np.searchsorted(edges, here)
    assert arrays.host(buckets).tolist() == expected.tolist()
    sums = arrays.bucketed(buckets, 5, scores, xp.ones(20, dtype=xp.float64))
    assert type(sums) is np.ndarray
    np.testing.assert_allclose(sums, [np.bincount(expected, each, 5) for each in (here, here**0)])
    table = np.array([5.0, 4.0, 3.0, 2.0, 1.0])
    found = arrays.take(arrays.vector(table), buckets)
    assert arrays.host(found).tolist() == table[expected].tolist()


def some_need(xp, values, places):
    """What the place says, and more for values below 0."""
    return 0.5 * places + xp.where(values < 0.0, -3.0 * values, 0.0)


@every_corpus
@pytest.mark.parametrize("kind", ["all different", "ties", "one value"])
def test_how_many_need_less_than_a_level(name, kind):
    corpus = CORPORA[name](random_counts(60, 5), "tfidf")
    arrays = corpus.arrays
    scores = corpus.scores(arrays.vector(np.array([3.0, -2.0, -1.0, 0.5, -0.1])))
    if kind != "all different":
        scores = arrays.xp.round(scores * (2.0 if kind == "ties" else 0.0))
    ordered = np.sort(arrays.host(scores))[::-1]
    levels = np.array([-1.0, 0.0, 0.25, 3.0, 7.5, 1000.0])
    needed = some_need(np, ordered, np.arange(60.0))
    expected = np.searchsorted(needed, levels)
    for guess in (0, 10, 60):
        counts, sums, least = arrays.counted(scores, some_need, levels, guess)
        assert counts.tolist() == expected.tolist()
        np.testing.assert_allclose(sums, np.append(0.0, np.cumsum(ordered))[expected], atol=1e-12)
        for count, limit in zip(counts.tolist(), least.tolist(), strict=True):
            assert (ordered[:count] >= limit).all()
            assert (ordered[count:] <= limit).all()
            assert count or limit > ordered[0]


# Collections


@every_engine
def test_frequencies_are_those_of_live_documents(engine):
    counts = random_counts(50, 9)
    found = collection(engine, *with_deletions(counts)).frequencies
    assert found.tolist() == (counts > 0).sum(axis=0).tolist()


@every_engine
def test_a_collection_narrowed_to_some_documents_and_terms(engine):
    counts = random_counts(50, 9)
    ids, terms = np.array([0, 7, 24, 25, 49]), np.array([1, 2, 8], np.uint32)
    narrow = collection(engine, *with_deletions(counts)).narrowed(ids, terms)
    chosen = counts[np.ix_(ids, terms)]
    assert narrow.frequencies.tolist() == (chosen > 0).sum(axis=0).tolist()
    check_products(
        narrow.corpus(WEIGHTINGS["tfidf"]), reference.weights(chosen, "tfidf"), np.float64
    )
    col = np.array([1.0, 0.0, 3.0])
    scaled = narrow.corpus(WEIGHTINGS["raw"], col)
    assert scaled.term_factors.tolist() == col.tolist()
    check_products(scaled, chosen * col, np.float64)


@pytest.mark.parametrize("kind", [stored_values, stored_dense, stored_bytes])
@every_engine
def test_vectors_of_real_numbers(engine, kind):
    rng = np.random.default_rng(4)
    x = np.where(rng.random((50, 8)) < 0.5, rng.normal(size=(50, 8)), 0).astype(np.float32)
    x[7] = 0
    if kind is stored_bytes:
        x = rounded(x, "int8")
    live = np.delete(np.arange(50), [3, 49]).astype(np.uint32)
    for weighting in ("unit", "raw"):
        expected = x[live].astype(np.float64)
        if weighting == "unit":
            length = np.sqrt((expected**2).sum(axis=1))[:, None]
            expected = expected / np.where(length > 0, length, 1)
        found = corpus(engine, kind(x, live), weighting=weighting)
        check_products(found, expected, np.float64)
        check_products(found.take(np.array([5, 1])), expected[[5, 1]], np.float64)
        w = rng.normal(size=8)
        assert_same_list(found.top(given_to(found, w), 9), reference.top(expected, w, 9))
        np.testing.assert_allclose(as_array(found.rows(np.array([2, 0]))), expected[[2, 0]])
        outside = found.extended(x[:1]).rows(np.array([48]))
        np.testing.assert_allclose(as_array(outside), expected[:1])


@every_engine
def test_no_document_at_all(engine):
    found = corpus(engine, stored_counts(np.zeros((0, 3), np.int64)), weighting="tfidf")
    assert found.shape == (0, 3)
    assert found.top(given_to(found, np.ones(3)), 5) == []


# Refusals


@every_corpus
def test_wrong_lengths_are_refused(name):
    corpus = CORPORA[name](np.ones((4, 3), np.int64), "tfidf")
    with pytest.raises(UsageError, match="3 terms"):
        corpus.scores(given_to(corpus, np.ones(4)))
    with pytest.raises(UsageError, match="4 documents"):
        corpus.weighted_sum(given_to(corpus, np.ones(3)))


@every_corpus
def test_numbers_that_make_no_sense_are_refused(name):
    corpus = CORPORA[name](np.ones((4, 3), np.int64), "tfidf")
    w = given_to(corpus, np.ones(3))
    with pytest.raises(UsageError, match="from 0 to 3"):
        corpus.rows(np.array([4]))
    with pytest.raises(UsageError, match="from 0 to 3"):
        corpus.take(np.array([-1]))
    with pytest.raises(UsageError, match="k is 0"):
        corpus.top(w, 0)
    with pytest.raises(UsageError, match="keep"):
        corpus.top(w, 1, np.ones(3, np.bool_))
