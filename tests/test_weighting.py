"""Weightings: row(d) · col(t) · f(tf), against a readable twin."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from helpers import reference_products as reference
from likewise import _core
from likewise.errors import UsageError
from likewise.store.kinds import KINDS
from likewise.weighting import DAMPING, WEIGHTINGS, damped_rows, pivoted_rows, unit_rows

COUNTS = arrays(
    np.int64,
    st.tuples(st.integers(1, 7), st.integers(1, 6)),
    elements=st.sampled_from([0, 0, 0, 1, 2, 7, 255, 70000]),
)


def weighted(counts: np.ndarray, name: str) -> np.ndarray:
    weighting = WEIGHTINGS[name]
    x = weighting.f(counts) * weighting.columns((counts > 0).sum(axis=0), len(counts))
    if weighting.norm == "unit":
        return x * unit_rows((x**2).sum(axis=1))[:, None]
    unique = (counts > 0).sum(axis=1).astype(float)
    if weighting.norm == "damped":
        return x * damped_rows((x**2).sum(axis=1), unique, unique.mean())[:, None]
    if weighting.norm == "pivoted":
        return x * pivoted_rows(counts.sum(axis=1).astype(float), unique, unique.mean())[:, None]
    return x


@settings(max_examples=60, deadline=None)
@given(counts=COUNTS, name=st.sampled_from(sorted(WEIGHTINGS)))
def test_weights_are_the_references(counts, name):
    np.testing.assert_allclose(weighted(counts, name), reference.weights(counts, name), atol=1e-12)


def test_a_small_case_by_hand():
    counts = np.array([[1, 3], [0, 2]])
    rare, common = math.log(3 / 1), math.log(3 / 2)
    first = np.array([rare, (1 + math.log(3)) * common])
    np.testing.assert_allclose(weighted(counts, "tfidf")[0], first / np.linalg.norm(first))
    np.testing.assert_allclose(weighted(counts, "counts")[0], np.array([1, 3]) / math.sqrt(10))
    pivot = 1 / ((1 + math.log(2)) * (0.8 + 0.2 * 2 / 1.5))
    np.testing.assert_allclose(weighted(counts, "pivoted")[0], first * pivot)
    damped = first / np.linalg.norm(first) * math.sqrt(1.5 * 2 / (2 + 0.5 * 1.5))
    np.testing.assert_allclose(weighted(counts, "damped")[0], damped)
    np.testing.assert_allclose(weighted(counts, "raw"), counts)


def test_a_short_row_is_damped_and_a_mean_one_has_unit_length():
    lengths = damped_rows(np.ones(4), np.array([1.0, 10.0, 1000.0, 0.0]), 10.0)
    np.testing.assert_allclose(lengths, [0.5, 1.0, math.sqrt(1500 / 1005), 0.0])


def test_a_term_in_every_document_still_counts():
    assert WEIGHTINGS["tfidf"].columns(np.array([4]), 4)[0] > 0


def test_nothing_weighs_nothing():
    for weighting in WEIGHTINGS.values():
        assert weighting.columns(np.array([0]), 5)[0] == 0
        assert weighting.f(np.array([0]))[0] == 0
    assert unit_rows(np.array([0.0]))[0] == 0
    assert pivoted_rows(np.zeros(1), np.zeros(1), 0.0)[0] == 0
    assert damped_rows(np.zeros(1), np.zeros(1), 0.0)[0] == 0


def test_every_kind_has_a_default():
    defaults = {name: str(kind.weighting(None)) for name, kind in KINDS.items()}
    assert defaults == {"text": "tfidf", "counts": "tfidf", "values": "unit", "dense": "unit"}


@pytest.mark.parametrize("kind", ["text", "counts"])
@pytest.mark.parametrize("name", WEIGHTINGS)
def test_counts_take_every_weighting(kind, name):
    assert str(KINDS[kind].weighting(name)) == name


@pytest.mark.parametrize("kind", ["values", "dense"])
@pytest.mark.parametrize("name", WEIGHTINGS)
def test_real_values_have_no_term_counts_to_weigh(kind, name):
    if name in ("unit", "raw"):
        assert KINDS[kind].weighting(name).name == name
        return
    with pytest.raises(UsageError, match=f"'{name}' does not fit an index of {kind}.*unit, raw"):
        KINDS[kind].weighting(name)


def test_an_unknown_name_is_told_the_known_ones():
    with pytest.raises(UsageError, match=r"'bm25'.*tfidf, smooth, counts, pivoted"):
        KINDS["text"].weighting("bm25")


def test_what_is_preferred_is_taken_if_nothing_is_asked_for_and_it_fits():
    assert KINDS["text"].weighting(None, "smooth").name == "smooth"
    assert KINDS["text"].weighting("pivoted", "smooth").name == "pivoted"
    assert KINDS["dense"].weighting(None, "smooth").name == "unit"


@given(st.lists(COUNTS, min_size=1, max_size=3), st.integers(1, 3))
def test_the_core_weighs_rows_as_weighting_does(matrices, threads):
    """Matrices one below another; what the squared lengths become, too, is the same bit by bit."""
    table, nothing = WEIGHTINGS["tfidf"].f(np.arange(256)) ** 2, np.zeros(0)
    for damping, mean in ((0.0, 0.0), (DAMPING, 3.5)):
        todo, written = _core.Pass(threads), []
        for counts in matrices:
            rows = np.minimum(counts, 254)
            matrix = _core.Counts(reference.count_arrays(rows), rows.shape[1])
            squared = np.linspace(0, 2, rows.shape[1])
            before = matrix.dot(squared, table, nothing)
            unique = (rows > 0).sum(axis=1).astype(float)
            row = damped_rows(before, unique, mean) if damping else unit_rows(before)
            found = np.empty((2, len(rows)))
            todo.add_row_factors(matrix, squared, table, nothing, damping, mean, *found)
            written.append((found, np.array([before * row**2, row])))
        todo.run()
        for found, expected in written:
            assert found.tobytes() == expected.tobytes()


@given(st.lists(st.integers(0, 9), max_size=20), st.data())
def test_sizes_of_rows_are_added_at_their_places(sizes, data):
    starts = np.cumsum([0, *sizes]).astype(np.uint32)
    places = data.draw(
        st.none() | st.permutations(range(25)).map(lambda p: sorted(p[: len(sizes)]))
    )
    sums = np.arange(25)
    expected = sums.copy()
    expected[slice(len(sizes)) if places is None else places] += np.array(sizes, np.int64)
    _core.add_row_sizes(starts, places if places is None else np.array(places, np.uint32), sums)
    assert sums.tolist() == expected.tolist()
