"""The latent model: what folding in means, and that it holds what the words say."""

from __future__ import annotations

import numpy as np
import pytest

from helpers import reference_products as reference
from helpers.corpora import CARD, collection, stored_counts, stored_packed
from likewise import _core
from likewise.views import latent
from likewise.views.precision import PRECISIONS, packed, rounded
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


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("dimensions", [1, 63, 64, 200])
def test_folding_gives_the_same_bits_on_any_threads_whatever_is_beside(dimensions, precision):
    """Two segments, one of them with deleted documents, a large count and columns of two bytes."""
    rng = np.random.default_rng(dimensions)
    counts = rng.poisson(0.3, size=(2000, 90))
    counts[3, 5], counts[7] = 300, 0
    live = np.setdiff1d(np.arange(900), [2, 500]).astype(np.uint32)
    segments = [stored_packed(counts[:1100], 1 << 16), stored_counts(counts[1100:], live)]
    whole = np.concatenate([counts[:1100], counts[1100:][live]])
    terms = np.sort(rng.choice(90, 60, replace=False)).astype(np.uint32)
    basis = packed(rng.normal(size=(60, dimensions)).astype(np.float32), precision)
    centre = rng.normal(size=dimensions).astype(np.float32) / 10
    folding = latent.Folding(latent.LatentModel(terms, basis, centre))
    one, three = (collection("local", *segments, threads=n) for n in (1, 3))
    places = folding(one, all_rows(whole))
    raw = latent.TERMS_ONLY.f(whole)[:, terms] @ basis.at(slice(None)).astype(np.float64)
    lengths = np.linalg.norm(raw, axis=1)[:, None]
    expected = np.where(lengths > 0, raw / np.where(lengths > 0, lengths, 1) - centre, 0)
    np.testing.assert_allclose(places, expected, atol=1e-5)
    for each in (one, three):
        blocks = list(folding.blocks(each, len(whole), precision))
        for mine, theirs in zip(blocks, [packed(places, precision)], strict=True):
            assert np.array_equal(mine.numbers, theirs.numbers)
            assert precision == "float32" or np.array_equal(mine.factors, theirs.factors)
    some = np.array([0, 3, 1099, 1100, 1500])
    assert np.array_equal(folding(three, some), places[some])


def test_the_core_refuses_a_space_that_does_not_fit():
    rows = _core.Counts(reference.count_arrays(topical(3)), 80)
    ids, numbers = np.arange(3, dtype=np.uint32), np.arange(80, dtype=np.uint32)
    basis, ones = np.ones((80, 4), np.float32), np.ones(256)
    good = (rows, ids, numbers, basis, None, basis[0], ones, ones[:0], True)
    assert _core.fold(*good)[0].shape == (3, 4)
    for at, wrong, said in [
        (1, ids + 1, "row number is out of range"),
        (2, numbers + 1, "number is out of range"),
        (4, basis[:, 0].copy(), "others have none"),
        (5, basis[0, :3].copy(), "other dimensions"),
        (7, ones[:1], "one large value"),
    ]:
        with pytest.raises(ValueError, match=said):
            _core.fold(*good[:at], wrong, *good[at + 1 :])
    with pytest.raises(ValueError, match="one factor a row"):
        _core.fold(*good[:3], basis.astype(np.int8), basis[0], *good[5:])


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


@pytest.mark.parametrize(
    ("documents", "size"), [(5, 9), (9, 9), (10, 9), (1000, 7), (150_000, 40_000)]
)
def test_a_sample_is_of_all_parts_and_names_nobody_twice(documents, size):
    sample = latent._sampled(documents, size, seed=1)
    assert len(sample) == min(documents, size)
    assert (np.diff(sample) > 0).all()
    runs = np.arange(len(sample) + 1) * documents // len(sample)
    assert ((runs[:-1] <= sample) & (sample < runs[1:])).all()


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


@pytest.mark.parametrize("threads", [1, 3])
def test_selecting_from_several_matrices_puts_one_below_another(threads):
    rng = np.random.default_rng(0)
    given = []
    for rows, width in ((3000, 50), (0, 7), (1500, 60)):
        counts = rng.poisson(0.2, size=(rows, width))
        counts[: rows // 100, 3] = 400
        ids = np.sort(rng.choice(rows, rows // 2, replace=False)).astype(np.uint32)
        numbers = rng.permutation(80)[:width].astype(np.uint32)
        numbers[::5] = 2**32 - 1
        given.append((_core.Counts(reference.count_arrays(counts), width), ids, numbers))
    found = _core.Counts(_core.select(given, threads), 80)  # which checks the arrays
    ends = np.cumsum([0, *(len(ids) for _, ids, _ in given)])
    for (matrix, ids, numbers), first, last in zip(given, ends[:-1], ends[1:], strict=True):
        own = _core.Counts(matrix.select(ids, numbers), 80)
        mine = found.entries(np.arange(first, last, dtype=np.uint32))
        for one, other in zip(mine, own.entries(np.arange(len(ids), dtype=np.uint32)), strict=True):
            assert np.array_equal(one, other)
    assert found.shape == (ends[-1], 80)
    assert _core.Counts(_core.select([]), 80).shape == (0, 80)
    with pytest.raises(ValueError, match="out of range"):
        _core.select([(given[1][0], ids, given[1][2])])
