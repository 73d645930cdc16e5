"""Columns in two, three or four bytes: the same numbers, and the same products bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from helpers import reference_products as reference
from helpers.corpora import packed_columns
from likewise import _core
from likewise.engines.rows import CoreRows
from likewise.store import packing

WIDTHS = [1 << 16, 1 << 24, 1 << 25]
F = np.log1p(np.arange(256.0))
every_width = pytest.mark.parametrize("width", WIDTHS)


@given(st.sampled_from(WIDTHS), st.data())
def test_packed_columns_are_read_again(width, data):
    columns = data.draw(arrays(np.uint32, st.integers(0, 50), elements=st.integers(0, width - 1)))
    for source in (columns, *(packed_columns(columns, wider) for wider in WIDTHS if wider > width)):
        found = packed_columns(source, width)
        assert found.dtype == packing.type_for(width)
        assert packing.count(found) == len(columns)
        assert packing.between(found, 0, len(columns)).tolist() == columns.tolist()
        some = slice(len(columns) // 3, len(columns) // 2)
        middle = packing.between(found, some.start, some.stop)
        assert middle.tolist() == columns[some].tolist()
        assert middle.dtype == np.uint32


def test_columns_are_packed_some_at_a_time(monkeypatch):
    monkeypatch.setattr(packing, "CHUNK", 7)
    columns = np.arange(100, dtype=np.uint32) * 600
    for width in WIDTHS:
        assert len(list(packing.packed(columns, width))) == 15
        found = packed_columns(columns, width)
        assert packing.between(found, 0, 100).tolist() == columns.tolist()


def test_the_widest_matrix_of_each_type():
    assert packing.type_for(0) == packing.type_for(1 << 16) == np.uint16
    assert packing.type_for((1 << 16) + 1) == packing.type_for(1 << 24) == np.uint8
    assert packing.type_for((1 << 24) + 1) == np.uint32


def both(width: int):
    """A matrix with columns of four bytes, and the same with those for another width."""
    counts = np.random.default_rng(1).poisson(0.4, size=(400, 90))
    counts[3, 5] = 70_000
    rows = reference.count_arrays(counts)
    return rows, {**rows, "columns": packed_columns(rows["columns"], width)}


def results(arrays):
    """What the core makes of a matrix, by every way that reads columns."""
    rng, large = np.random.default_rng(2), np.log1p(arrays["large"].astype(np.float64))
    matrix = _core.Counts(arrays, 90)
    ids = np.array([3, 399, 0, 17], np.uint32)
    for dtype in (np.float32, np.float64):
        yield matrix.dot(rng.normal(size=90).astype(dtype), F, large, 2)
        yield matrix.dot(rng.normal(size=(90, 5)).astype(dtype), F, large)
        yield matrix.dot_rows(ids, rng.normal(size=90).astype(dtype), F, large)
        yield matrix.weighted_sum(rng.normal(size=(400, 3)).astype(dtype), F, large)
    w, a = rng.normal(size=90), rng.normal(size=400)
    yield matrix.weighted_sum(a, F, large, 3)
    yield matrix.squares(w, F**2, large**2, 2)
    yield matrix.frequencies()
    yield matrix.exact(ids, None, w, F, large)
    yield matrix.exact(ids, np.array([5, 8], np.uint32), w[:2], F, large)
    yield matrix.fused(w, F, large, np.zeros(400), a, lambda first, last: None)
    yield from matrix.entries(ids)
    yield from matrix.select(ids).values()
    yield from matrix.select(ids, np.arange(60, dtype=np.uint32)).values()
    yield from matrix.transpose(2).values()
    asked = (np.array([5, 8], np.uint32), w[:2], np.ones(90, np.float32))
    scores = np.ones(90, np.float32)
    matrix.add_scores(*asked, F, large, 0.5, scores)
    yield scores
    yield matrix.candidates(*asked, None, 4, 0.1, F, large, False)
    yield descended(matrix, large)


def descended(matrix, large):
    rows = CoreRows(np.ones(90), 400)
    places = np.arange(400, dtype=np.uint32)
    rows.rows.add_counts(matrix, F, large, places, places, np.full(400, 0.1))
    rows.squares[:] = 1.0
    labels = np.where(places % 5, -1.0, 1.0)
    descent = rows.descent(
        labels, np.ones(400), np.ones(400), np.zeros(400), np.zeros(90),
        squared=True, bias=True, seed=0,
    )  # fmt: skip
    descent.epoch()
    return descent.alpha


@every_width
def test_the_core_reads_every_type(width):
    plain, packed = both(width)
    for mine, theirs in zip(results(plain), results(packed), strict=True):
        np.testing.assert_array_equal(mine, theirs)


@every_width
def test_a_column_beyond_the_width_is_refused(width):
    _, packed = both(width)
    with pytest.raises(ValueError, match="a column lies beyond the width"):
        _core.Counts(packed, 89)


@every_width
@given(entries=st.integers(1, 300), data=st.data())
def test_a_single_column_beyond_the_width_is_found_wherever_it_stands(width, entries, data):
    """Also where numbers are looked at many at a time."""
    limit = data.draw(st.integers(301, width - 1))
    columns = np.arange(entries, dtype=np.uint32)
    columns[-1] = limit - 1
    arrays = reference.count_arrays(np.ones((1, entries), int))
    _core.Counts({**arrays, "columns": packed_columns(columns, width)}, limit)
    columns[data.draw(st.integers(0, entries - 1))] = limit
    with pytest.raises(ValueError, match="a column lies beyond the width"):
        _core.Counts({**arrays, "columns": packed_columns(columns, width)}, limit)


def test_squares_and_frequencies_are_those_of_the_numbers():
    counts = np.random.default_rng(1).poisson(0.4, size=(400, 90))
    counts[3, 5] = 70_000
    arrays = reference.count_arrays(counts)
    matrix, columns = _core.Counts(arrays, 90), np.random.default_rng(2).normal(size=90)
    large = np.log1p(arrays["large"].astype(np.float64))
    expected = ((np.log1p(counts) * columns) ** 2).sum(1)
    for threads in (1, 3):
        found = matrix.squares(columns, F**2, large**2, threads)
        np.testing.assert_allclose(found, expected, rtol=1e-13)
    assert matrix.frequencies().tolist() == np.count_nonzero(counts, axis=0).tolist()


@pytest.mark.parametrize("missing", [1, 2, 3])
def test_bytes_that_are_no_columns_are_refused(missing):
    _, packed = both(1 << 24)
    with pytest.raises(ValueError, match=r"one byte more|number of columns stored"):
        _core.Counts({**packed, "columns": packed["columns"][:-missing]}, 90)
