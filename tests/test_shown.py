"""Titles as hits show them: packed in the segment, the same as those of the records."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xxhash import xxh3_64_intdigest

from likewise import Document, Index, StoreError, _core
from likewise.datasets import arxiv_sample
from likewise.document import title_of
from likewise.store import shown
from likewise.store.container import Container
from likewise.store.strings import encode, flatten, table_arrays

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()), max_size=40)
TITLES = [
    "Walking robots", "", 5, 2.5, ["Two", "parts"], [], None, "“Über” – 機械学習", "\ud800 alone",
    "a\0b", "x" * 300,
]  # fmt: skip


def packed(titles: list[str]) -> _core.StringTables:
    text = _core.TitleText()
    text.add(titles)
    symbols, packed, ends = text.pack()
    tables = _core.StringTables()
    tables.add(packed, ends, None, None, None, symbols)
    return tables


@given(st.lists(ANY_TEXT, max_size=30))
def test_titles_are_unpacked_as_they_were(titles):
    assert packed(titles).at(range(len(titles))) == titles


def test_titles_take_little_more_than_half_of_their_text():
    with gzip.open(arxiv_sample(), "rt") as lines:
        titles = [json.loads(line)["title"] for line in lines]
    text = _core.TitleText()
    text.add(titles)
    _, found, _ = text.pack()
    assert len(found) < 0.6 * sum(map(len, encode(titles)))
    assert packed(titles).at(range(len(titles))) == titles


def test_titles_are_packed_alike_by_any_number_of_threads():
    with gzip.open(arxiv_sample(), "rt") as lines:
        titles = 5 * [json.loads(line)["title"] for line in lines]
    assert len(titles) >= 10_000, "more than one thread takes at a time"
    text = _core.TitleText()
    text.add(titles)
    first = text.pack()
    for threads in (2, 5):
        for one, other in zip(text.pack(threads), first, strict=True):
            assert one.tolist() == other.tolist()


@pytest.mark.parametrize("symbols", [[9] + 9 * [65], [0], [2, 65], 256 * [1, 65]])
def test_symbols_that_make_no_sense_are_refused(symbols):
    text, ends = np.zeros(0, np.uint8), np.zeros(0, np.uint32)
    tables = _core.StringTables()
    with pytest.raises(ValueError, match="symbol"):
        tables.add(text, ends, None, None, None, np.array(symbols, np.uint8))


@pytest.mark.parametrize("text", [[1], [255], [0, 200]])
def test_codes_without_a_symbol_are_refused(text):
    tables = _core.StringTables()
    ends, symbols = np.array([len(text)], np.uint32), np.array([1, 65], np.uint8)
    tables.add(np.array(text, np.uint8), ends, None, None, None, symbols)
    with pytest.raises(ValueError, match=r"unknown symbol|within a character"):
        tables.at([0])


@given(st.lists(ANY_TEXT, max_size=20), st.lists(ANY_TEXT, max_size=20), st.lists(ANY_TEXT))
def test_strings_are_found_in_any_of_several_tables(first, second, others):
    tables = _core.StringTables()
    for strings in (first, second):
        a = table_arrays(flatten(strings))
        tables.add(a["text"], a["ends"], a["hashes"], a["order"], None, None)
    both = [*first, *second]
    assert tables.at(range(len(both))) == both
    wanted = encode([*both, *others])
    found = tables.find(wanted, list(map(xxh3_64_intdigest, wanted)))
    last = {string: number for number, string in enumerate(encode(both))}
    assert found == [last.get(string, -1) for string in wanted]


def test_a_number_beyond_the_strings_is_named(tmp_path):
    index = Index.create(tmp_path / "a.idx", latent=0)
    index.add([Document("a", "one")])
    for numbers in ([1], [-1]):
        with pytest.raises(IndexError, match=f"no document {numbers[0]}: there are 1"):
            index._snapshot.ids(numbers)


@pytest.fixture
def source(tmp_path):
    lines = [{"id": str(i), "title": title, "text": "word"} for i, title in enumerate(TITLES)]
    lines += [{"id": "p", "primary_title": "Primary", "text": "word"}]
    path = tmp_path / "some.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


@pytest.mark.parametrize("fields", ["text", ("title", "text"), ("title", "primary_title", "text")])
def test_hits_have_the_titles_of_the_records(tmp_path, source, fields):
    index = Index.create(tmp_path / "a.idx", latent=0, fields=fields)
    index.add(source)
    index.add([Document("more", "word", title="Another")])
    index.delete(["3", "7"])
    for _ in range(2):
        snapshot = index._snapshot
        assert snapshot._titles is not None
        hits = index.search("word", k=50)
        assert len(hits) == len(index)
        titles = [snapshot.read(number, title_of) for number in range(len(index))]
        assert snapshot.titles(range(len(index))) == titles
        assert {hit.id: hit.title for hit in hits} == dict(zip(index.ids(), titles, strict=True))
        index.verify()
        index.merge()


def test_an_index_without_the_table_reads_titles_from_records(tmp_path, source, monkeypatch):
    monkeypatch.setattr(shown.TitleCollector, "arrays", lambda self: iter(()))
    index = Index.create(tmp_path / "a.idx", latent=0)
    index.add(source)
    assert index._snapshot._titles is None
    assert {hit.title for hit in index.search("word", k=50)} >= {"Walking robots", "Primary"}


def test_damaged_titles_are_noticed(tmp_path, source):
    index = Index.create(tmp_path / "a.idx", latent=0)
    index.add(source)
    file = index._snapshot.segments[0].path
    section = Container(file, "segment")._sections["titles.text"]
    data = bytearray(file.read_bytes())
    data[section.offset] ^= 1
    file.write_bytes(data)
    with pytest.raises(StoreError, match=r"titles\.text"):
        Index.open(index.path).search("word")
