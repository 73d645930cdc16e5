from __future__ import annotations

import platform
import random
import subprocess
import sys

import numpy as np
import pytest

from helpers.store_documents import (
    PLAIN,
    add_texts,
    all_bytes,
    check_whole,
    counts_in,
    text_batch,
    texts_in,
    words,
)
from likewise.errors import InputError, LockedError, StoreError, UsageError
from likewise.store import Snapshot, add, adding, create, delete, merge
from likewise.store.disk import WriteLock
from likewise.text import Analyzer, AnalyzerSettings

TEXTS = {"a": "the cat sat", "b": "the dog ran the mile", "c": "a cat and a dog"}


@pytest.fixture
def index(tmp_path):
    create(tmp_path / "papers.idx", {})
    return tmp_path / "papers.idx"


def many(count, seed=3):
    """Batches of random texts."""
    rng = random.Random(seed)
    ids = [f"doc-{number}" for number in range(count)]
    texts = {id: " ".join(rng.choices("abcdefghijklmno", k=rng.randrange(12))) for id in ids}
    return texts, [dict(list(texts.items())[i : i + 10]) for i in range(0, count, 10)]


def test_documents_come_back(index):
    added = add_texts(index, TEXTS)
    assert (added.documents, added.segments) == (3, 1)
    assert texts_in(index) == TEXTS
    assert counts_in(index) == {id: words(text) for id, text in TEXTS.items()}
    check_whole(index)


def test_terms_are_numbered_by_first_appearance_over_all_segments(index):
    add_texts(index, {"a": "x y"})
    add_texts(index, {"b": "z y x q"})
    snapshot = Snapshot.open(index)
    assert snapshot.term_names(range(snapshot.terms)) == ["x", "y", "z", "q"]
    assert snapshot.term_numbers(["q", "none", "y"]).tolist() == [3, -1, 1]


@pytest.mark.parametrize("bigrams", [False, True])
@pytest.mark.parametrize("memory", [1, 12_000, 1 << 28])
def test_terms_have_the_same_numbers_whether_added_in_parts_or_at_once(tmp_path, memory, bigrams):
    settings = AnalyzerSettings("none", stop_words=False, bigrams=bigrams, fields=("text",))
    _, batches = many(120)
    found = []
    for name, parts in {
        "once": [batches],
        "parts": [batches[:1], batches[1:7], batches[7:]],
    }.items():
        create(tmp_path / name, {})
        for part in parts:
            add_texts(tmp_path / name, *part, settings=settings, memory=memory)
        snapshot = Snapshot.open(tmp_path / name)
        found.append((snapshot.term_names(range(snapshot.terms)), counts_in(tmp_path / name)))
        check_whole(tmp_path / name)
    assert found[0] == found[1]


def test_the_analyzer_is_used(index):
    add_texts(index, {"a": "The running dogs"}, settings=AnalyzerSettings(fields=("text",)))
    assert counts_in(index) == {"a": {"run": 1, "dog": 1}}


def test_empty_texts_are_documents_too(index):
    add_texts(index, {"a": "", "b": "x"}, {"c": ""})
    assert counts_in(index) == {"a": {}, "b": {"x": 1}, "c": {}}
    check_whole(index)


def test_counts_above_254(index):
    add_texts(index, {"a": "x " * 254 + "y " * 255 + "z " * 100_000})
    assert counts_in(index) == {"a": {"x": 254, "y": 255, "z": 100_000}}
    check_whole(index)


def test_nothing_added_is_nothing_committed(index):
    before = all_bytes(index)
    assert add_texts(index).documents == 0
    assert add_texts(index, {}).documents == 0
    assert all_bytes(index) == before
    add_texts(index, TEXTS)
    before = all_bytes(index)
    added = add_texts(index, TEXTS, on_duplicate="skip")
    assert (added.documents, added.skipped, added.segments, added.duplicates) == (
        0,
        3,
        0,
        {"id": 3},
    )
    assert all_bytes(index) == before


def test_a_segment_has_no_more_documents_than_two_bytes_can_number(index, monkeypatch):
    """Also where a document replaces one of the same addition that lies in another segment."""
    monkeypatch.setattr(adding, "DOCUMENTS", 5)
    batches = [{f"d{i}": f"word{i}", f"e{i}": "common"} for i in range(6)]
    batches.append({"d0": "another"})
    add_texts(index, *batches, merge=False, on_duplicate="replace")
    snapshot = Snapshot.open(index)
    assert [segment.documents for segment in snapshot.segments] == [4, 4, 5]
    assert all(segment.inverted["columns"].dtype == np.uint16 for segment in snapshot.segments)
    assert counts_in(index)["d0"] == {"another": 1}
    assert len(snapshot) == 12


def test_a_small_memory_makes_many_segments_and_one_generation(index):
    texts, batches = many(200)
    added = add_texts(index, *batches, memory=12_000)
    assert added.segments > 3
    assert Snapshot.open(index).generation == 1
    assert texts_in(index) == texts
    assert counts_in(index) == {id: words(text) for id, text in texts.items()}
    check_whole(index)


