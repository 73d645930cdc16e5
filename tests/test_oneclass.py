"""NuOneClassSVM and SVDD: against scikit-learn, a general solver, and each other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.svm import OneClassSVM as Peer
from sklearn.utils.estimator_checks import parametrize_with_checks

from helpers import reference
from likewise import Document, Index, UsageError
from likewise.estimators import SVDD, NuOneClassSVM

NUS = [0.01, 0.1, 0.5, 1.0]


@parametrize_with_checks([NuOneClassSVM(), SVDD()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def documents(seed=0, size=30, terms=20, unit=True):
    rng = np.random.default_rng(seed)
    X = rng.random((size, terms)) * (rng.random((size, terms)) < 0.4)
    X[:, 0] += 0.2
    return X / np.linalg.norm(X, axis=1, keepdims=True) if unit else X


def plane_primal(X, w, rho, nu):
    return 0.5 * w @ w - rho + np.maximum(0, rho - X @ w).sum() / (nu * len(X))


def sphere_primal(X, center, radius, C):
    outside = ((X - center) ** 2).sum(axis=1) - radius**2
    return radius**2 + C * np.maximum(0, outside).sum()


@pytest.mark.parametrize("unit", [True, False])
@pytest.mark.parametrize("nu", NUS[:-1])  # LIBSVM refuses nu = 1 where nothing is free
def test_the_plane_is_that_of_scikit_learn(nu, unit):
    X = documents(unit=unit)
    found = NuOneClassSVM(nu).fit(X)
    peer = Peer(kernel="linear", nu=nu, tol=1e-10).fit(X)
    scale = nu * len(X)  # scikit-learn's weights sum to νℓ
    np.testing.assert_allclose(found.coef_, peer.coef_[0] / scale, atol=1e-7)
    assert found.rho_ == pytest.approx(peer.offset_[0] / scale, abs=1e-6)
    primal = plane_primal(X, found.coef_, found.rho_, nu)
    assert primal == pytest.approx(found.objective_, abs=1e-7)
    assert primal <= plane_primal(X, peer.coef_[0] / scale, peer.offset_[0] / scale, nu) + 1e-9


@pytest.mark.parametrize("nu", NUS)
def test_the_plane_is_that_of_a_general_solver(nu):
    X = documents(1, 15)
    least, _ = reference.capped_minimum(X @ X.T, np.zeros(15), 1 / (nu * 15))
    found = NuOneClassSVM(nu, tol=1e-9).fit(X)
    assert found.objective_ == pytest.approx(-least, abs=1e-7)
    assert found.duality_gap_ <= 1e-9


@pytest.mark.parametrize("unit", [True, False])
@pytest.mark.parametrize("C", [1 / 15, 0.1, 0.5, 3.0])
def test_the_sphere_is_that_of_a_general_solver(C, unit):
    X = documents(2, 15, unit=unit)
    products = X @ X.T
    least, alpha = reference.capped_minimum(2 * products, products.diagonal(), C)
    found = SVDD(C, tol=1e-9).fit(X)
    assert found.objective_ == pytest.approx(-least, abs=1e-7)
    assert sphere_primal(X, found.center_, found.radius_, C) == pytest.approx(-least, abs=1e-6)
    np.testing.assert_allclose(found.center_, alpha @ X, atol=1e-4)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 25), st.floats(0.01, 1.0), st.integers(1, 12))
def test_on_unit_rows_sphere_and_plane_are_the_same(seed, size, nu, terms):
    X = documents(seed, size, terms)
    plane, sphere = NuOneClassSVM(nu, tol=1e-10).fit(X), SVDD(nu=nu, tol=1e-10).fit(X)
    np.testing.assert_allclose(sphere.center_, plane.coef_, atol=1e-5)
    for found in (plane, sphere):
        assert found.dual_coef_.sum() == pytest.approx(1)
        assert found.dual_coef_.max() <= 1 / (nu * size) + 1e-12
        assert 0 <= found.duality_gap_ <= 1e-8


def test_nu_bounds_the_share_left_outside():
    X = documents(3, 60)
    for nu in (0.1, 0.3, 0.5):
        for found in (NuOneClassSVM(nu).fit(X), SVDD(nu=nu).fit(X)):
            outside = (found.decision_function(X) < -1e-9).mean()
            assert outside <= nu + 1e-9
            assert len(found.support_) >= nu * len(X) - 1e-9


@pytest.mark.parametrize("estimator", [NuOneClassSVM(), SVDD()], ids=["plane", "sphere"])
class TestDegenerate:
    def test_one_document(self, estimator):
        found = estimator.fit(np.array([[3.0, 4.0]]))
        assert found.dual_coef_.tolist() == [1.0]
        assert found.decision_function([[3.0, 4.0]])[0] == pytest.approx(0)

    def test_the_same_document_many_times(self, estimator):
        found = estimator.fit(np.tile([[0.6, 0.8]], (20, 1)))
        np.testing.assert_allclose(found.decision_function([[0.6, 0.8]]), 0, atol=1e-12)
        assert found.duality_gap_ == pytest.approx(0, abs=1e-12)

    def test_empty_documents(self, estimator):
        found = estimator.fit(np.zeros((3, 2)))
        assert found.decision_function(np.zeros((1, 2)))[0] == pytest.approx(0)

    def test_more_is_allowed_than_there_is(self, estimator):
        """ν·ℓ < 1: no document may be left outside."""
        X = documents(4, 10)
        assert estimator.fit(X).decision_function(X).min() > -1e-6

    def test_dense_sparse_and_corpus_agree(self, estimator, tmp_path):
        index = Index.create(tmp_path / "fruit.idx")
        texts = ["apple pear", "apple apple plum", "pear plum cherry", "cherry apple fig"]
        index.add([Document(str(i), text) for i, text in enumerate(texts)])
        corpus = index.corpus()
        rows = corpus.rows(np.arange(len(texts)))
        sparse = csr_matrix((rows.values, rows.columns, rows.starts), rows.shape)
        found = [estimator.fit(X).decision_function(X) for X in (corpus, sparse, sparse.toarray())]
        np.testing.assert_allclose(found[0], found[2], atol=1e-9)
        np.testing.assert_allclose(found[1], found[2], atol=1e-12)
        with pytest.raises(UsageError, match="was fitted on"):
            estimator.fit(sparse[:, :2]).predict(corpus)


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (NuOneClassSVM(0), "nu is 0: it must be above 0"),
        (NuOneClassSVM(1.5), "at most 1"),
        (SVDD(nu=2), "nu is 2"),
        (SVDD(0.01), "C is 0.01: for 30 documents it must be at least 0.0333"),
        (SVDD(-1), "C must be a number above 0"),
        (SVDD(1, nu=0.5), "both set the cost"),
        (NuOneClassSVM(tol=0), "tol must be a number above 0"),
    ],
)
def test_what_makes_no_sense_is_refused(estimator, message):
    with pytest.raises(UsageError, match=message):
        estimator.fit(documents())
