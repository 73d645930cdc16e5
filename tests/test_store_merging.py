from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.store_documents import add_texts, all_bytes, check_whole, counts_in, texts_in
from likewise.errors import UsageError
from likewise.store import Snapshot, create, delete, merge
from likewise.store.strings import StringTable, flatten, joined_tables, table_arrays


@pytest.fixture
def index(tmp_path):
    create(tmp_path / "index", {})
    return tmp_path / "index"


@pytest.fixture
def several(index):
    """Three segments: the second without deletions, the third with one replaced in itself."""
    add_texts(index, {"a": "x y", "b": "y z z", "c": ""})
    add_texts(index, {"d": "w " * 300 + "x"})
    add_texts(index, {"e": "v"}, {"a": "new x", "e": "v v"}, on_duplicate="replace")
    return index


def test_merging_changes_nothing_that_a_reader_sees(several):
    before = Snapshot.open(several)
    names, texts, counts = (
        before.term_names(range(before.terms)),
        texts_in(several),
        counts_in(several),
    )
    manifest = merge(several)
    after = Snapshot.open(several)
    assert after.generation == manifest.generation == before.generation + 1
    assert len(after.segments) == 1
    assert after.segments[0].live is None
    assert after.term_names(range(after.terms)) == names
    assert texts_in(several) == texts
    assert counts_in(several) == counts
    assert after.numbers(list(texts)).tolist() == list(range(len(texts)))
    check_whole(several)


def test_numbers_that_do_not_exist(several):
    snapshot = Snapshot.open(several)
    assert snapshot.ids([]) == snapshot.term_names([]) == []
    for number in (-1, len(snapshot)):
        with pytest.raises(IndexError, match=f"no document {number}: there are 5"):
            snapshot.ids([0, number])
        with pytest.raises(IndexError, match=f"no document {number}: there are 5"):
            snapshot.record(number)
    for number in (-1, snapshot.terms):
        with pytest.raises(IndexError, match=f"no term {number}: there are"):
            snapshot.term_names([number])


def test_an_open_snapshot_survives_the_merge(several):
    before = Snapshot.open(several)
    texts = texts_in(several)
    merge(several)
    delete(several, ["d"])
    assert before.ids(range(len(before))) == list(texts)
    before.verify()


def test_a_merged_index_is_left_alone(several):
    merge(several)
    before = all_bytes(several)
    merge(several)
    assert all_bytes(several) == before


def test_merging_nothing(index):
    before = all_bytes(index)
    merge(index)
    assert all_bytes(index) == before


def test_merging_when_all_is_deleted(several):
    delete(several, list(texts_in(several)))
    merge(several)
    snapshot = Snapshot.open(several)
    assert (len(snapshot), snapshot.segments, snapshot.terms) == (0, [], 0)
    add_texts(several, {"n": "again"})
    assert counts_in(several) == {"n": {"again": 1}}
    check_whole(several)


def test_no_segment_grows_beyond_its_limit(several):
    texts, counts = texts_in(several), counts_in(several)
    merge(several, max_entries=6)
    snapshot = Snapshot.open(several)
    assert [len(segment.rows["columns"]) for segment in snapshot.segments] == [4, 3]
    assert texts_in(several) == texts
    assert counts_in(several) == counts
    assert snapshot.term_numbers(["x", "w", "v"]).tolist() == [0, 3, 4]
    check_whole(several)


def test_adding_after_a_merge(several):
    merge(several)
    add_texts(several, {"f": "q x"})
    snapshot = Snapshot.open(several)
    assert snapshot.term_names([snapshot.terms - 1]) == ["q"]
    assert counts_in(several)["f"] == {"q": 1, "x": 1}
    check_whole(several)


def test_file_names_are_never_used_again(several):
    names = set(all_bytes(several))
    merge(several)
    delete(several, ["a"])
    delete(several, ["b", "c", "d", "e"])
    merge(several)
    add_texts(several, {"n": "again"})
    assert set(all_bytes(several)) & names == {"manifest.json", "manifest.copy.json"}


class TestDelete:
    def test_only_marks(self, several):
        assert delete(several, ["b", "e", "b"]) == 2
        assert list(texts_in(several)) == ["c", "d", "a"]
        snapshot = Snapshot.open(several)
        assert snapshot.numbers(["a", "b", "c", "d", "e"]).tolist() == [2, -1, 0, 1, -1]
        assert snapshot.ids([2, 0]) == ["a", "c"]
        check_whole(several)

    def test_a_missing_id_is_an_error_and_nothing_is_deleted(self, several):
        before = all_bytes(several)
        with pytest.raises(UsageError, match="no document 'nope' and 1 other ids in"):
            delete(several, ["a", "nope", "no"])
        assert all_bytes(several) == before

    def test_an_id_is_text(self, several):
        with pytest.raises(UsageError, match="7 is no id"):
            delete(several, ["a", 7])

    def test_a_deleted_id_is_missing(self, several):
        delete(several, ["a"])
        with pytest.raises(UsageError, match="no document 'a' in"):
            delete(several, ["a"])

    def test_missing_ids_may_be_ignored(self, several):
        assert delete(several, ["a", "nope"], ignore_missing=True) == 1
        before = all_bytes(several)
        assert delete(several, ["nope"], ignore_missing=True) == 0
        assert delete(several, []) == 0
        assert all_bytes(several) == before


strings = st.lists(st.text(max_size=5), max_size=8)


@given(st.lists(st.tuples(strings, st.none() | st.sets(st.integers(0, 7))), max_size=4))
def test_tables_of_strings_one_after_another(parts):
    tables, wanted = [], []
    for values, chosen in parts:
        table = StringTable(table_arrays(flatten(values)).__getitem__)
        rows = None if chosen is None else sorted(i for i in chosen if i < len(values))
        tables.append((table, rows))
        wanted += values if rows is None else [values[i] for i in rows]
    found = joined_tables(tables)
    expected = table_arrays(flatten(wanted))
    for name, values in expected.items():
        assert found[name].dtype == values.dtype
        assert found[name].tolist() == values.tolist()