@pytest.mark.parametrize("memory", [1, 12_000, 1 << 30])
def test_the_same_bytes_whatever_the_number_of_threads(tmp_path, memory):
    _, batches = many(200)
    found = []
    for threads in (1, 2, 5):
        directory = tmp_path / str(threads)
        create(directory, {})
        add_texts(directory, *batches, memory=memory, threads=threads)
        merge(directory, threads=threads)
        found.append(all_bytes(directory))
    assert found[0] == found[1] == found[2]


class TestDuplicates:
    def error(self, index, *batches, **options):
        before = all_bytes(index)
        with pytest.raises(InputError) as caught:
            add_texts(index, *batches, **options)
        assert all_bytes(index) == before
        return str(caught.value)

    def test_in_the_same_batch(self, index):
        batch = text_batch(["one", "two", "three"], ids=["a", "b", "a"], first_line=7)
        assert self.error(index, batch).startswith(
            "papers.jsonl, line 9: id 'a' was already given at papers.jsonl, line 7"
        )

    def test_in_the_same_segment(self, index):
        batches = [text_batch(TEXTS), text_batch({"d": "x", "b": "y"}, "more.jsonl", 11)]
        assert self.error(index, *batches).startswith(
            "more.jsonl, line 12: id 'b' was already given at papers.jsonl, line 2"
        )

    def test_in_a_finished_segment_of_the_same_run(self, index):
        batches = [text_batch({"x": ""}, "first"), text_batch(TEXTS), text_batch({"b": ""}, "last")]
        assert self.error(index, *batches, memory=1).startswith(
            "last, line 1: id 'b' was already given at papers.jsonl, line 2"
        )

    def test_in_an_earlier_generation(self, index):
        add_texts(index, TEXTS)
        assert self.error(index, {"b": "again"}).startswith(
            f"papers.jsonl, line 1: id 'b' is already in the index {index}"
        )

    def test_a_file_that_is_one_document_has_no_line(self, index):
        batch = text_batch(["x", "y"], "one.txt", ids=["a", "a"])
        batch.lines[:] = 0
        batch.sources[1] = "two.txt"
        assert self.error(index, batch) == (
            "two.txt: id 'a' was already given at one.txt: choose --on-duplicate skip or replace "
            "(in Python, on_duplicate), or give it another id"
        )

    @pytest.mark.parametrize("memory", [1, 1 << 28])
    def test_skip_keeps_the_first(self, index, memory):
        add_texts(index, {"a": "old"})
        batches = [
            text_batch(["1", "2", "3"], ids=["b", "a", "b"]),
            text_batch(["4", "5"], ids=["c", "b"]),
        ]
        added = add_texts(index, *batches, on_duplicate="skip", memory=memory)
        assert (added.documents, added.skipped, added.replaced) == (2, 3, 0)
        assert texts_in(index) == {"a": "old", "b": "1", "c": "4"}
        assert counts_in(index)["c"] == {"4": 1}
        check_whole(index)

    @pytest.mark.parametrize("memory", [1, 1 << 28])
    def test_replace_keeps_the_last(self, index, memory):
        add_texts(index, {"a": "old"})
        batches = [
            text_batch(["1", "2", "3"], ids=["b", "a", "b"]),
            text_batch(["4", "5", "6"], ids=["c", "b", "a"]),
        ]
        added = add_texts(index, *batches, on_duplicate="replace", memory=memory)
        assert (added.documents, added.skipped, added.replaced) == (6, 0, 4)
        assert texts_in(index) == {"c": "4", "b": "5", "a": "6"}
        assert counts_in(index)["a"] == {"6": 1}
        assert Snapshot.open(index).numbers(["b", "a", "c"]).tolist() == [1, 2, 0]
        check_whole(index)

    def test_an_id_that_was_deleted_may_come_again(self, index):
        add_texts(index, TEXTS)
        delete(index, ["b"])
        add_texts(index, {"b": "again"})
        assert texts_in(index) == {"a": TEXTS["a"], "c": TEXTS["c"], "b": "again"}

    def test_ids_may_be_any_text(self, index):
        ids = ["", "é", "\ud800", "a\nb\0c"]
        batch = text_batch({"1": "x", "2": "x", "3": "x", "4": "x"})
        batch.ids = ids
        add_texts(index, batch)
        snapshot = Snapshot.open(index)
        assert snapshot.ids(range(4)) == ids
        assert snapshot.numbers(ids).tolist() == [0, 1, 2, 3]


def test_an_error_while_reading_leaves_the_index_as_it_was(index):
    add_texts(index, TEXTS)
    before = all_bytes(index)

    def batches():
        yield text_batch({"d": "x"})
        yield text_batch({"e": "x"})
        raise KeyboardInterrupt

    for memory in (1, 1 << 28):
        with pytest.raises(KeyboardInterrupt):
            add(index, batches(), Analyzer(PLAIN), memory=memory)
        assert all_bytes(index) == before
    add_texts(index, {"d": "x"})
    check_whole(index)


