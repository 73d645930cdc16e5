"""Blocks of documents: what is not listed stands for the same as a list of it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.strict import ARRAYS as STRICT
from likewise.engines.arrays import NUMPY
from likewise.search.rounds import best
from likewise.solvers.blocks import Blocks, Few, Rest, spread

rests = st.integers(1, 40).flatmap(
    lambda n: st.builds(
        lambda left: Rest(n, np.array(left, np.int64)), st.lists(st.integers(0, n + 3), max_size=n)
    )
)


def listed(rest: Rest) -> np.ndarray:
    return np.array([i for i in range(rest.documents) if i not in rest.without], np.int64)


@settings(deadline=None)
@given(rest=rests, data=st.data())
def test_the_rest_is_a_list_of_all_others(rest, data):
    expected = listed(rest)
    assert len(rest) == len(expected)
    assert np.asarray(rest).tolist() == expected.tolist()
    for arrays in (NUMPY, STRICT):
        assert arrays.host(rest.places(arrays)).tolist() == expected.tolist()
    assert rest.at(np.arange(len(rest))).tolist() == expected.tolist()
    count = data.draw(st.integers(0, len(rest)))
    drawn = rest.drawn(count, seed=1)
    assert len(set(drawn.tolist())) == count
    assert drawn.tolist() == sorted(set(drawn.tolist()) & set(expected.tolist()))
    assert drawn.tolist() == rest.drawn(count, seed=1).tolist()


@settings(deadline=None)
@given(rest=rests, data=st.data())
def test_a_vector_is_the_same_by_the_rest_and_by_its_list(rest, data):
    size = rest.documents + data.draw(st.integers(0, 2))  # documents from outside come last
    few = rest.without[: data.draw(st.integers(0, len(rest.without)))]
    for arrays in (NUMPY, STRICT):
        by_rest, by_list = (
            arrays.host(spread(arrays, Blocks(few, ids), size, (few, 2.0), (ids, 3.0)))
            for ids in (rest, listed(rest))
        )
        assert by_rest.tolist() == by_list.tolist()


@settings(deadline=None)
@given(rest=rests, data=st.data())
def test_the_best_are_the_same_by_the_rest_and_by_its_list(rest, data):
    values = st.lists(st.integers(0, 3), min_size=rest.documents, max_size=rest.documents)
    scores = np.array(data.draw(values), np.float32)
    count = data.draw(st.integers(0, rest.documents))
    found = best(NUMPY, scores, rest, count)
    assert found.tolist() == best(NUMPY, scores, listed(rest), count).tolist()


def test_weights_of_a_few_are_one_for_others():
    weights = Few.of((np.array([7, 2]), np.array([0.5, 3.0])), (np.array([4]), np.array([2.0])))
    assert weights[np.array([0, 2, 4, 7, 9])].tolist() == [1.0, 3.0, 2.0, 0.5, 1.0]
    assert Blocks(np.array([2]), weights=weights).total(np.array([2, 4])) == pytest.approx(5.0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("count", [1, 30, 255, 256, 700, 4_999, 5_000])
@pytest.mark.parametrize("levels", [40, 10**6], ids=["many ties", "few ties"])
def test_the_best_of_many_whatever_their_number(dtype, count, levels):
    scores = np.random.default_rng(count).integers(0, levels, 5_000).astype(dtype)
    others = Rest(5_000, np.arange(0, 5_000, 17))
    left = np.setdiff1d(np.arange(5_000), others.without)
    for among, numbers in ((np.arange(5_000), np.arange(5_000)), (others, left)):
        order = np.lexsort((numbers, -scores[numbers]))
        found = best(NUMPY, scores, among, count)
        assert found.tolist() == np.sort(numbers[order[:count]]).tolist()


def test_who_is_among_the_rest():
    rest = Rest(10, np.array([2, 5, 9, 40]))
    ids = np.array([0, 2, 3, 5, 9, 10, 40])
    assert rest.has(ids).tolist() == [True, False, True, False, False, False, False]
    assert Rest(3, np.zeros(0, np.int64)).has(np.arange(5)).tolist() == [True] * 3 + [False] * 2
