"""Comparing a corpus' products and rankings with those of a plain array."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from likewise.corpus import Corpus


def given_to(corpus: Corpus, values: np.ndarray):
    """An array of the corpus' own namespace, of the same dtype."""
    return corpus.arrays.xp.asarray(values)


def brought(corpus: Corpus, values) -> np.ndarray:
    return corpus.arrays.host(values)


def check_products(corpus: Corpus, x: np.ndarray, dtype: type, seed: int = 0) -> None:
    """Both products, of one vector and of blocks, and that each is the other's adjoint."""
    rng = np.random.default_rng(seed)
    documents, terms = x.shape
    tolerance = {"rtol": 1e-4, "atol": 1e-4} if dtype == np.float32 else {"atol": 1e-10}
    for block in ((), (1,), (3,), (33,), (77,)):
        w = rng.normal(size=(terms, *block)).astype(dtype)
        a = rng.normal(size=(documents, *block)).astype(dtype)
        scores = brought(corpus, corpus.scores(given_to(corpus, w)))
        sums = brought(corpus, corpus.weighted_sum(given_to(corpus, a)))
        assert scores.dtype == dtype
        assert sums.dtype == dtype
        assert scores.shape == (documents, *block)
        assert sums.shape == (terms, *block)
        np.testing.assert_allclose(scores, x @ w, **tolerance)
        np.testing.assert_allclose(sums, x.T @ a, **tolerance)
        np.testing.assert_allclose((scores * a).sum(), (w * sums).sum(), **tolerance)


def as_array(rows) -> np.ndarray:
    """A Csr as an array."""
    x = np.zeros(rows.shape)
    x[np.repeat(np.arange(rows.shape[0]), np.diff(rows.starts)), rows.columns] = rows.values
    return x


def assert_same_list(found, expected):
    assert [d for d, _ in found] == [d for d, _ in expected]
    np.testing.assert_allclose([s for _, s in found], [s for _, s in expected], atol=1e-10)
