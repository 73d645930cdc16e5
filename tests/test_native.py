"""The core at its edges: what is too long or does not fit is refused or left out, never read.

`make check-native` runs this with every access to memory checked.
"""

from __future__ import annotations

import numpy as np
import pytest

import reference_products as reference
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
    "weighted_sum, short": lambda x: x.weighted_sum(np.ones(1), TABLE, NONE),
    "sum_rows, no such row": lambda x: x.sum_rows(ids(2), np.ones(1), TABLE, NONE),
    "sum_rows, short": lambda x: x.sum_rows(ids(0, 1), np.ones(1), TABLE, NONE),
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


def test_more_than_there_is_may_be_asked_for():
    assert _core.best(np.array([1.0, 3.0, 2.0]), None, 10, 0.0).tolist() == [0, 1, 2]
    assert _core.best(np.zeros(0), None, 10, 0.0).tolist() == []
