"""Lines of JSON as the core finds keys and values in them: it takes what json reads alike."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xxhash import xxh3_64_intdigest

from helpers.reading import read_all
from likewise import Index, _core
from likewise.readers import Problems
from likewise.store import fields
from likewise.store.titles import TitleAnalyzer, TitleRows, rows_of
from likewise.text.unicode import unicode_classes
from likewise.views import titles

TEXT = st.text(max_size=20)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
KEYS = st.text(st.characters(codec="utf-8", exclude_characters='"\\', min_codepoint=32), max_size=5)
OBJECTS = st.lists(st.dictionaries(KEYS, VALUES, max_size=5), max_size=6)


def written(objects, **options) -> bytes:
    return "".join(f"{json.dumps(one, **options)}\n" for one in objects).encode("utf-8")


@given(OBJECTS, st.booleans(), st.sampled_from([(",", ":"), (", ", ": "), (" ,\t", " :  ")]))
def test_values_are_found_as_they_are_written(objects, ascii, separators):
    records = written(objects, ensure_ascii=ascii, separators=separators)
    scanned = _core.scan(records)
    if "\\u" in "".join(map(json.dumps, (key for one in objects for key in one))) and ascii:
        return  # a key may be written with escapes
    assert scanned is not None
    assert len(scanned) == len(objects)
    assert scanned.ends().tolist() == [i + 1 for i, b in enumerate(records) if b == ord("\n")]
    assert scanned.keys == list(dict.fromkeys(key for one in objects for key in one))
    for key in scanned.keys:
        values = [one.get(key) for one in objects]
        texts = scanned.texts([key])
        if all(value is None or isinstance(value, str) for value in values):
            assert list(texts) == texts.strings() == [value or "" for value in values]
            assert texts.lengths().tolist() == [len((value or "").encode()) for value in values]
        else:
            assert texts is None
        codes = _core.Codes(0, 10**6, 10**6)
        assert codes.add_lines(scanned, key)
        text, ends, numbers = codes.arrays()
        distinct = [json.loads(bytes(part)) for part in np.split(text, ends.astype(int)[:-1])]
        for value, number in zip(values, numbers.tolist(), strict=True):
            assert number == 0 if isinstance(value, dict) else distinct[number] == value


BAD = [
    b"{}", b"[]\n", b"\n", b" {}\n", b"{} \n", b'{"a":1}{"b":2}\n', b'{"a":1,}\n', b'{"a" 1}\n',
    b'{"a":1 "b":2}\n', b'{"a":01}\n', b'{"a":1.}\n', b'{"a":.5}\n', b'{"a":+1}\n', b'{"a":-}\n',
    b'{"a":tru}\n', b'{"a":NaN}\n', b'{"a":"\t"}\n', b'{"a":"\\x"}\n', b'{"a":"\\u12"}\n',
    b'{"a":"\\ud800"}\n', b'{"a":"\\udc00"}\n', b'{"a":"\\ud800\\u0041"}\n', b'{"a":"\xff"}\n',
    b'{"a":"\xc0\x80"}\n', b'{"a":"\xed\xa0\x80"}\n', b'{"a":"\xf5\x80\x80\x80"}\n',
    b'{"a":"\xe2\x82',
    b'{"a":"\xf0\x8f\xbf\xbf"}\n', b'{"a":"', b'{"a":"\\', b'{"a":[1,]}\n', b'{"a":[1 2]}\n',
    b'{"a":{"b"}}\n', b'{"a":{1:2}}\n', b'{"a":' + 70 * b"[" + 70 * b"]" + b"}\n", b'{"a":1e5}\n',
    b'{"a":1,"a":2}\n', b'{"\\u0061":1}\n', b'{"a":123456789012345678901}\n', b'{"a":"\0"}\n',
]  # fmt: skip


@pytest.mark.parametrize("records", BAD)
def test_what_is_invalid_or_unusual_is_left_to_others(records):
    assert _core.scan(records) is None
    assert _core.scan(b'{"a": "good"}\n' + records) is None


@settings(max_examples=300)
@given(st.binary(max_size=40))
def test_any_bytes_are_refused_or_valid(data):
    if _core.scan(data) is not None:
        assert [json.loads(line) for line in data.splitlines()] or not data


@given(st.text(st.characters(codec="utf-8", exclude_characters=" "), max_size=16))
def test_columns_of_parts_are_those_of_xxh3(word):
    counter = _core.TitleCounter(lambda: np.ones(0x110000, np.uint8))
    counter.know("é", [word])
    counter.add(["é"])
    expected = {xxh3_64_intdigest(part.encode()) % titles.WIDTH for part in titles.parts(word)}
    assert set(counter.drain()["columns"].tolist()) == expected


@given(st.lists(st.text(max_size=30), max_size=6))
def test_rows_of_titles_hold_each_part(some):
    found, analyzer = rows_of(some), TitleAnalyzer()
    for i, title in enumerate(some):
        row = found["columns"][found["starts"][i] : found["starts"][i + 1]]
        assert sorted(row.tolist()) == sorted(
            {titles.column(part) for part in analyzer.parts(title)}
        )


WORDS = st.text(st.sampled_from("abÉßж漢\U0001d54f\\\n 1"), max_size=12)


@given(st.lists(WORDS.filter(bool), min_size=1, max_size=6), st.booleans())
def test_texts_are_counted_alike_as_lines_and_as_strings(texts, escaped):
    """Whether characters beyond ASCII are written with escapes, as they are, or not there."""
    lines = _core.scan(written([{"title": text} for text in texts], ensure_ascii=escaped))
    assert lines is not None
    found = lines.texts(["title"])

    def counted(given):
        rows, counter = TitleRows(), _core.Counter(unicode_classes)
        rows.add(given)
        forms = counter.count([given])
        counter.absorb(forms)
        return {name: part.tolist() for name, part in rows.drain().items()}, forms

    assert counted(found) == counted(texts)


def test_rows_of_titles_do_not_depend_on_threads():
    """Short ones, long ones, with letters beyond ASCII or without, many and few at a time."""
    rng = np.random.default_rng(5)
    words = ["a", "of", "graph", "x" * 60, "Größe", "naïve", "neural", "ab"]
    some = [" ".join(rng.choice(words, n)) for n in rng.integers(0, 40, 1000)]
    some += [" ".join(f"{n}word{n}" for n in range(size)) for size in (50, 60, 70, 400)]
    expected = [rows_of([title]) for title in some]
    for threads in (1, 2, 5):
        rows = TitleRows(threads)
        rows.add(some[:700])
        rows.add(some[700:])
        found = rows.drain()
        for i, one in enumerate(expected):
            row = found["columns"][found["starts"][i] : found["starts"][i + 1]]
            assert row.tolist() == one["columns"].tolist()
            counts = found["counts"][found["more"][i] : found["more"][i + 1]]
            assert counts.tolist() == one["counts"].tolist()


def test_an_index_is_the_same_whoever_reads_the_lines(tmp_path, monkeypatch):
    """Where the core does not read the lines, the same documents, terms and columns come out."""
    lines = [
        {"id": str(i), "title": f"Título {i % 7} “a\\b”", "text": f"word{i} more",
         "year": 1990 + i % 9, "tags": ["x", i % 3], "nothing": None, "nested": {"a": i},
         "long": "y" * (i % 130)}
        for i in range(3000)
    ]  # fmt: skip
    source = tmp_path / "some.jsonl"
    source.write_bytes(written(lines))
    made = [Index.create(tmp_path / "core.idx", latent=0)]
    made[0].add(source)
    monkeypatch.setattr(_core, "scan", lambda records: None)
    made.append(Index.create(tmp_path / "python.idx", latent=0))
    made[1].add(source)
    files = [sorted((index.path / "segments").iterdir()) for index in made]
    assert [f.name for f in files[0]] == [f.name for f in files[1]]
    assert [f.read_bytes() for f in files[0]] == [f.read_bytes() for f in files[1]]
    assert {field.name for field in made[0].fields()} >= {"year", "tags"}


def test_chunks_that_the_core_leaves_are_read_in_their_place(tmp_path):
    lines = [{"id": str(i), "text": f"word{i}"} for i in range(300)]
    data = written(lines).splitlines(keepends=True)
    data[100:100] = [b"no json\n", b'{"id": "e", "text": "ex", "n": 1e5}\n', b"\n"]
    source, problems = tmp_path / "some.jsonl", Problems()
    source.write_bytes(b"".join(data))
    found = read_all(source, problems, batch_bytes=200)
    assert [problem.place for problem in problems.listed] == [f"{source}, line 101"]
    assert [one.id for one in found] == [*map(str, range(100)), "e", *map(str, range(100, 300))]


def test_fields_are_the_same_by_lines_and_by_records():
    records = written([{"a": 1, "b": "x" * 200}, {"a": None, "c": [1, 2]}, {"a": 1, "d": {"e": 1}}])
    both = [fields.ColumnBuilder(), fields.ColumnBuilder()]
    for builder, scanned in zip(both, (_core.scan(records), None), strict=True):
        builder.add(records, scanned)
        builder.add(written([{"z": 5}]))
    first, second = ({name: v.tolist() for name, v in one.arrays()} for one in both)
    assert first == second
