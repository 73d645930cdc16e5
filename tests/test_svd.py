"""The randomised SVD beside an exact one."""

from __future__ import annotations

import numpy as np
import pytest

from helpers import reference_products as reference
from helpers.corpora import local
from helpers.strict import StrictCorpus
from likewise.engines.memory import DenseMatrix
from likewise.views.svd import truncated_svd


def low_rank(rng: np.random.Generator, documents: int = 300, terms: int = 120) -> np.ndarray:
    """A matrix whose singular values fall by a tenth each."""
    u = np.linalg.qr(rng.normal(size=(documents, terms)))[0]
    v = np.linalg.qr(rng.normal(size=(terms, terms)))[0]
    return (u * 0.9 ** np.arange(terms)) @ v.T


def test_it_spans_what_an_exact_svd_spans():
    x = low_rank(np.random.default_rng(0))
    found = truncated_svd(DenseMatrix(x), 20, iterations=4)
    _, sigma, vt = np.linalg.svd(x)
    np.testing.assert_allclose(found.sigma, sigma[:20], rtol=1e-3)
    np.testing.assert_allclose(found.V.T @ found.V, np.eye(20), atol=1e-4)
    cosines = np.linalg.svd(vt[:15] @ found.V)[1]
    assert cosines.min() > 0.999


def test_more_iterations_hold_more_of_the_matrix():
    x = low_rank(np.random.default_rng(1))
    held = [
        float((truncated_svd(DenseMatrix(x), 30, iterations=q).sigma ** 2).sum()) for q in (0, 1, 3)
    ]
    best = float((np.linalg.svd(x)[1][:30] ** 2).sum())
    assert held[0] < held[1] <= held[2] * 1.00001
    assert held[2] == pytest.approx(best, rel=1e-3)
    assert held[2] <= best * 1.00001


@pytest.mark.parametrize("shape", [(3, 50), (50, 3), (4, 4), (1, 1)])
def test_where_the_rank_is_lower_there_are_fewer_dimensions(shape):
    x = np.random.default_rng(2).normal(size=shape)
    found = truncated_svd(DenseMatrix(x), 10)
    assert found.V.shape == (shape[1], min(shape))
    np.testing.assert_allclose(found.sigma, np.linalg.svd(x)[1], rtol=1e-4)
    nothing = truncated_svd(DenseMatrix(np.zeros(shape)), 10)
    assert nothing.V.shape == (shape[1], 0)


def test_the_same_seed_gives_the_same_bits_on_any_number_of_threads():
    counts = np.random.default_rng(3).poisson(0.2, size=(3000, 150))
    one, three = (truncated_svd(local(counts, "tfidf", n), 70, seed=5, threads=n) for n in (1, 3))
    assert (one.V == three.V).all()
    assert (one.places == three.places).all()
    np.testing.assert_allclose(one.places, local(counts, "tfidf").scores(one.V), atol=1e-5)
    other = truncated_svd(local(counts, "tfidf"), 70, seed=6)
    assert not (one.V == other.V).all()
    sigma = np.linalg.svd(reference.weights(counts, "tfidf"))[1][:70]
    np.testing.assert_allclose(one.sigma, sigma, rtol=0.1)


def test_where_vectors_are_not_numpys_it_finds_the_same():
    x = low_rank(np.random.default_rng(4))
    here, there = (truncated_svd(kind(x), 20) for kind in (DenseMatrix, StrictCorpus))
    np.testing.assert_allclose(here.sigma, there.sigma, rtol=1e-5)
    arrays = StrictCorpus.arrays
    assert type(there.V) is type(there.places) is type(arrays.xp.zeros(1))
    np.testing.assert_allclose(np.abs(here.V.T @ arrays.host(there.V)), np.eye(20), atol=1e-3)
    np.testing.assert_allclose(arrays.host(there.places), x @ arrays.host(there.V), atol=1e-5)
