"""A matrix in memory as a Corpus."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from likewise.corpus import SparseVector
from likewise.engines.memory import DenseMatrix, SparseMatrix, as_corpus, is_corpus
from likewise.errors import UsageError
from likewise.estimators import BalancedSVM, NuOneClassSVM

X = np.array([[1.0, 0.0, 2.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.5, -1.0, 0.0, 3.0]])
KINDS = {
    "array": lambda: X,
    "list": lambda: X.tolist(),
    "fortran": lambda: np.asfortranarray(X),
    "float32": lambda: X.astype(np.float32),
    "csr_matrix": lambda: sp.csr_matrix(X),
    "csr_array": lambda: sp.csr_array(X),
    "csc": lambda: sp.csc_array(X),
    "coo": lambda: sp.coo_array(X),
    "corpus": lambda: as_corpus(X),
}


@pytest.fixture(params=KINDS)
def corpus(request):
    return as_corpus(KINDS[request.param]())


def test_both_products_are_each_others_adjoint(corpus):
    rng = np.random.default_rng(0)
    w, a = rng.normal(size=4), rng.normal(size=3)
    assert corpus.scores(w) == pytest.approx(X @ w)
    assert corpus.weighted_sum(a) == pytest.approx(X.T @ a)
    assert corpus.scores(w) @ a == pytest.approx(w @ corpus.weighted_sum(a))


def test_blocks_and_types(corpus):
    W, A = np.ones((4, 2), np.float32), np.ones((3, 5))
    assert corpus.scores(W).shape == (3, 2)
    assert corpus.scores(W).dtype == np.float32
    assert corpus.weighted_sum(A) == pytest.approx(X.T @ A)
    assert corpus.weighted_sum(A).dtype == np.float64


def test_rows(corpus):
    rows = corpus.rows(np.array([2, 1, 0]))
    assert rows.shape == (3, 4)
    assert rows.starts.tolist() == [0, 3, 3, 5]
    assert rows.columns.tolist() == [0, 1, 3, 0, 2]
    assert rows.values.tolist() == [0.5, -1.0, 3.0, 1.0, 2.0]
    assert corpus.rows(np.zeros(0, int)).starts.tolist() == [0]


def test_take_renumbers(corpus):
    part = corpus.take(np.array([2, 0]))
    assert part.shape == (2, 4)
    assert part.scores(np.arange(4.0)) == pytest.approx(X[[2, 0]] @ np.arange(4.0))


def test_top(corpus):
    w = np.array([1.0, 1.0, 0.0, 0.0])
    assert corpus.top(w, 2) == [(0, 1.0), (1, 0.0)]
    sparse = SparseVector(np.array([0, 1], np.int32), np.ones(2))
    assert corpus.top(sparse, 5) == [(0, 1.0), (1, 0.0), (2, -0.5)]
    assert corpus.top(w, 5, np.array([False, True, True])) == [(1, 0.0), (2, -0.5)]
    assert corpus.top(w, 5, positive=True) == [(0, 1.0)]
    assert corpus.top(np.zeros(4), 3) == [(0, 0.0), (1, 0.0), (2, 0.0)]
    with pytest.raises(UsageError, match="k is 0"):
        corpus.top(w, 0)


def test_entries_stored_twice_are_added():
    doubled = sp.coo_array((np.ones(3), ([0, 0, 0], [1, 1, 0])), shape=(1, 2))
    rows = as_corpus(doubled).rows(np.array([0]))
    assert (rows.columns.tolist(), rows.values.tolist()) == ([0, 1], [1.0, 2.0])


def test_a_matrix_that_is_given_stays_as_it_is():
    unsorted = sp.csr_array((np.ones(2), np.array([1, 0]), np.array([0, 2])), shape=(1, 2))
    as_corpus(unsorted).rows(np.array([0]))
    assert unsorted.indices.tolist() == [1, 0]


def test_what_is_a_corpus():
    assert is_corpus(as_corpus(X))
    assert not is_corpus(X)
    assert not is_corpus(sp.csr_array(X))
    assert isinstance(as_corpus(X), DenseMatrix)
    assert isinstance(as_corpus(sp.csr_array(X)), SparseMatrix)
    with pytest.raises(UsageError, match="not a 1-D array"):
        as_corpus(np.ones(3))


MATRIX = sp.csr_array(np.eye(3, 5))
DAMAGE = {
    "indptr": [
        [0, 1_000_000, 2, 3],
        [0, -3, 2, 3],
        [0, 1, 2, 4],
        [1, 1, 2, 3],
        [0, 2, 1, 3],
        [0, 1],
    ],
    "indices": [[0, -5, 2], [0, 1, 2**40], [0, 1, 5], [0, 1], [0.0, 1.0, 2.0]],
    "data": [np.ones(2), np.ones((3, 1))],
}


def damaged(kind: str, **arrays: object) -> object:
    """A matrix with arrays that SciPy's constructor would not, or only seldom, look through."""
    matrix = MATRIX.asformat(kind).copy()
    for name, array in arrays.items():
        setattr(matrix, name, np.array(array))
    return matrix


