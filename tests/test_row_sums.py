"""Rows times a vector: in single precision one order of sums, so the same bits, on every CPU."""

from __future__ import annotations

import numpy as np
import pytest

from likewise import _core

LANES, RUN, WIDTH = 16, 256, 70_000
LENGTHS = [0, 1, 2, 3, 5, 15, 16, 17, 31, 33, 48, 49, 63, 64, 65, 100, 255, 256, 257, 600, 3000]


def run_sum(values, once, factors, one):
    """Entries are dealt to sixteen sums, which are folded by halves."""
    lanes = np.zeros(LANES, values.dtype)
    for i, value in enumerate(values[:once]):
        lanes[i % LANES] += value
    lanes *= one
    for i, value in enumerate(values[once:]):
        lanes[i % LANES] += value * factors[i]
    while len(lanes) > 1:
        half = len(lanes) // 2
        lanes = lanes[:half] + lanes[half:]
    return lanes[0]


def row_sum(v, columns, counts, table):
    once = len(columns) - len(counts)
    factors = table[counts]
    total = 0.0
    for first in range(0, len(columns), RUN):
        last = min(first + RUN, len(columns))
        own = factors[max(first - once, 0) : max(last - once, 0)]
        part = run_sum(v[columns[first:last]], last - first - len(own), own, table[1])
        total += float(part)
    return v.dtype.type(total)


def matrix(random, width, most):
    """Rows of many lengths in any order, none to nearly all of their columns with a count."""
    lengths = random.permutation(np.repeat(LENGTHS, 4))
    often = [int(random.integers(0, n + 1) * random.random()) for n in lengths]
    columns = [random.integers(0, width, n) for n in lengths]
    counts = [random.integers(2, most, n).astype(np.uint8) for n in often]
    packed = np.concatenate(columns).astype(np.uint32)
    arrays = {
        "starts": np.cumsum([0, *lengths]).astype(np.uint32),
        "more": np.cumsum([0, *often]).astype(np.uint32),
        "columns": packed,
        "counts": np.concatenate(counts),
        "large_at": np.zeros(0, np.uint32),
        "large": np.zeros(0, np.uint32),
    }
    return arrays, columns, counts


def three_bytes(columns):
    bytes_ = columns.astype("<u4").view(np.uint8).reshape(-1, 4)[:, :3]
    return np.append(bytes_.ravel(), np.uint8(0))


@pytest.mark.parametrize("bytes_", [2, 3, 4])
@pytest.mark.parametrize("most", [12, 255])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_order_of_sums_is_one(bytes_, most, dtype):
    random = np.random.default_rng(bytes_ + most)
    width = WIDTH if bytes_ > 2 else 60_000
    arrays, columns, counts = matrix(random, width, most)
    packed = arrays["columns"]
    arrays["columns"] = {2: packed.astype(np.uint16), 3: three_bytes(packed), 4: packed}[bytes_]
    x = _core.Counts(arrays, width)
    v = random.standard_normal(width, dtype)
    table = np.sqrt(np.arange(256.0))
    factors = table.astype(dtype)
    expected = [row_sum(v, *row, factors) for row in zip(columns, counts, strict=True)]
    found = x.dot(v, table, np.zeros(0), 1)
    if dtype is np.float32:
        assert np.array_equal(found, np.array(expected, dtype))
    else:  # doubles are added entry by entry where vectors hold few of them
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    assert x.dot(v, table, np.zeros(0), 3).tobytes() == found.tobytes()
    ids = random.permutation(len(columns)).astype(np.uint32)
    alone = x.dot_rows(ids, v, table, np.zeros(0), 1)
    assert alone.tobytes() == found[ids].tobytes()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_nothing_is_read_from_behind_the_last_row(dtype):
    arrays, *_ = matrix(np.random.default_rng(3), WIDTH, 9)
    x = _core.Counts(arrays, WIDTH)
    v = np.ones(WIDTH, dtype)
    found = x.dot(v, np.arange(256.0), np.zeros(0), 1)
    sums = np.diff(arrays["starts"].astype(np.int64)) - np.diff(arrays["more"].astype(np.int64))
    for row in range(len(sums)):
        own = slice(arrays["more"][row], arrays["more"][row + 1])
        sums[row] += arrays["counts"][own].sum(dtype=np.int64)
    assert np.array_equal(found, sums)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_zero_has_one_sign(dtype):
    arrays, *_ = matrix(np.random.default_rng(4), WIDTH, 9)
    found = _core.Counts(arrays, WIDTH).dot(
        np.full(WIDTH, -0.0, dtype), np.arange(256.0), np.zeros(0), 1
    )
    assert not np.signbit(found).any()
