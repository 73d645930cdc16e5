"""The latent model: what folding in means, and that it holds what the words say."""

from __future__ import annotations

import numpy as np
import pytest

from helpers import reference_products as reference
from helpers.corpora import CARD, collection, stored_counts
from likewise import _core
from likewise.views import latent
from likewise.views.precision import PRECISIONS, rounded
from likewise.weighting import WEIGHTINGS


def topical(documents: int = 400, seed: int = 0) -> np.ndarray:
    """Counts of two topics that have 30 words each, and 20 words in common."""
    rng = np.random.default_rng(seed)
    rates = np.zeros((documents, 80))
    rates[::2, :30] = rates[1::2, 30:60] = 0.3
    rates[:, 60:] = 0.1
    return rng.poisson(rates)


def of(counts: np.ndarray, live: np.ndarray | None = None, engine: str = "local"):
    return collection(engine, stored_counts(counts, live))


def all_rows(counts: np.ndarray) -> np.ndarray:
    return np.arange(len(counts))


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("engine", ["local", "memory", "strict", "gpu by NumPy", *CARD])
def test_a_place_is_the_unit_vector_of_weighted_terms_minus_the_centre(engine, precision):
    counts = topical()
    matrix = of(counts, engine=engine)
    model = latent.learn(matrix, 400, 5, precision=precision)
    f = WEIGHTINGS["tfidf"].f(counts)[:, model.terms]
    raw = f @ model.basis.at(slice(None)).astype(np.float64)
    unit = raw / np.linalg.norm(raw, axis=1)[:, None]
    places = latent.Folding(model)(matrix, all_rows(counts))
    np.testing.assert_allclose(places, unit - model.centre, atol=1e-5)
    exact = precision == "float32"  # the centre is that of terms' vectors before they are rounded
    np.testing.assert_allclose(unit.mean(axis=0), model.centre, atol=1e-5 if exact else 2e-3)
    blocks = [b.at(slice(None)) for b in latent.Folding(model).blocks(matrix, 400, precision)]
    step = 1e-6 if exact else np.abs(places).max() / 127  # engines round at other bits
    np.testing.assert_allclose(np.concatenate(blocks), rounded(places, precision), atol=step)


def test_documents_of_one_topic_are_near_each_other():
    counts = topical()
    model = latent.learn(of(counts), 400, 5)
    places = latent.Folding(model)(of(counts), all_rows(counts))
    near = places @ places.T
    assert near[::2, ::2].mean() > 0.1
    assert near[::2, 1::2].mean() < -0.1


def test_documents_folded_in_are_where_they_would_have_been():
    counts = topical()
    model = latent.learn(of(counts), 400, 5)
    folding = latent.Folding(model)
    together = folding(of(counts), all_rows(counts))
    alone = folding(of(counts[7:8]), np.zeros(1, np.uint32))
    np.testing.assert_allclose(alone[0], together[7], atol=1e-6)


def test_a_document_of_unknown_terms_has_no_place():
    counts = topical()
    model = latent.learn(of(counts), 400, 5)
    strange = np.zeros((2, 90), np.int64)
    strange[0, 85], strange[1, :3] = 4, 1
    places = latent.Folding(model)(of(strange), all_rows(strange))
    assert not places[0].any()
    assert places[1].any()


def test_deleted_documents_and_rare_terms_teach_nothing():
    counts = topical()
    counts[5, 79] = 9
    counts[:, 78] = 0
    counts[:2, 78] = 1
    live = np.setdiff1d(all_rows(counts), [5]).astype(np.uint32)
    model = latent.learn(of(counts, live), 399, 5, precision="float32")
    assert 78 not in model.terms
    again = latent.learn(of(np.delete(counts, 5, axis=0)), 399, 5, precision="float32")
    np.testing.assert_array_equal(model.terms, again.terms)
    np.testing.assert_allclose(model.basis.numbers, again.basis.numbers, atol=1e-5)


def parts(model: latent.LatentModel) -> list[np.ndarray]:
    return [model.terms, *model.basis, model.centre]


def test_a_sample_is_seeded_and_threads_do_not_matter():
    stored = collection("local", *(stored_counts(topical(3000, seed)) for seed in (1, 2)))
    one = latent.learn(stored, 6000, 10, sample=500, seed=3)
    other = latent.learn(stored, 6000, 10, sample=500, seed=3, threads=3)
    for mine, theirs in zip(parts(one), parts(other), strict=True):
        assert np.array_equal(mine, theirs)
    again = latent.learn(stored, 6000, 10, sample=500, seed=4)
    assert not (again.basis.numbers == one.basis.numbers).all()


def test_selecting_with_other_columns():
    counts = np.array([[1, 300, 0, 2], [0, 1, 5, 0]])
    numbers = np.array([2, 2**32 - 1, 0], np.uint32)
    rows = _core.Counts(reference.count_arrays(counts), 4)
    chosen = rows.select(np.array([1, 0], np.uint32), numbers)
    starts, columns, values = _core.Counts(chosen, 3).entries(np.arange(2, dtype=np.uint32))
    assert starts.tolist() == [0, 1, 2]
    assert columns.tolist() == [0, 2]
    assert values.tolist() == [5, 1]
    with pytest.raises(ValueError, match="out of range"):
        rows.select(np.array([2], np.uint32), numbers)
