"""Products of several matrices in one pass of the core."""

import gc

import numpy as np
import pytest

from helpers.corpora import corpus, local_two_bytes, stored_packed
from likewise import _core

ROWS, WIDTH, ENTRIES = 2_000, 900, 60_000
TABLE = np.sqrt(np.arange(256.0))
NONE = np.zeros(0)


def counts(seed, rows=ROWS, width=WIDTH):
    """A matrix of counts, and the same as float64."""
    draw = np.random.default_rng(seed)
    dense = np.zeros((rows, width))
    dense[draw.integers(0, rows, ENTRIES), draw.integers(0, width, ENTRIES)] = draw.integers(
        1, 9, ENTRIES
    )
    once = [np.flatnonzero(row == 1) for row in dense]
    often = [np.flatnonzero(row > 1) for row in dense]
    columns = [np.concatenate(both) for both in zip(once, often, strict=True)]
    arrays = {
        "starts": np.cumsum([0, *map(len, columns)]).astype(np.uint32),
        "more": np.cumsum([0, *map(len, often)]).astype(np.uint32),
        "columns": np.concatenate(columns).astype(np.uint16),
        "counts": dense[
            np.repeat(np.arange(rows), [*map(len, often)]), np.concatenate(often)
        ].astype(np.uint8),
        "large_at": np.zeros(0, np.uint32),
        "large": np.zeros(0, np.uint32),
    }
    return _core.Counts(arrays, width), np.sqrt(dense)


MATRICES = [counts(seed) for seed in range(3)]


def vectors(dtype, *sizes):
    draw = np.random.default_rng(7)
    return [draw.standard_normal(size).astype(dtype) for size in sizes]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scores_of_several_matrices(dtype):
    (x,), factors = vectors(dtype, WIDTH), np.random.default_rng(1).random(ROWS)
    found = {}
    for threads in (1, 2, 5):
        todo = _core.Pass(threads)
        y = [np.full(ROWS, np.nan, dtype) for _ in MATRICES]
        for (matrix, _), own in zip(MATRICES, y, strict=True):
            todo.scores(matrix, x.copy(), TABLE, NONE, factors.copy(), own)
        gc.collect()  # the pass keeps what it reads
        todo.run()
        found[threads] = np.concatenate(y)
    expected = np.concatenate([dense @ x * factors for _, dense in MATRICES])
    np.testing.assert_allclose(found[1], expected, rtol=1e-4, atol=1e-4)
    assert found[1].tobytes() == found[2].tobytes() == found[5].tobytes()


@pytest.mark.parametrize("share", [0.0, 0.01, 1.0])
def test_sums_of_the_rows_of_several_matrices(share):
    """Into the same sums and into others; rows without a weight are left out."""
    draw = np.random.default_rng(3)
    weights = [draw.standard_normal(ROWS) * (draw.random(ROWS) < share) for _ in MATRICES]
    scales = draw.random(ROWS)
    found = {}
    for threads in (1, 2, 5):
        todo, sums = _core.Pass(threads), np.full((2, WIDTH), 0.5)
        for place, (matrix, _), a in zip((0, 0, 1), MATRICES, weights, strict=True):
            todo.add_sums(matrix, a.copy(), scales.copy(), TABLE, NONE, sums[place])
        gc.collect()
        todo.run()
        found[threads] = sums
    each = [(a * scales) @ dense for (_, dense), a in zip(MATRICES, weights, strict=True)]
    np.testing.assert_allclose(found[1], 0.5 + np.array([each[0] + each[1], each[2]]))
    assert found[1].tobytes() == found[2].tobytes() == found[5].tobytes()


