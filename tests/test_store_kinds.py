"""Vectors in place of text: counts, real values, dense."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.store_documents import (
    PLAIN,
    add_texts,
    all_bytes,
    check_whole,
    counts_in,
    dense_batch,
    entries,
    sparse_batch,
)
from likewise.errors import InputError, UsageError
from likewise.store import Snapshot, add, create, delete, merge
from likewise.store.arrays import counts_from_values
from likewise.text import Analyzer

COUNTS = {"a": {7: 1, 3: 2}, "b": {}, "c": {3: 300, 99: 1}}
VALUES = {"a": {7: 0.5, 3: -2}, "b": {}, "c": {3: 1, 99: 1.25}}
SOME_COUNTS = [0, 1, 2, 3, 254, 255, 256, 70_000]
DENSE = {"a": [1, 2, 3], "b": [4, 5, 6]}


@pytest.fixture
def index(tmp_path):
    create(tmp_path / "index", {})
    return tmp_path / "index"


def add_vectors(index, *batches, **options):
    return add(index, batches, Analyzer(PLAIN), **options)


def values_in(index):
    """{id: {feature: value}}, out of the rows; the transpose must say the same."""
    snapshot = Snapshot.open(index)
    names = [int(name) for name in snapshot.term_names(range(snapshot.terms))]
    found = {}
    for segment in snapshot.segments:
        dense = as_dense(segment.value_rows, segment.width)
        assert np.array_equal(dense, as_dense(segment.value_inverted, segment.documents).T)
        live = range(segment.documents) if segment.live is None else segment.live
        ids = segment.ids.all()
        for number in live:
            row = {names[j]: dense[number, j] for j in np.flatnonzero(dense[number])}
            found[ids[number]] = row
    return found


def as_dense(arrays, width):
    starts, columns, values = arrays["starts"], arrays["columns"], arrays["values"]
    dense = np.zeros((len(starts) - 1, width), np.float32)
    dense[np.repeat(np.arange(len(starts) - 1), np.diff(starts)), columns] = values
    return dense


def dense_in(index):
    snapshot = Snapshot.open(index)
    found = {}
    for segment in snapshot.segments:
        live = range(segment.documents) if segment.live is None else segment.live
        ids = segment.ids.all()
        found |= {ids[i]: segment.dense[i].tolist() for i in live}
    return found


class TestCounts:
    def test_features_are_terms(self, index):
        add_vectors(index, sparse_batch(COUNTS))
        add_vectors(index, sparse_batch({"d": {1: 4, 7: 2}}))
        assert Snapshot.open(index).manifest.kind == "counts"
        assert counts_in(index) == {
            "a": {"7": 1, "3": 2},
            "b": {},
            "c": {"3": 300, "99": 1},
            "d": {"1": 4, "7": 2},
        }
        check_whole(index)

    def test_terms_are_numbered_by_first_appearance(self, index):
        add_vectors(index, sparse_batch(COUNTS))
        assert Snapshot.open(index).term_names(range(3)) == ["7", "3", "99"]

    def test_zeros_are_nothing(self, index):
        add_vectors(index, sparse_batch({"a": {1: 0, 2: 1}}))
        assert counts_in(index) == {"a": {"2": 1}}

    def test_a_fraction_is_refused_with_its_place(self, index):
        add_vectors(index, sparse_batch(COUNTS))
        before = all_bytes(index)
        batch = sparse_batch({"d": {1: 1}, "e": {2: 3, 4: 0.25}}, first_line=8)
        with pytest.raises(InputError, match=r"data\.svm, line 9: 0\.25 is no count.*'values'"):
            add_vectors(index, batch)
        assert all_bytes(index) == before

    @given(
        st.lists(
            st.dictionaries(
                st.integers(0, 9), st.sampled_from([0, 1, 2, 3, 254, 255, 256, 70_000])
            ),
            max_size=6,
        )
    )
    def test_the_layout_for_counts(self, rows):
        batch = sparse_batch({str(i): row for i, row in enumerate(rows)})
        arrays = counts_from_values(batch.starts, batch.columns, batch.values)
        wanted = [(i, j, row[j]) for i, row in enumerate(rows) for j in sorted(row) if row[j]]
        assert entries(arrays, 10) == wanted


class TestValues:
    def test_values_come_back(self, index):
        add_vectors(index, sparse_batch(VALUES))
        add_vectors(index, sparse_batch({"d": {1: 4, 7: 2}}))
        assert Snapshot.open(index).manifest.kind == "values"
        assert values_in(index) == {**VALUES, "d": {1: 4, 7: 2}}
        Snapshot.open(index).verify()

    def test_whole_numbers_may_be_values_when_asked_for(self, tmp_path):
        create(tmp_path / "index", {}, kind="values")
        add_vectors(tmp_path / "index", sparse_batch(COUNTS), sparse_batch({"d": {1: 0.5}}))
        assert values_in(tmp_path / "index") == {**COUNTS, "d": {1: 0.5}}

    @pytest.mark.parametrize("memory", [1, 1 << 28])
    def test_delete_replace_and_merge(self, index, memory):
        add_vectors(index, sparse_batch(VALUES))
        added = add_vectors(
            index,
            sparse_batch({"d": {1: 4}, "a": {8: 8}}),
            sparse_batch({"b": {2: 1.5}}),
            on_duplicate="replace",
            memory=memory,
        )
        assert added.replaced == 2
        delete(index, ["d"])
        wanted = {"c": VALUES["c"], "a": {8: 8}, "b": {2: 1.5}}
        assert values_in(index) == wanted
        merge(index)
        assert values_in(index) == wanted
        assert len(Snapshot.open(index).segments) == 1
        Snapshot.open(index).verify()

    def test_skipped_rows_are_left_out(self, index):
        add_vectors(index, sparse_batch({"b": {1: 0.5}}))
        add_vectors(index, sparse_batch(VALUES), on_duplicate="skip")
        assert values_in(index) == {**VALUES, "b": {1: 0.5}}


class TestDense:
    def test_vectors_come_back(self, index):
        add_vectors(index, dense_batch(DENSE))
        add_vectors(index, dense_batch({"c": [7, 8, 9]}))
        snapshot = Snapshot.open(index)
        assert snapshot.manifest.kind == "dense"
        assert dense_in(index) == {**DENSE, "c": [7, 8, 9]}
        assert snapshot.terms == 3
        assert snapshot.term_names([2, 0]) == ["2", "0"]
        snapshot.verify()

    def test_another_length_is_refused(self, index):
        add_vectors(index, dense_batch(DENSE))
        with pytest.raises(InputError, match=r"vectors\.npy, line 1: the vector has 2 numbers.* 3"):
            add_vectors(index, dense_batch({"c": [1, 2]}))

    def test_delete_replace_and_merge(self, index):
        add_vectors(index, dense_batch(DENSE))
        add_vectors(index, dense_batch({"c": [0, 0, 1], "a": [9, 9, 9]}), on_duplicate="replace")
        add_vectors(index, dense_batch({"x": [0, 0, 1], "b": [3, 3, 3]}), on_duplicate="skip")
        delete(index, ["c"])
        wanted = {"b": [4, 5, 6], "a": [9, 9, 9], "x": [0, 0, 1]}
        assert dense_in(index) == wanted
        merge(index)
        assert dense_in(index) == wanted
        Snapshot.open(index).verify()


def test_one_kind_an_index(index):
    add_texts(index, {"a": "some text"})
    before = all_bytes(index)
    with pytest.raises(UsageError, match=r"data\.svm, line 1 is vectors of counts, but .* text"):
        add_vectors(index, sparse_batch(COUNTS))  # the kind comes before the id
    with pytest.raises(UsageError, match=r"vectors\.npy, line 1 is dense vectors, but .* text"):
        add_vectors(index, dense_batch({"z": [1]}))
    assert all_bytes(index) == before


def test_one_kind_a_run(index):
    before = all_bytes(index)
    with pytest.raises(UsageError, match="make another index"):
        add_vectors(index, sparse_batch(COUNTS), dense_batch({"z": [1]}), memory=1)
    assert all_bytes(index) == before
    assert Snapshot.open(index).manifest.kind is None
