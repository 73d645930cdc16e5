"""Sparse matrices of double precision in the core: as scipy, and the same bits by any threads."""

import numpy as np
import pytest
from scipy import sparse

from likewise import _core
from likewise.engines.arrays import NUMPY
from likewise.engines.memory import SparseMatrix
from likewise.engines.rows import CoreRows
from likewise.losses import Hinge, SquaredHinge
from likewise.solvers.descent import descend

ROWS, WIDTH = 3000, 700


def matrix(rows=ROWS, width=WIDTH, seed=3):
    """Long and short rows, columns in any order, and rows without entries."""
    draw = np.random.default_rng(seed)
    lengths = draw.integers(0, 120, rows)
    lengths[::97] = 400
    lengths[:5] = 0
    columns = np.concatenate([draw.permutation(width)[:length] for length in lengths])
    starts = np.concatenate([[0], np.cumsum(lengths)])
    values = draw.standard_normal(len(columns))
    return sparse.csr_array((values, columns.astype(np.int32), starts), (rows, width))


def core(X, threads=1):
    return _core.Doubles(
        X.indptr.astype(np.uint32), X.indices.astype(np.uint32), X.data, X.shape[1], threads
    )


def problem():
    X = matrix(rows=900, width=1200)
    labels = np.where(np.arange(900) % 9 == 0, 1.0, -1.0)
    return X, labels, np.where(labels > 0, 0.01, 0.001)


def test_products_are_those_of_scipy_and_do_not_depend_on_threads():
    X = matrix()
    draw = np.random.default_rng(0)
    v, a = draw.standard_normal(X.shape[1]), draw.standard_normal(X.shape[0])
    a[::3] = 0.0
    one = core(X)
    assert X.nnz > 2 * 2**16  # more than one share
    assert np.allclose(one.squares, (X * X).sum(axis=1), rtol=1e-12)
    assert np.allclose(one.dot(v), X @ v, rtol=1e-12, atol=1e-12)
    assert np.allclose(one.weighted_sum(a), X.T @ a, rtol=1e-12, atol=1e-12)
    for threads in (2, 7):
        many = core(X, threads)
        assert (many.squares == one.squares).all()
        assert (many.dot(v, threads) == one.dot(v)).all()
        assert (many.weighted_sum(a, threads) == one.weighted_sum(a)).all()


@pytest.mark.parametrize("shape", [(0, 5), (4, 0), (0, 0)])
def test_empty_matrices(shape):
    found = core(sparse.csr_array(shape), 2)
    assert found.dot(np.ones(shape[1]), 2).tolist() == [0.0] * shape[0]
    assert found.weighted_sum(np.ones(shape[0]), 2).tolist() == [0.0] * shape[1]


def test_a_column_named_twice_is_told():
    X = matrix()
    assert not core(X, 2).repeated
    last = X.indptr[-2]
    X.indices[last] = X.indices[last + 1]
    assert core(X).repeated
    assert core(X, 2).repeated


def test_what_is_no_matrix_is_refused():
    starts, columns, values = np.array([0, 2], np.uint32), np.array([0, 7], np.uint32), np.ones(2)
    with pytest.raises(ValueError, match="beyond the width"):
        _core.Doubles(starts, columns, values, 7)
    with pytest.raises(ValueError, match="ascend"):
        _core.Doubles(np.array([0, 2, 1, 2], np.uint32), columns, values, 8)
    with pytest.raises(ValueError, match="begin with 0"):
        _core.Doubles(np.zeros(0, np.uint32), columns, values, 8)
    with pytest.raises(ValueError, match="must end"):
        _core.Doubles(np.array([0, 3], np.uint32), columns, values, 8)
    with pytest.raises(ValueError, match="differ in length"):
        _core.Doubles(starts, columns, np.ones(3), 8)
    good = _core.Doubles(starts, columns, values, 8)
    with pytest.raises(ValueError, match="one entry a column"):
        good.dot(np.ones(7))
    with pytest.raises(ValueError, match="one weight a row"):
        good.weighted_sum(np.ones(2))


def test_rows_without_a_layer_are_zero():
    one = np.ones(1)
    descent = _core.Descent(_core.Rows(one, 1, 0), one, one, one, one, 0 * one, 0 * one)
    assert descent.check()[0] == 1.0
    assert descent.sum().tolist() == [0.0]


@pytest.mark.parametrize("squared", [False, True])
def test_a_descent_is_the_same_bits_by_any_threads(squared):
    X, labels, costs = problem()
    loss = SquaredHinge(NUMPY, costs, labels) if squared else Hinge(NUMPY, costs, -costs * labels)

    def solved(threads):
        corpus = SparseMatrix(X, threads=threads)
        return descend(corpus, loss, 50.0, lambda now: now.gap <= 1e-4 * now.objective)

    one, many = solved(1), solved(3)
    assert one.progress == many.progress
    assert (one.w == many.w).all()
    assert (one.weights == many.weights).all()
    assert np.allclose(one.w, X.T @ one.weights, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("beside", [0, 100_000], ids=["all columns", "few of them"])
def test_rows_that_are_copied_are_the_same_bits_by_any_threads(bias, beside):
    """Two matrices side by side, their columns with factors; others may have no entries."""
    X, labels, costs = problem()
    X = sparse.csr_array(
        (X.data, X.indices + beside // 2, X.indptr), (len(labels), X.shape[1] + beside)
    )
    height, width = X.shape
    values = X.data.astype(np.float32)
    factors = np.random.default_rng(1).uniform(0.5, 2.0, 2 * width)
    starts, columns = X.indptr.astype(np.uint32), X.indices.astype(np.uint32)
    same = sparse.csr_array((values.astype(np.float64), X.indices, X.indptr), X.shape)
    whole = sparse.hstack([same, 0.5 * same]) @ sparse.diags_array(factors)
    every = np.arange(height, dtype=np.uint32)

    def solved(threads):
        rows = CoreRows(factors, height, 2)
        rows.threads, rows.squares = threads, np.asarray((whole * whole).sum(axis=1))
        part = _core.Values(starts, columns, values, width)
        for layer, factor in enumerate((1.0, 0.5)):
            scale = np.full(height, factor)
            rows.rows.add_values(part, every, every, scale, layer, layer * width)
        start = np.zeros(height), np.zeros(2 * width)
        kind = {"squared": True, "bias": bias, "seed": 0}
        descent = rows.descent(labels, np.ones(height), 50.0 * costs, *start, **kind)
        epochs = [descent.epoch() for _ in range(20)]
        return epochs, descent.check(), descent.alpha, descent.sum()

    (epochs, check, alpha, w), many = solved(1), solved(3)
    assert (epochs, check) == many[:2]
    assert (alpha == many[2]).all()
    assert (w == many[3]).all()
    assert np.allclose(w, whole.T @ (labels * alpha), rtol=1e-9, atol=1e-12)
    offset = float(labels @ alpha) if bias else 0.0
    slack = np.maximum(0.0, 1.0 - labels * (whole @ w + offset))
    primal = 0.5 * (w @ w + offset**2) + 50.0 * (costs @ slack**2)
    assert check[0] == pytest.approx(primal, rel=1e-9)
