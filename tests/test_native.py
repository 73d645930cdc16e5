"""The core at its edges: what is too long or does not fit is refused or left out, never read.

`make check-native` runs this with every access to memory checked.
"""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import product

import numpy as np
import pytest

from helpers import reference_products as reference
from likewise import _core
from likewise.text.unicode import unicode_classes

TABLE, NONE = np.arange(256.0), np.zeros(0)
LONGEST = 255


def ids(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.uint32)


def counts() -> _core.Counts:
    matrix = np.array([[1, 0, 2], [0, 1, 0]])
    return _core.Counts(reference.count_arrays(matrix), matrix.shape[1])


@pytest.mark.parametrize("letter", ["a", "é", "क", "𝒳"])
@pytest.mark.parametrize("max_bytes", [1, 63, 64, LONGEST])
def test_a_word_of_any_length(letter, max_bytes):
    size = len(letter.encode())
    for length in (1, max_bytes // size, max_bytes // size + 1, LONGEST, LONGEST + 1, 5000):
        if not length:
            continue
        found = _core.forms(f"{letter * length} b", unicode_classes, max_bytes)
        assert found == ([letter * length] if length * size <= max_bytes else []) + ["b"]


@pytest.mark.parametrize("max_bytes", [0, LONGEST + 1])
def test_no_form_is_longer_than_the_buffer(max_bytes):
    with pytest.raises(ValueError, match=r"\w"):
        _core.forms("a", unicode_classes, max_bytes)


def test_a_run_of_cjk_of_any_length():
    assert _core.forms("学" * 1000, unicode_classes, 1) == ["学学"] * 999


MISFITS = {
    "dot, short": lambda x: x.dot(np.ones(2), TABLE, NONE),
    "dot, short block": lambda x: x.dot(np.ones((2, 3)), TABLE, NONE),
    "dot, short table": lambda x: x.dot(np.ones(3), TABLE[:255], NONE),
    "dot, a large value too many": lambda x: x.dot(np.ones(3), TABLE, np.ones(1)),
    "dot_rows, no such row": lambda x: x.dot_rows(ids(2), np.ones(3), TABLE, NONE),
    "dot_rows, short": lambda x: x.dot_rows(ids(0), np.ones(2), TABLE, NONE),
    "squares, short": lambda x: x.squares(np.ones(2), TABLE, NONE),
    "weighted_sum, short": lambda x: x.weighted_sum(np.ones(1), TABLE, NONE),
    "exact, no such row": lambda x: x.exact(ids(2), None, np.ones(3), TABLE, NONE),
    "exact, short": lambda x: x.exact(ids(0), None, np.ones(2), TABLE, NONE),
    "exact, short weights": lambda x: x.exact(ids(0), ids(0, 1), np.ones(1), TABLE, NONE),
    "entries, no such row": lambda x: x.entries(ids(2)),
    "select, no such row": lambda x: x.select(ids(2)),
    "candidates, short factors": lambda x: x.candidates(
        ids(0), np.ones(1), np.ones(2, np.float32), None, 1, 0.0, TABLE, NONE, False
    ),
    "candidates, short keep": lambda x: x.candidates(
        ids(0), np.ones(1), np.ones(3, np.float32), np.ones(2, bool), 1, 0.0, TABLE, NONE, False
    ),
    "best, short keep": lambda x: _core.best(np.ones(3), np.ones(2, bool), 1, 0.0),
}


@pytest.mark.parametrize("call", MISFITS.values(), ids=MISFITS)
def test_what_does_not_fit_is_refused(call):
    with pytest.raises((ValueError, IndexError), match=r"\w"):
        call(counts())


def test_a_query_may_hold_terms_that_a_segment_does_not_know():
    x = counts()
    assert x.exact(ids(0, 1), ids(0, 99), np.ones(2), TABLE, NONE).tolist() == [1, 0]
    found = x.candidates(
        ids(0, 99), np.ones(2), np.ones(3, np.float32), None, 1, 0.0, TABLE, NONE, True
    )
    assert found.tolist() == [2]


@pytest.mark.parametrize("terms", [1, 3, 40], ids=["few postings", "some", "many"])
def test_scores_by_postings_are_those_by_rows(terms):
    """Also where there are so many postings that it is not noted which documents have one."""
    rng = np.random.default_rng(terms)
    matrix = rng.poisson(0.3, (700, 40)) * rng.integers(1, 400, (700, 40))
    rows = _core.Counts(reference.count_arrays(matrix), 40)
    inverted = _core.Counts(rows.transpose(), 700)
    asked = np.sort(rng.choice(40, terms, replace=False)).astype(np.uint32)
    weights, factors = rng.normal(size=terms), rng.random(700, np.float32)
    large = np.asarray(rows.transpose()["large"], np.float64)
    for _ in range(2):  # sums are clean again
        out = np.ones(700, np.float32)
        inverted.add_scores(asked, weights, factors, TABLE, large, 0.5, out)
        expected = 1 + 0.5 * factors * (matrix[:, asked] @ weights)
        np.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("terms", [1, 3], ids=["few postings", "many"])
def test_a_posting_of_no_document_is_refused(terms):
    matrix = np.ones((10, 3), int) if terms > 1 else np.eye(10, 3, dtype=int)
    arrays = _core.Counts(reference.count_arrays(matrix), 3).transpose()
    damaged = dict(arrays, columns=arrays["columns"].copy())
    damaged["columns"][0] = 10
    inverted = _core.Counts(damaged, 10, trusted=True)
    asked = np.arange(terms, dtype=np.uint32), np.ones(terms), np.ones(10, np.float32)
    out = np.zeros(10, np.float32)
    with pytest.raises(IndexError, match="names no document"):
        inverted.add_scores(*asked, TABLE, NONE, 1.0, out)
    assert not out.any()
    _core.Counts(arrays, 10).add_scores(*asked, TABLE, NONE, 1.0, out)
    assert out.tolist() == matrix[:, :terms].sum(1).tolist(), "nothing is left of the other one"


def test_more_than_there_is_may_be_asked_for():
    assert _core.best(np.array([1.0, 3.0, 2.0]), None, 10, 0.0).tolist() == [0, 1, 2]
    assert _core.best(np.zeros(0), None, 10, 0.0).tolist() == []


@pytest.mark.parametrize("slack", [0.0, 0.05])
@pytest.mark.parametrize("k", [10, 300, 2000])
def test_the_best_of_many_are_those_near_the_last_of_them(k, slack):
    rng = np.random.default_rng(k)
    scores = rng.integers(0, 400, 5000) / 100
    scores[rng.integers(0, 5000, 50)] = np.nan
    for keep in (None, rng.random(5000) < 0.8):
        kept = ~np.isnan(scores) if keep is None else keep & ~np.isnan(scores)
        least = np.sort(scores[kept])[-k] - 2 * slack
        expected = np.flatnonzero(kept & (scores >= least))
        assert _core.best(scores, keep, k, slack).tolist() == expected.tolist()


OTHERS = {
    "wider": lambda array: array.astype(np.int64),
    "signed": lambda array: array.astype(np.int32),
    "strided": lambda array: np.repeat(array, 2)[::2],
    "swapped": lambda array: array.astype(array.dtype.newbyteorder()),
    "a list": lambda array: array.tolist(),
}


NAMES = ("starts", "more", "columns", "counts", "large_at", "large")


@pytest.mark.parametrize(
    ("name", "other"),
    [pair for pair in product(NAMES, OTHERS) if pair != ("counts", "swapped")],  # of one byte
)
def test_arrays_that_cannot_be_borrowed_are_refused(name, other):
    """A copy would be freed at once, and read ever after."""
    arrays = reference.count_arrays(np.array([[1, 300, 2], [0, 1, 400]]))
    arrays[name] = OTHERS[other](arrays[name])
    with pytest.raises(TypeError, match=f"{name} must be a contiguous array of uint"):
        _core.Counts(arrays, 3)
    with pytest.raises(TypeError, match=f"{name} must be a contiguous array of uint"):
        _core.Counter(unicode_classes).add_rows(arrays, ["a", "b", "c"])


def wider(array: np.ndarray) -> np.ndarray:
    return array.astype(np.int64 if array.dtype.kind == "u" else np.longdouble)


def test_other_matrices_and_rows_borrow_what_they_keep():
    starts, columns, values = ids(0, 1), ids(0), np.ones(1, np.float32)
    _core.Values(starts, columns, values, 1)
    for changed in range(3):
        given = [wider(x) if i == changed else x for i, x in enumerate((starts, columns, values))]
        with pytest.raises(TypeError, match="incompatible"):
            _core.Values(*given, 1)
    with pytest.raises(TypeError, match="incompatible"):
        _core.Rows(np.ones(1, np.float32), 1)
    rows = _core.Rows(np.ones(1), 1)
    with pytest.raises(TypeError, match="incompatible"):
        rows.add_array(np.ones((1, 1), int), ids(0), ids(0), np.ones(1))
    with pytest.raises(TypeError, match="incompatible"):
        rows.add_counts(_core.Values(starts, columns, values, 1), TABLE, NONE, ids(0), ids(0), NONE)


def test_row_numbers_are_not_cut_off():
    """As 32-bit numbers, 2³² would be row 0."""
    beyond = np.array([2**32])
    for call in (counts().entries, counts().select):
        with pytest.raises(TypeError, match="incompatible"):
            call(beyond)
    with pytest.raises(TypeError, match="incompatible"):
        counts().dot_rows(beyond, np.ones(3), TABLE, NONE)


def test_what_is_borrowed_stays_alive():
    """Also where nobody else knows it any more, and where the dict holds other arrays."""
    n = 50_000
    arrays = reference.count_arrays(np.ones((n, 1), int))
    matrix = _core.Counts(arrays, 1)
    values = _core.Values(np.arange(n + 1, dtype=np.uint32), arrays["columns"], np.ones(n, "f4"), 1)
    rows = _core.Rows(np.ones(1), 2 * n)
    places, scale = np.arange(n, dtype=np.uint32), np.ones(n)
    rows.add_counts(matrix, TABLE.copy(), NONE, places, places, scale)
    rows.add_values(values, places + np.uint32(n), places, scale)
    descent = _core.Descent(rows, *[np.ones(2 * n) for _ in range(4)], np.zeros(2 * n), np.zeros(1))
    arrays.clear()
    del values, rows
    junk = [np.full(size, 2**31 + 7, np.uint32) for size in (256, 512, n, 2 * n) for _ in range(20)]
    assert matrix.dot(np.ones(1), TABLE, NONE).tolist() == [1.0] * n
    assert descent.check() == (2.0 * n, 0.0, 2 * n)
    assert len(junk) == 80


def test_rows_that_were_refused_do_not_count_as_given():
    rows = _core.Rows(np.ones(3), 1)
    with pytest.raises(ValueError, match="out of range"):
        rows.add_counts(counts(), TABLE, NONE, ids(0, 9), ids(0, 1), np.ones(2))
    with pytest.raises(ValueError, match="not given"):
        _core.Pairs(rows)


def test_entries_of_rows_are_in_the_order_of_columns_by_any_number_of_threads():
    rng = np.random.default_rng(0)
    values = rng.random((200, 30)).astype(np.float32) * (rng.random((200, 30)) < 0.3)
    stored = values.nonzero()
    order = rng.permutation(len(stored[0]))  # any order of columns
    order = order[np.argsort(stored[0][order], kind="stable")]
    row, column = (each[order] for each in stored)
    starts = np.searchsorted(row, np.arange(201)).astype(np.uint32)
    sparse = _core.Values(starts, column.astype(np.uint32), values[row, column], 30)
    col, scale = np.append(rng.random(30), np.ones(30)), rng.random(200)
    rows, every = _core.Rows(col, 200, 2), np.arange(200, dtype=np.uint32)
    rows.add_values(sparse, every, every, scale)
    with pytest.raises(ValueError, match="not all rows"):
        rows.entries()
    rows.add_dense(values, every, every, scale, 1, 30)
    expected = np.hstack([values, values]).astype(np.float64) * col * scale[:, None]
    for threads in (1, 3):
        starts, columns, found = rows.entries(threads)
        assert np.diff(starts).tolist() == np.count_nonzero(expected, axis=1).tolist()
        assert columns.tolist() == np.nonzero(expected)[1].tolist()
        assert found.tolist() == expected[expected != 0].tolist()


def test_rows_of_no_finite_numbers_are_refused():
    for bad in (np.nan, np.inf):
        with pytest.raises(ValueError, match="a column's factor"):
            _core.Rows(np.array([bad]), 1)
        rows = _core.Rows(np.ones(3), 1)
        with pytest.raises(ValueError, match="a row's factor"):
            rows.add_counts(counts(), TABLE, NONE, ids(0), ids(0), np.array([bad]))
        with pytest.raises(ValueError, match="f of a count"):
            rows.add_counts(counts(), np.full(256, bad), NONE, ids(0), ids(0), np.ones(1))


class TestMapping:
    def test_it_outlives_the_descriptor_and_the_name(self, tmp_path):
        path = tmp_path / "file"
        path.write_bytes(b"likewise")
        with path.open("rb") as file:
            mapping, array = _core.map_file(file.fileno())
        path.unlink()
        _core.release_pages(mapping)
        del mapping
        assert array.tobytes() == b"likewise"
        assert not array.flags.writeable

    def test_a_file_of_no_bytes(self, tmp_path):
        (tmp_path / "empty").touch()
        with (tmp_path / "empty").open("rb") as file:
            mapping, array = _core.map_file(file.fileno())
        _core.release_pages(mapping)
        assert array.size == 0

    def test_what_cannot_be_mapped(self, tmp_path):
        folder = os.open(tmp_path, os.O_RDONLY)
        try:
            with pytest.raises(OSError, match="No such device"):
                _core.map_file(folder)
        finally:
            os.close(folder)
        with pytest.raises(OSError, match="Bad file descriptor"):
            _core.map_file(-1)

    def test_only_pages_of_a_map_are_released(self):
        with pytest.raises(TypeError):
            _core.release_pages(np.zeros(4096, np.uint8))


HELD = """
from threading import Event, Thread
from likewise import _core
Thread(target=lambda held: Event().wait(), args=(_core.HashSet(),), daemon=True).start()
"""


def test_nothing_is_said_of_what_is_held_when_python_ends():
    done = subprocess.run([sys.executable, "-c", HELD], capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"", b"")