def refused() -> dict[str, object]:
    found = {
        f"{kind}, {name} {i}": damaged(kind, **{name: array})
        for kind in ("csr", "csc")
        for name, arrays in DAMAGE.items()
        for i, array in enumerate(arrays)
    }
    found |= {
        "coo, row": damaged("coo", coords=(np.array([0, 1, 3]), np.array([0, 1, 2]))),
        "coo, col": damaged("coo", coords=(np.array([0, 1, 2]), np.array([0, 1, -1]))),
        "coo, short": damaged("coo", data=np.ones(2)),
        "dia": damaged("dia", offsets=[0, 1]),
        "bsr": damaged("bsr", indices=[0, 1, 9]),
        "bsr, blocks": damaged("bsr", data=np.ones((3, 2, 1))),
    }
    lil = MATRIX.tolil()
    lil.data[0].extend([1.0] * 1000)
    return {**found, "lil": lil, "1-D": sp.coo_array(np.ones(3))}


@pytest.mark.parametrize("matrix", refused().values(), ids=refused())
def test_a_matrix_that_points_elsewhere_is_refused(matrix):
    with pytest.raises(UsageError, match="not a well-formed sparse matrix"):
        as_corpus(matrix)
    y = [1, 0, 0]
    for estimator in (BalancedSVM(), NuOneClassSVM()):
        with pytest.raises(UsageError, match="not a well-formed sparse matrix"):
            estimator.fit(matrix, y)


@pytest.mark.parametrize("dtype", ["i1", "<i2", ">i2", ">i4", "<i8"])
@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_array])
def test_indices_of_any_type_are_looked_through(kind, dtype):
    """Of few bytes, one below 0 looks like a number that a wide matrix has."""
    by_rows = kind is sp.csr_array
    matrix = kind((3, 100_000) if by_rows else (100_000, 3))
    matrix.indptr, matrix.data = np.arange(4), np.ones(3)
    matrix.indices = np.array([0, 7, -1], dtype)
    with pytest.raises(UsageError, match="indices holds -1, which is below 0"):
        as_corpus(matrix)
    matrix.indices = np.array([0, 7, 9], dtype)
    scores = as_corpus(matrix).scores(np.arange(float(matrix.shape[1])))
    assert scores[scores > 0].tolist() == ([7, 9] if by_rows else [1, 2])


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "dia", "lil", "dok"])
def test_every_format_and_an_empty_matrix(kind):
    for matrix in (MATRIX, sp.csr_array((3, 5)), sp.csr_array((0, 5))):
        corpus = as_corpus(matrix.asformat(kind))
        assert corpus.scores(np.arange(5.0)).tolist() == (matrix @ np.arange(5.0)).tolist()


def test_a_matrix_with_more_columns_than_numbers():
    with pytest.raises(UsageError, match="at most 2147483647"):
        as_corpus(sp.coo_array((3, 2**31)))
