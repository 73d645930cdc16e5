from __future__ import annotations

import errno
import json
from contextlib import suppress

import pytest

from likewise.errors import StoreError
from likewise.store.manifest import (
    SHARDED_FORMAT,
    Deletions,
    Manifest,
    SegmentEntry,
    read_manifest,
    write_manifest,
)

MANIFEST = Manifest(
    settings={"language": "english", "fields": ["title", "text"]},
    generation=12,
    kind="counts",
    segments=(
        SegmentEntry("segments/000001.seg", 4096, documents=10, terms=70),
        SegmentEntry(
            "segments/000004.seg",
            8192,
            documents=5,
            terms=90,
            deletions=Deletions("segments/000004.g12.del", 512, 2),
        ),
    ),
    next_file=5,
)


@pytest.fixture
def directory(tmp_path):
    write_manifest(tmp_path, MANIFEST)
    return tmp_path


def test_what_was_written_is_read(directory):
    assert read_manifest(directory) == MANIFEST
    assert {path.name for path in directory.iterdir()} == {"manifest.json", "manifest.copy.json"}


def test_sums_over_the_segments():
    assert MANIFEST.documents == 13
    assert MANIFEST.terms == 90
    assert len(MANIFEST.files) == 3
    assert Manifest().documents == Manifest().terms == 0


def test_missing(tmp_path):
    with pytest.raises(StoreError, match=r"no index at .*nowhere: create one with `likewise index"):
        read_manifest(tmp_path / "nowhere")


def test_a_file_where_the_directory_should_be(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="no index at"):
        read_manifest(tmp_path / "file")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"[1, 2]", b'{"name": "x"}', b"\xff\xfe{"])
def test_foreign(directory, content):
    (directory / "manifest.json").write_bytes(content)
    with pytest.raises(StoreError, match="not the manifest of an index"):
        read_manifest(directory)


def test_newer(directory):
    path = directory / "manifest.json"
    envelope = json.loads(path.read_bytes())
    envelope["format"] = SHARDED_FORMAT + 1
    envelope["index"] = {"entirely": "different"}
    path.write_text(json.dumps(envelope))
    with pytest.raises(StoreError, match=f"format {SHARDED_FORMAT + 1}.*upgrade likewise"):
        read_manifest(directory)


def test_every_truncation_is_noticed(directory):
    path = directory / "manifest.json"
    content = path.read_bytes()
    for length in range(len(content)):
        path.write_bytes(content[:length])
        with pytest.raises(StoreError, match=r"manifest\.json"):
            read_manifest(directory)


def test_no_flipped_bit_changes_the_meaning(directory):
    path = directory / "manifest.json"
    content = path.read_bytes()
    for place in range(len(content)):
        damaged = bytearray(content)
        damaged[place] ^= 1 << place % 8
        path.write_bytes(damaged)
        with suppress(StoreError):
            assert read_manifest(directory) == MANIFEST


def test_when_only_its_survival_is_unsure_the_new_one_is_there(directory, monkeypatch):
    def fail(path):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr("likewise.store.manifest.sync_directory", fail)
    with pytest.raises(StoreError, match=r"input/output error; the index is changed, but"):
        write_manifest(directory, Manifest())
    assert read_manifest(directory) == Manifest()


def test_a_failed_write_leaves_the_old_one(directory):
    (directory / "manifest.json.new").mkdir()
    with pytest.raises(StoreError, match=r"cannot write .*; the index is as it was"):
        write_manifest(directory, Manifest())
    assert read_manifest(directory) == MANIFEST
