"""Files that are not what was written: cut short, changed, foreign, missing, newer."""

from __future__ import annotations

import shutil

import msgspec
import numpy as np
import pytest

from helpers.store_documents import add_texts, check_whole, counts_in, texts_in
from likewise.errors import StoreError
from likewise.store import Snapshot, create, delete, merge, snapshot
from likewise.store.container import FORMAT, HEADER, MAGIC
from likewise.store.manifest import read_manifest, write_manifest

FILES = ["manifest.json", "segments/000001.seg", "segments/000001.g3.del", "segments/000002.seg"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    index = tmp_path_factory.mktemp("whole") / "index"
    create(index, {})
    add_texts(index, {"a": "x y", "b": "y z z", "c": ""})
    add_texts(index, {"d": "w " * 300 + "x"})
    delete(index, ["b"])
    check_whole(index)
    return index


@pytest.fixture
def index(whole, tmp_path):
    shutil.copytree(whole, tmp_path / "index")
    return tmp_path / "index"


def use(index):
    """All that a reader may ask for."""
    snapshot = Snapshot.open(index)
    inverted = [segment.inverted for segment in snapshot.segments]
    numbers = snapshot.numbers(["a", "b", "c", "d"]).tolist()
    terms = snapshot.term_numbers(["x", "w", "none"]).tolist()
    arrays = [{name: part.tolist() for name, part in arrays.items()} for arrays in inverted]
    return arrays, numbers, terms, counts_in(index), texts_in(index)


@pytest.mark.parametrize("file", FILES)
def test_a_file_cut_short(index, file):
    path = index / file
    content = path.read_bytes()
    for length in {*range(0, len(content), 97), len(content) - 1}:
        path.write_bytes(content[:length])
        with pytest.raises(StoreError, match=path.name):
            Snapshot.open(index)


@pytest.mark.parametrize("file", FILES)
def test_a_bit_that_changed(index, file):
    path = index / file
    content, correct, texts = path.read_bytes(), use(index), texts_in(index)
    rng = np.random.default_rng(1)
    places = rng.choice(len(content), min(len(content), 400), replace=False)
    noticed = 0
    for place in places:
        damaged = bytearray(content)
        damaged[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(damaged)
        try:
            Snapshot.open(index).verify()
        except StoreError as error:
            noticed += 1
            assert path.name in str(error)  # noqa: PT017
        try:
            assert use(index) == correct
        except StoreError as error:
            assert path.name in str(error)  # noqa: PT017
    if file != "manifest.json":  # where some spaces may become other spaces
        assert noticed == len(places)
    path.write_bytes(content)
    assert texts_in(index) == texts


@pytest.mark.parametrize("file", FILES)
def test_a_foreign_file(index, file):
    path = index / file
    path.write_bytes(b"\x7fELF" + bytes(len(path.read_bytes()) - 4))
    with pytest.raises(StoreError, match=rf"{path.name} (was not written by|is not the manifest)"):
        Snapshot.open(index)


@pytest.mark.parametrize("file", FILES[1:])
def test_a_newer_format(index, file):
    path = index / file
    kind = HEADER.unpack(path.read_bytes()[: HEADER.size])[2]
    path.write_bytes(HEADER.pack(MAGIC, FORMAT + 1, kind) + path.read_bytes()[HEADER.size :])
    with pytest.raises(StoreError, match=f"{path.name} has format {FORMAT + 1}.*upgrade likewise"):
        Snapshot.open(index)


@pytest.mark.parametrize("file", FILES[1:])
def test_a_missing_file(index, file):
    (index / file).unlink()
    for use in (Snapshot.open, merge, lambda index: add_texts(index, {"n": "x"})):
        with pytest.raises(StoreError, match=rf"{file} is missing: rebuild the index"):
            use(index)


def test_a_segment_of_another_index(index):
    """Whole, of the same size, and still not the one that the manifest means."""
    path = index / "segments/000001.seg"
    shutil.copyfile(index / "segments/000002.seg", path)
    manifest = read_manifest(index)
    first, second = manifest.segments
    mixed = msgspec.structs.replace(first, bytes=second.bytes)
    write_manifest(index, msgspec.structs.replace(manifest, segments=(mixed, second)))
    with pytest.raises(StoreError, match="it has 1 documents instead of 3"):
        Snapshot.open(index)


def test_a_writer_does_not_build_on_a_damaged_index(index):
    path = index / "segments/000001.seg"
    path.write_bytes(path.read_bytes()[:-1])
    manifest = (index / "manifest.json").read_bytes()
    with pytest.raises(StoreError, match="damaged"):
        add_texts(index, {"n": "x"})
    assert (index / "manifest.json").read_bytes() == manifest


def test_a_reader_whose_files_vanish_reads_the_manifest_again(index, monkeypatch):
    """As when a writer commits between reading the manifest and opening the files."""
    stale = snapshot.read_manifest(index)
    manifests = iter([stale])
    merge(index)
    read = snapshot.read_manifest
    monkeypatch.setattr(snapshot, "read_manifest", lambda path: next(manifests, None) or read(path))
    assert Snapshot.open(index).generation == stale.generation + 1


def test_a_record_that_is_no_json_any_more(index):
    path = index / "segments/000001.seg"
    content = bytearray(path.read_bytes())
    content[HEADER.size + 20] ^= 1
    path.write_bytes(content)
    snapshot = Snapshot.open(index)
    assert snapshot.document(2).text.startswith("w w")
    with pytest.raises(StoreError, match=r"000001\.seg is damaged, section 'records'"):
        snapshot.document(1)


def test_another_index_in_the_same_place_is_not_taken_for_the_old_one(index):
    before = Snapshot.open(index)
    assert before.ids(range(3)) == ["a", "c", "d"]
    shutil.rmtree(index)
    create(index, {})
    add_texts(index, {"A": "x y", "B": "y z z", "C": ""})
    sizes = [before.segments[0].entry.bytes, read_manifest(index).segments[0].bytes]
    assert sizes[0] == sizes[1]
    after = Snapshot.open(index, before)
    assert after.ids(range(3)) == ["A", "B", "C"]
    assert before.ids(range(3)) == ["a", "c", "d"]


def test_what_is_open_is_used_again(index):
    before = Snapshot.open(index)
    delete(index, ["a"])
    after = Snapshot.open(index, before)
    assert after.ids(range(2)) == ["c", "d"]
    for old, new in zip(before.segments, after.segments, strict=True):
        assert np.shares_memory(old.rows["columns"], new.rows["columns"])