def test_matrices_of_several_widths_have_sums_that_begin_alike():
    narrow, dense = counts(9, width=WIDTH // 2)
    wide, more = MATRICES[0]
    sums, todo, ones = np.zeros(WIDTH), _core.Pass(2), np.ones(ROWS)
    todo.add_sums(narrow, ones, ones, TABLE, NONE, sums[: WIDTH // 2])
    todo.add_sums(wide, ones, ones, TABLE, NONE, sums)
    todo.add_sums(narrow, ones, ones, TABLE, NONE, sums[: WIDTH // 2])
    todo.run()
    expected = more.sum(axis=0)
    expected[: WIDTH // 2] += 2 * dense.sum(axis=0)
    np.testing.assert_allclose(sums, expected)


def test_sums_that_do_not_fit_are_refused():
    matrix, todo, ones = MATRICES[0][0], _core.Pass(1), np.ones(ROWS)
    with pytest.raises(ValueError, match="one weight and one scale a row"):
        todo.add_sums(matrix, ones[1:], ones, TABLE, NONE, np.zeros(WIDTH))
    with pytest.raises(ValueError, match="one sum a column"):
        todo.add_sums(matrix, ones, ones, TABLE, NONE, np.zeros(WIDTH + 1))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_are_added_in_the_order_they_came_in(dtype):
    (x,), scales = vectors(dtype, WIDTH), np.random.default_rng(1).random(WIDTH)
    places = np.sort(np.random.default_rng(2).choice(4 * ROWS, ROWS, replace=False)).astype(
        np.uint32
    )
    where = [None, places, None]
    alone = []
    for (matrix, _), at in zip(MATRICES, where, strict=True):
        sums, todo = np.zeros(4 * ROWS), _core.Pass(1)
        todo.add_products(matrix, x, scales, TABLE, NONE, at, sums)
        todo.run()
        alone.append(sums)
    expected = 1.5 + alone[0] + alone[1] + alone[2]
    np.testing.assert_allclose(
        alone[1][places], MATRICES[1][1] @ (x * scales), rtol=1e-4, atol=1e-4
    )
    assert not alone[1][np.setdiff1d(np.arange(4 * ROWS), places)].any()
    for threads in (1, 2, 5):
        sums, todo = np.full(4 * ROWS, 1.5), _core.Pass(threads)
        for (matrix, _), at in zip(MATRICES, where, strict=True):
            todo.add_products(matrix, x, scales, TABLE, NONE, at, sums)
        todo.run()
        assert sums.tobytes() == expected.tobytes()
        todo.run()  # nothing is left to do
        assert sums.tobytes() == expected.tobytes()


def test_a_matrix_without_entries():
    none = np.zeros(0, np.uint32)
    starts = np.zeros(4, np.uint32)
    arrays = {"starts": starts, "more": starts, "columns": none, "counts": np.zeros(0, np.uint8)}
    empty = _core.Counts({**arrays, "large_at": none, "large": none}, 2)
    y, sums, todo = np.full(3, np.nan), np.zeros(3), _core.Pass(2)
    todo.scores(empty, np.ones(2), TABLE, NONE, np.ones(3), y)
    todo.add_products(empty, np.ones(2), np.ones(2), TABLE, NONE, None, sums)
    todo.run()
    assert y.tolist() == sums.tolist() == [0, 0, 0]


def test_rows_of_any_length():
    """Columns counted once and often, of numbers on either side of what kernels take at a time."""
    lengths = [(once, often) for once in (*range(36), *range(60, 100), 300) for often in range(52)]
    once, often = np.array(lengths).T
    draw = np.random.default_rng(5)
    both = np.column_stack([once, often]).ravel()
    numbers = draw.integers(2, 60, both.sum())  # of counts: some are beyond those in registers
    numbers[np.repeat(np.arange(len(both)) % 2 == 0, both)] = 1
    arrays = {
        "starts": np.cumsum([0, *(once + often)]).astype(np.uint32),
        "more": np.cumsum([0, *often]).astype(np.uint32),
        "columns": draw.integers(0, WIDTH, len(numbers)).astype(np.uint16),
        "counts": numbers[numbers > 1].astype(np.uint8),
        "large_at": np.zeros(0, np.uint32),
        "large": np.zeros(0, np.uint32),
    }
    x = draw.standard_normal(WIDTH).astype(np.float32)
    products = np.concatenate([TABLE[numbers] * x[arrays["columns"]], [0]])
    sums = np.add.reduceat(products, arrays["starts"][:-1]) * (once + often > 0)
    found = _core.Counts(arrays, WIDTH, trusted=True).dot(x, TABLE, NONE, 2)
    np.testing.assert_allclose(found, sums, rtol=1e-5, atol=1e-3)


def test_arrays_of_other_lengths_are_refused():
    matrix, todo, sums = MATRICES[0][0], _core.Pass(1), np.zeros(ROWS)
    x, ones = np.ones(WIDTH), np.ones(WIDTH)
    order = np.arange(ROWS, dtype=np.uint32)
    with pytest.raises(ValueError, match="not the matrix's width"):
        todo.scores(matrix, x[1:], TABLE, NONE, np.ones(ROWS), sums)
    with pytest.raises(ValueError, match="one score a row"):
        todo.scores(matrix, x, TABLE, NONE, np.ones(ROWS), sums[1:])
    with pytest.raises(ValueError, match="one scale a column"):
        todo.add_products(matrix, x, ones[1:], TABLE, NONE, None, sums)
    with pytest.raises(ValueError, match="one sum a row"):
        todo.add_products(matrix, x, ones, TABLE, NONE, None, sums[1:])
    with pytest.raises(ValueError, match="out of range"):
        todo.add_products(matrix, x, ones, TABLE, NONE, order, sums[1:])
    with pytest.raises(ValueError, match="ascend"):
        todo.add_products(matrix, x, ones, TABLE, NONE, order[::-1].copy(), sums)
    with pytest.raises(ValueError, match="one factor and one place"):
        _core.scale(x, ones[1:], ones.copy())
    todo.run()
    assert not sums.any()


def test_scale():
    x, factors = np.random.default_rng(0).random((2, 10_000))
    for dtype, out_dtype in [("f4", "f4"), ("f8", "f8"), ("f8", "f4")]:
        own, out = x.astype(dtype), np.empty(10_000, out_dtype)
        _core.scale(own, factors, out, 3)
        assert out.tobytes() == (own * factors).astype(out_dtype).tobytes()


@pytest.mark.parametrize("threads", [1, 3])
def test_zeros_are_cleared_before_anything_is_added(threads):
    matrix, x, scales = MATRICES[0][0], *np.random.default_rng(0).random((2, WIDTH))
    expected, todo = np.zeros(ROWS), _core.Pass(1)
    todo.add_products(matrix, x, scales, TABLE, NONE, None, expected)
    todo.run()
    for size in (10_000, 30_000, ROWS, 0, 10_000):  # also where memory was used before
        todo = _core.Pass(threads)
        sums = todo.zeros(size)
        if size:
            todo.add_products(matrix, x, scales, TABLE, NONE, None, sums[:ROWS])
        gc.collect()
        todo.run()
        assert sums[:ROWS].tobytes() == expected[:size].tobytes()
        assert not sums[ROWS:].any()
        todo.run()  # and not again
        assert sums[:ROWS].tobytes() == expected[:size].tobytes()
        sums += 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_are_scaled_in_their_place(dtype):
    draw = np.random.default_rng(4)
    block, factors = draw.random((3000, 7)).astype(dtype), draw.random(3000)
    expected = block * factors.astype(dtype)[:, None]
    assert _core.scale_rows(block, factors, 3).tobytes() == expected.tobytes()
    _core.scale_own_rows(block, factors, 3)
    assert block.tobytes() == expected.tobytes()
    with pytest.raises(ValueError, match="one factor a row"):
        _core.scale_own_rows(block, factors[1:])


def test_sums_of_segments_are_the_same_on_any_number_of_threads():
    """Also where some are summed by row, because few of their documents have a weight."""
    draw = np.random.default_rng(3)
    segments = [draw.integers(0, 3, (40, 60)) for _ in range(4)]
    weights = [draw.standard_normal(40) for _ in segments]
    weights[1][3:] = weights[2][5:] = 0
    expected = np.zeros(60)
    for each, a in zip(segments, weights, strict=True):
        expected += local_two_bytes(each, "raw").weighted_sum(a)
    found = []
    for threads in (1, 3):
        stored = [stored_packed(each, 1 << 16) for each in segments]
        whole = corpus("local", *stored, weighting="raw", threads=threads)
        found.append(whole.weighted_sum(np.concatenate(weights)))
    assert found[0].tobytes() == found[1].tobytes()
    np.testing.assert_allclose(found[0], expected, rtol=1e-12, atol=1e-14)