def test_a_second_writer_is_refused(index):
    with WriteLock(index / "lock"):
        for write in (
            lambda: add_texts(index, TEXTS),
            lambda: delete(index, []),
            lambda: merge(index),
        ):
            with pytest.raises(LockedError, match="is being written by another handle"):
                write()
    add_texts(index, TEXTS)


def test_leftovers_of_a_killed_writer_are_removed_by_the_next(index):
    add_texts(index, TEXTS)
    (index / "segments" / "000002.seg").write_bytes(b"half")
    (index / "segments" / "000001.g2.del").write_bytes(b"half")
    (index / "manifest.json.new").write_bytes(b"half")
    (index / "segments" / "notes.txt").write_bytes(b"not ours")
    add_texts(index, {"d": "x"})
    assert sorted(path.name for path in (index / "segments").iterdir()) == [
        "000001.seg",
        "000002.seg",
        "notes.txt",
    ]
    assert not (index / "manifest.json.new").exists()
    assert len(texts_in(index)) == 4


@pytest.mark.parametrize(
    "options", [{"on_duplicate": "ignore"}, {"memory": 0}, {"threads": 0}, {"threads": -1}]
)
def test_options_that_make_no_sense(index, options):
    with pytest.raises(UsageError, match=next(iter(options))):
        add_texts(index, TEXTS, **options)


class TestCreate:
    def test_over_an_index(self, index):
        add_texts(index, TEXTS)
        for ids in ([], ["a"], ["b", "c"]):
            delete(index, ids)
            with pytest.raises(UsageError, match="there is an index at"):
                create(index, {})
        assert texts_in(index) == {}

    def test_over_an_index_to_which_nothing_was_added(self, index):
        """A writer that was killed has left half a segment."""
        (index / "segments" / "000001.seg").write_bytes(b"half")
        create(index, {"language": "german"})
        assert list((index / "segments").iterdir()) == []
        assert Snapshot.open(index).manifest.settings == {"language": "german"}

    def test_over_an_index_that_gets_its_first_documents(self, index):
        with WriteLock(index / "lock"), pytest.raises(LockedError, match="being written"):
            create(index, {})

    def test_over_a_damaged_index(self, index):
        (index / "manifest.json").write_text("half")
        with pytest.raises(UsageError, match="there is an index at"):
            create(index, {})

    def test_made_anew_for_another_analyzer(self, index):
        create(index, {"language": "german"})
        with pytest.raises(UsageError, match="made anew with other settings meanwhile: open it"):
            add_texts(index, TEXTS)
        assert texts_in(index) == {}

    def test_over_other_files(self, tmp_path):
        (tmp_path / "thesis.tex").write_text("x")
        with pytest.raises(UsageError, match=r"not empty .*thesis\.tex"):
            create(tmp_path, {})
        assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]

    def test_over_somebody_elses_segments(self, tmp_path):
        (tmp_path / "segments").mkdir()
        (tmp_path / "segments" / "000001.seg").write_text("x")
        with pytest.raises(UsageError, match="not empty"):
            create(tmp_path, {})

    def test_over_a_file(self, tmp_path):
        (tmp_path / "file").write_text("x")
        with pytest.raises(UsageError, match="is a file"):
            create(tmp_path / "file", {})

    def test_where_a_killed_create_stopped(self, index):
        (index / "manifest.json").unlink()
        (index / "manifest.json.new").write_text("half")
        create(index, {})
        assert len(Snapshot.open(index)) == 0

    def test_makes_parents(self, tmp_path):
        create(tmp_path / "a" / "b", {"language": "english"})
        assert Snapshot.open(tmp_path / "a" / "b").manifest.settings == {"language": "english"}

    def test_where_nothing_can_be_written(self, tmp_path):
        (tmp_path / "file").write_text("x")
        with pytest.raises(StoreError, match="cannot write"):
            create(tmp_path / "file" / "index", {})


def test_adding_where_there_is_no_index_makes_no_files(tmp_path):
    with pytest.raises(StoreError, match="no index at"):
        add_texts(tmp_path / "none", TEXTS)
    with pytest.raises(StoreError, match="no index at"):
        add_texts(tmp_path, TEXTS)
    assert list(tmp_path.iterdir()) == []


ARENAS = """
import ctypes, sys
from likewise import Index
from likewise.datasets import arxiv_sample

Index.create(sys.argv[1], threads=2, latent=0).add(arxiv_sample())
libc = ctypes.CDLL(None)
file = libc.fopen
file.restype = ctypes.c_void_p
stream = file(sys.argv[2].encode(), b"w")
libc.malloc_info(0, ctypes.c_void_p(stream))
libc.fclose(ctypes.c_void_p(stream))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="THE ARENAS OF GLIBC ARE NOT TESTED")
def test_its_threads_share_the_arenas_of_malloc(tmp_path):
    told = tmp_path / "malloc.xml"
    command = [sys.executable, "-c", ARENAS, str(tmp_path / "a.idx"), str(told)]
    subprocess.run(command, check=True)
    assert told.read_text().count("<heap nr=") <= 2
