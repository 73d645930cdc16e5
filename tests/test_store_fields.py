"""Columns say just what the records say, whatever was added, replaced, deleted and merged."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from likewise import Document, Index, StoreError
from likewise.errors import UnknownFieldError
from likewise.filters import OPERATORS, ORDER, Condition, Filter, scalars
from likewise.store import fields
from likewise.store.fields import ColumnBuilder, matching, summarise

FIELDS = ["year", "tags", "source", 'a "b"\n', "\\", "\0", "é", "f0"]
scalar = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from([0.5, -2.0, 10**20, 1e300])
    | st.sampled_from(["", "a", "2019", "2019-05-20", "1", "true", 'q"', "é", "x" * 200])
)
value = scalar | st.lists(scalar, max_size=3) | st.just({"a": 1}) | st.just([["a"], {"b": 2}, "a"])
documents = st.dictionaries(st.sampled_from(FIELDS), value)
literals = st.sampled_from(["1", "0.5", "2019", "a", "true", "2019-05-20", "é", "x" * 200])


@st.composite
def filters(draw):
    def condition():
        operator = draw(st.sampled_from(OPERATORS))
        values = draw(st.lists(literals, min_size=1, max_size=1 if operator in ORDER else 2))
        return Condition(draw(st.sampled_from([*FIELDS, "id", "nobody"])), operator, tuple(values))

    return Filter(tuple(condition() for _ in range(draw(st.integers(1, 3)))))


def lines(records):
    return "".join(f"{json.dumps(record)}\n" for record in records).encode()


@given(st.lists(st.lists(documents, max_size=4), max_size=4), filters())
def test_columns_without_a_file(batches, filter):
    builder = ColumnBuilder()
    for batch in batches:
        builder.add(lines(batch))
    columns = builder.columns()
    flat = [record for batch in batches for record in batch]
    assert columns.documents == len(flat)
    for condition in filter.conditions:
        mask = columns.matching(condition)
        if mask is None:
            assert condition.field in columns.names.left_out or not columns.names.complete
        else:
            expected = [condition.matches(record.get(condition.field)) for record in flat]
            assert mask.tolist() == expected


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(
        st.dictionaries(st.sampled_from("abcdef"), documents, min_size=1), min_size=1, max_size=3
    ),
    st.sets(st.sampled_from("abcdef"), max_size=3),
    st.lists(filters(), min_size=1, max_size=3),
)
@example(  # text in one segment, a short value in another
    [{"a": {"year": "x" * 200}}, {"b": {"year": 1}}],
    set(),
    [Filter((Condition("year", "=", ("1",)),))],
)
def test_an_index_and_its_filters(tmp_path_factory, additions, deleted, asked):
    index = Index.create(tmp_path_factory.mktemp("columns") / "index", threads=1)
    model = {}
    for addition in additions:
        new = [{"id": id, "text": "word", **fields} for id, fields in addition.items()]
        index.add(new, on_duplicate="replace")
        model |= {record["id"]: record for record in new}
    index.delete(deleted & model.keys())
    model = {id: record for id, record in model.items() if id not in deleted}
    for _ in range(2):
        for filter in asked:
            expected = {id for id, record in model.items() if filter.matches(record)}
            try:
                found = index.search("word", k=10, filter=filter)
            except UnknownFieldError:
                assert any(not any(f in r for r in model.values()) for f in filter.fields)
                continue
            assert {hit.id for hit in found} == expected
            assert index.count(str(filter)) == len(expected)
        check_summary(index, model)
        index.merge()


def check_summary(index, model):
    for field in index.fields(most=100):
        counts = Counter(
            (type(item), item)
            for record in model.values()
            for item in {(type(i), i): i for i in scalars(record.get(field.name))}.values()
        )
        assert Counter({(type(v), v): n for v, n in field.values}) == counts
        has = [r for r in model.values() if list(scalars(r.get(field.name)))]
        assert field.documents == len(has)


@pytest.fixture
def index(tmp_path):
    index = Index.create(tmp_path / "index")
    index.add(Document(str(i), "a word", year=2000 + i, tags=["x", str(i % 2)]) for i in range(10))
    return index


def test_the_best_of_what_a_filter_leaves(index):
    hits = index.search("word", k=2, filter="year>=2003 tags=1")
    assert [hit.id for hit in hits] == ["3", "5"]
    assert [hit.rank for hit in index.search("word", k=2, filter="tags=1", skip=3)] == [4, 5]
    liked = index.like(["0"], method="centroid", k=9, filter="tags=0")
    assert [hit.id for hit in liked] == ["2", "4", "6", "8"]


def test_columns_are_on_disk_and_have_checksums(index):
    (segment,) = index._snapshot.segments
    assert segment.columns.names.stored == ("year", "tags")
    assert segment.columns.stored["year"].codes.dtype == np.uint8
    assert set(segment.columns.names.left_out) == {"id", "text"}
    content = segment.path.read_bytes()
    place = content.index(b"null2000")
    segment.path.write_bytes(content[: place + 4] + b"3" + content[place + 5 :])
    with pytest.raises(StoreError, match=r"section 'columns\.0\.text' does not have the checksum"):
        Index.open(index.path).search("word", filter="year>1")


def test_what_no_column_holds_is_read_from_records(tmp_path):
    index = Index.create(tmp_path / "index")
    index.add(
        [{"id": "a", "text": "word", "note": "n" * 500}, {"id": "b", "text": "word", "note": "n"}]
    )
    assert index._snapshot.segments[0].columns.names.stored == ()
    for filter, found in (("note=n", ["b"]), ("id=a", ["a"]), (f"note={'n' * 500}", ["a"])):
        assert [hit.id for hit in index.search("word", filter=filter)] == found


def test_very_many_fields(tmp_path, monkeypatch):
    monkeypatch.setattr(fields, "MOST_FIELDS", 4)
    index = Index.create(tmp_path / "index")
    index.add({"id": str(i), "text": "word", f"f{i}": 1, "n" * 300: 1} for i in range(6))
    (segment,) = index._snapshot.segments
    assert segment.columns.names.stored == ("f0", "f1")
    assert not segment.columns.names.complete
    for i in range(6):
        assert [hit.id for hit in index.search("word", filter=f"f{i}=1")] == [str(i)]


@pytest.mark.parametrize(
    "fields",
    [
        '"n": 1e999, "year": 1',
        '"s": "\\ud800", "year": 1',
        '"year": 2, "year": 1',
        '"year" : 1 , "list": [ 1, 2 ] ',
        '"year": [1, [2], null, {}]',
    ],
)
def test_odd_records(tmp_path, fields):
    line = f'{{"id": "a", "text": "word", {fields}}}\n'
    (tmp_path / "odd.jsonl").write_text(line)
    index = Index.create(tmp_path / "index")
    index.add(tmp_path / "odd.jsonl")
    for filter, count in (
        ("year=1", 1),
        ("year=2", 0),
        ("n>5", line.count("999")),
        ("list=2", line.count("list")),
    ):
        if filter.partition("=")[0].partition(">")[0] in index.document("a").fields:
            assert index.count(filter) == min(count, 1)
        else:
            with pytest.raises(UnknownFieldError, match=r"no document has a field '(n|list)'"):
                index.count(filter)
    summarise(index._snapshot, 5)
    assert len(matching(index._snapshot, Filter.parse("a=b"))) == 1
