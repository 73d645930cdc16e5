"""Inverted files of several segments as one: the same as transposing all rows at once."""

from __future__ import annotations

import random
import shutil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from helpers.store_documents import add_texts, check_whole, counts_in
from likewise import _core
from likewise.store import Snapshot, create, delete, merge
from likewise.store.arrays import (
    all_rows,
    concatenate_counts,
    counts_from_values,
    keep_columns,
    listed_rows,
    side_by_side,
    slice_rows,
)
from likewise.store.matrices import merged_postings

counts = st.sampled_from([0, 0, 0, 1, 1, 2, 254, 255, 70_000])


def matrices(rows, columns):
    return arrays(np.int64, st.tuples(rows, columns), elements=counts)


def as_counts(dense):
    rows, columns = np.nonzero(dense)
    starts = np.searchsorted(rows, np.arange(len(dense) + 1))
    return counts_from_values(starts, columns, dense[rows, columns])


def same(found, dense):
    expected = as_counts(dense)
    for name, values in expected.items():
        assert found[name].dtype == values.dtype
        assert found[name].tolist() == values.tolist(), name


@given(matrices(st.integers(0, 5), st.integers(1, 4)), st.integers(0, 6), st.integers(1, 6))
def test_some_rows(dense, first, size):
    beyond = np.zeros((max(0, first + size - len(dense)), dense.shape[1]), np.int64)
    wanted = np.concatenate([dense, beyond])[first : first + size]
    same(slice_rows(as_counts(dense), first, first + size), wanted)


@given(st.data(), matrices(st.integers(1, 5), st.integers(1, 4)))
def test_some_columns(data, dense):
    kept = data.draw(arrays(np.bool_, dense.shape[1]))
    same(keep_columns(as_counts(dense), kept), dense[:, kept])


@given(st.data(), st.integers(1, 4))
def test_matrices_side_by_side(data, rows):
    parts = data.draw(st.lists(matrices(st.just(rows), st.integers(1, 3)), min_size=1, max_size=4))
    firsts = np.cumsum([0, *(part.shape[1] for part in parts)])
    numbered = [
        {**(part := as_counts(dense)), "columns": part["columns"] + np.uint32(first)}
        for dense, first in zip(parts, firsts, strict=False)
    ]
    same(side_by_side(numbered), np.concatenate(parts, axis=1))


@given(matrices(st.integers(0, 6), st.integers(1, 4)), st.integers(0, 5))
def test_rows_that_are_listed(dense, beyond):
    """Empty ones are left out, and come back."""
    found = np.flatnonzero(dense.any(axis=1)).astype(np.uint32)
    listed = listed_rows(as_counts(dense), found)
    same(listed, dense[found])
    more = np.concatenate([dense, np.zeros((beyond, dense.shape[1]), np.int64)])
    same(all_rows(listed, found, len(more)), more)


def test_a_small_segment_lists_its_terms(index):
    """What one document brings does not grow with the dictionary."""
    segments = Snapshot.open(index).segments
    assert [None if s.listed is None else len(s.listed) for s in segments] == [None, None, 1, 9]
    for segment in segments[2:]:
        assert len(segment.inverted["starts"]) == len(segment.listed) + 1 < segment.width


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    """Segments that bring new terms each, some with deleted documents, one with nothing else."""
    directory = tmp_path_factory.mktemp("postings") / "index"
    create(directory, {})
    rng = random.Random(5)
    for letters in ("abcd", "abcdefghij", "q", "hijklmnop"):
        texts = {f"{letters}-{i}": " ".join(rng.choices(letters, k=8)) for i in range(20)}
        texts[f"{letters}-long"] = f"{letters[0]} " * 300 + letters[-1]
        add_texts(directory, texts)
    wanted = [id for id in counts_in(directory) if id.startswith("q-") or rng.random() < 0.2]
    delete(directory, wanted)
    return directory


@pytest.mark.parametrize("size", [1, 40, 1 << 20])
def test_merged_is_transposed(index, size):
    snapshot = Snapshot.open(index)
    rows = concatenate_counts(
        [
            _core.Counts(s.rows, s.width).select(
                np.arange(s.documents) if s.live is None else s.live
            )
            for s in snapshot.segments
        ]
    )
    expected = _core.Counts(rows, snapshot.terms).transpose()
    pieces = list(merged_postings(snapshot.segments, snapshot.terms, size))
    assert (len(pieces) == 1) == (size == 1 << 20)
    found = concatenate_counts(pieces)
    assert {name: values.tolist() for name, values in found.items()} == {
        name: values.tolist() for name, values in expected.items()
    }


def test_the_index_is_merged_that_way(index, tmp_path):
    copy = shutil.copytree(index, tmp_path / "copy")
    merge(copy)
    assert counts_in(copy) == counts_in(index)
    check_whole(copy)
