"""Stacks of views beyond the contract: rows for the core, exact results, memory, refusals."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from helpers import reference_products as reference
from helpers.corpora import corpus as corpus_of
from helpers.corpora import local, stored_dense
from helpers.products import assert_same_list, check_products
from likewise.engines.arrays import NUMPY
from likewise.engines.memory import DenseMatrix, SparseMatrix
from likewise.engines.stack import Stack, View
from likewise.errors import UsageError
from likewise.losses import SquaredHinge
from likewise.solvers.descent import descend
from likewise.solvers.newton import newton
from likewise.solvers.products import Biased
from likewise.solvers.stopping import first_of, gap_below, passes


def dense(x: np.ndarray, live: np.ndarray | None = None):
    return corpus_of("local", stored_dense(x, live), weighting="raw")


def words_and_dense(documents: int = 60, width: int = 37, seed: int = 0):
    """A stack of words and dense vectors, and the matrix it stands for."""
    rng = np.random.default_rng(seed)
    counts = rng.poisson(0.3, size=(documents, 40))
    z = rng.normal(size=(documents, width)).astype(np.float32)
    corpus = Stack([View("words", local(counts, "tfidf")), View("latent", dense(z), 0.5)])
    return corpus, np.concatenate([reference.weights(counts, "tfidf"), 0.5 * z], axis=1)


def test_words_beside_dense_vectors():
    corpus, x = words_and_dense()
    assert corpus.shape == x.shape
    check_products(corpus, x, np.float64)
    check_products(corpus.take(np.array([7, 3, 7])), x[[7, 3, 7]], np.float64)
    w = np.random.default_rng(1).normal(size=x.shape[1])
    assert_same_list(corpus.top(w, 9), reference.top(x, w, 9))
    assert_same_list(corpus.take(np.arange(50)).top(w, 9), reference.top(x[:50], w, 9))
    assert corpus.columns["latent"] == slice(40, 77)


@pytest.mark.parametrize("width", [1, 15, 16, 200, 700, 2100])
def test_dense_kernels_for_any_width(width):
    rng = np.random.default_rng(width)
    x = rng.normal(size=(50, width)).astype(np.float32)
    live = np.delete(np.arange(50), [0, 17]).astype(np.uint32)
    check_products(dense(x, live), x[live].astype(np.float64), np.float64)
    check_products(dense(x, live).take(np.array([4, 2])), x[live[[4, 2]]], np.float64)


def test_dense_products_are_the_same_on_any_number_of_threads():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(40_000, 20)).astype(np.float32)
    w, a = rng.normal(size=20), rng.normal(size=40_000)
    one, three = (
        corpus_of("local", stored_dense(x), weighting="unit", threads=threads) for threads in (1, 3)
    )
    assert (one.scores(w) == three.scores(w)).all()
    assert (one.weighted_sum(a) == three.weighted_sum(a)).all()


def test_descent_over_a_stack_finds_what_newton_finds():
    corpus, x = words_and_dense(documents=300)
    labels = np.where(np.arange(300) < 20, 1.0, -1.0)
    loss = SquaredHinge(NUMPY, np.where(labels > 0, 1.0, 0.05), labels)
    by_rows = descend(corpus, loss, 2.0, gap_below(1e-6), bias=True)
    by_passes = newton(Biased(DenseMatrix(x)), loss, 2.0, gap_below(1e-6))
    assert by_rows.progress.objective == pytest.approx(by_passes.progress.objective, rel=1e-5)
    np.testing.assert_allclose(by_rows.w, by_passes.w[:-1], atol=1e-3)
    some = corpus.take(np.arange(0, 300, 2))
    rows = some.row_access(np.array([5, 0]))
    np.testing.assert_allclose(rows.squares, (x[[10, 0]] ** 2).sum(axis=1), rtol=1e-6)


def test_a_view_without_rows_for_the_core_leaves_a_stack_of_products():
    from scipy.sparse import csr_matrix

    rng = np.random.default_rng(4)
    x = rng.normal(size=(30, 6)) * (rng.random((30, 6)) < 0.5)
    corpus = Stack([View("a", SparseMatrix(csr_matrix(x))), View("b", dense(x.astype(np.float32)))])
    assert corpus.row_access(np.arange(3)) is None
    both = np.concatenate([x, x.astype(np.float32)], axis=1)
    check_products(corpus, both, np.float64)
    w = rng.normal(size=12)
    assert_same_list(corpus.top(w, 5), reference.top(both, w, 5))


def test_a_view_that_the_query_does_not_ask_is_not_read():
    class Unreadable(DenseMatrix):
        def scores(self, w):
            raise AssertionError("read")

    x = np.eye(4)
    corpus = Stack([View("words", DenseMatrix(x)), View("other", Unreadable(x))])
    assert corpus.top(np.array([0, 1, 0, 0, 0, 0, 0, 0.0]), 1) == [(1, 1.0)]


def test_views_of_other_documents_are_refused():
    four, five = DenseMatrix(np.ones((4, 2))), DenseMatrix(np.ones((5, 2)))
    with pytest.raises(UsageError, match="'latent' has 5 documents and view 'words' has 4"):
        Stack([View("words", four), View("latent", five)])
    with pytest.raises(UsageError, match="same name"):
        Stack([View("words", four), View("words", four)])
    with pytest.raises(UsageError, match="factor"):
        Stack([View("words", four, 0.0)])
    with pytest.raises(UsageError, match="at least one"):
        Stack([])


def test_a_mapped_view_is_never_held_in_memory(tmp_path):
    path, documents, width = tmp_path / "dense", 30_000, 64
    np.random.default_rng(5).normal(size=(documents, width)).astype(np.float32).tofile(path)
    z = np.memmap(path, np.float32, "r", shape=(documents, width))
    words = local(np.random.default_rng(6).poisson(0.2, size=(documents, 30)), "tfidf")
    tracemalloc.start()
    corpus = Stack([View("words", words), View("latent", dense(z))])
    w = np.ones(94)
    corpus.top(w, 10)
    corpus.weighted_sum(np.ones(documents))
    corpus.row_access(np.arange(documents))
    corpus.scores(np.ones((94, 2), np.float32))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < z.nbytes / 2


@pytest.mark.parametrize("kind", ["stack", "one corpus"])
def test_rows_that_were_read_are_found_again(kind):
    """A descent over some of the documents that were taken is the same as over their own rows."""
    counts = np.random.default_rng(2).poisson(0.3, (80, 30))
    words = local(counts, "tfidf")
    corpus = words if kind == "one corpus" else Stack([View("a", words), View("b", words, 0.5)])
    taken = np.arange(3, 75, 2)
    some = corpus.take(taken)
    kept = np.flatnonzero(np.arange(len(taken)) % 3)
    costs = np.where(np.isin(np.arange(len(taken)), kept), 0.5, 0.0)
    labels = np.where(np.arange(len(taken)) < 9, 1.0, -1.0)
    stop = first_of(passes(500), gap_below(1e-6))
    descend(some, SquaredHinge(NUMPY, costs + 0.1, labels), 1.0, stop, bias=True)
    again = descend(some, SquaredHinge(NUMPY, costs, labels), 1.0, stop, bias=True)
    own = corpus.take(taken[kept])
    fresh = descend(own, SquaredHinge(NUMPY, costs[kept], labels[kept]), 1.0, stop, bias=True)
    assert again.progress == fresh.progress
    np.testing.assert_allclose(again.w, fresh.w, rtol=1e-12, atol=1e-15)
    np.testing.assert_array_equal(again.weights[kept], fresh.weights)
    weights = np.arange(1.0, len(kept) + 1)
    by_kept, by_own = some.row_access(kept), own.row_access(np.arange(len(kept)))
    np.testing.assert_array_equal(by_kept.squares, by_own.squares)
    np.testing.assert_array_equal(by_kept.weighted_sum(weights), by_own.weighted_sum(weights))
