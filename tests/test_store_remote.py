"""Indexes and files at URLs: copies that are verified, one writer at a time, nothing half done."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from helpers.machines import machine
from helpers.sharded import pairs, whole
from likewise import Document, Index, InputError, LockedError, StoreError, UsageError
from likewise.cli.app import app
from likewise.readers.urls import url_of
from likewise.store import mirror
from likewise.store.objects import ObjectStore
from likewise.store.transaction import Transaction

fsspec = pytest.importorskip("fsspec")
DOCUMENTS = [Document(f"d{i}", f"word{i} cell gene theory") for i in range(12)]


@pytest.fixture(autouse=True)
def _machine(tmp_path):
    memory = fsspec.filesystem("memory")
    memory.store.clear()
    memory.pseudo_dirs[:] = [""]
    with machine(tmp_path, "first"):
        yield


@pytest.mark.parametrize("shards", [None, 3])
@pytest.mark.parametrize("url", ["memory://bucket/big.idx", "file"])
def test_an_index_at_a_url_is_like_any_other(tmp_path, url, shards):
    url = f"file://{tmp_path}/there/big.idx" if url == "file" else url
    one = whole(tmp_path / "one", DOCUMENTS)
    index = Index.create(url, latent=0, shards=shards)
    index.add(DOCUMENTS)
    with machine(tmp_path, "second"):
        there = Index.open(url)
        assert there.path != index.path
        assert pairs(there.search("cell word3")) == pairs(one.search("cell word3"))
        there.add([Document("late", "a late word")])
        there.delete("d1")
        there.merge()
    for change in (lambda: one.add([Document("late", "a late word")]), lambda: one.delete("d1")):
        change()
    assert len(index) == 12
    assert index.refresh().ids() == one.ids()
    assert [h.id for h in index.search("late word3")] == [h.id for h in one.search("late word3")]
    index.verify()
    objects = ObjectStore(index_url := mirror.remote_of(index.path).url)
    assert index_url == url
    needed = {*objects.newest().objects.values()}
    assert {stored.digest for stored in needed} <= objects._listed()
    assert len(objects._listed()) <= 2 * len(needed) + 12


def test_a_change_that_somebody_else_was_faster_with_is_refused(tmp_path):
    url = "memory://bucket/big.idx"
    index = Index.create(url, latent=0, shards=2)
    index.add(DOCUMENTS[:6])
    with Transaction(index.path, shards=True) as change:
        with machine(tmp_path, "second"):
            there = Index.open(url)
            there.delete("d2")
            there.add(DOCUMENTS[6:7])
        with pytest.raises(LockedError, match=f"{url} was changed from elsewhere meanwhile"):
            change.commit(change.manifest.segments)
    ids = ["d0", "d1", "d3", "d4", "d5", "d6"]
    assert index.refresh().ids() == there.ids() == ids
    index.delete("d0")
    index.verify()
    assert ObjectStore(url).newest().generation == index.generation
    assert there.refresh().ids() == ids[1:]


def test_damage_is_found_when_a_copy_is_made(tmp_path):
    url = "memory://bucket/big.idx"
    Index.create(url, latent=0).add(DOCUMENTS)
    files = fsspec.filesystem("memory")
    newest = ObjectStore(url).newest()
    name, stored = next((n, o) for n, o in newest.objects.items() if n.endswith(".seg"))
    place = f"/bucket/big.idx/objects/{stored.digest}"
    content = bytearray(files.cat_file(place))
    content[100] ^= 1
    files.pipe_file(place, bytes(content))
    with machine(tmp_path, "second"):
        with pytest.raises(StoreError, match=rf"damaged: object {stored.digest} of {name[9:]}"):
            Index.open(url)
        content[100] ^= 1
        files.pipe_file(place, bytes(content))
        assert len(Index.open(url)) == 12


def test_no_index_at_a_url(tmp_path):
    with pytest.raises(StoreError, match=r"^no index at memory://papers/none\.idx: create one"):
        Index.open("memory://papers/none.idx")
    assert not (tmp_path / "first").exists()


def test_an_index_that_a_cluster_did_not_begin_is_not_left_behind(tmp_path):
    (tmp_path / "d.jsonl").write_text('{"id": "a", "text": "cells"}')
    into = ["-o", str(tmp_path / "d.idx"), "--shards", "2", "--cluster", "local:0"]
    result = CliRunner().invoke(app, ["index", str(tmp_path / "d.jsonl"), *into])
    assert result.exit_code == 2
    assert not (tmp_path / "d.idx").exists()


def test_what_cannot_be_reached(tmp_path):
    with pytest.raises(StoreError, match="no index at"):
        Index.open("memory://bucket/none.idx")
    with pytest.raises(
        StoreError, match=r"cannot reach nowhere://bucket/x.idx .*likewise\[cluster\]|"
    ):
        Index.open("nowhere://bucket/x.idx")
    Index.create("memory://bucket/a.idx").add(DOCUMENTS[:2])
    with machine(tmp_path, "second"), pytest.raises(UsageError, match="there is an index"):
        Index.create("memory://bucket/a.idx")


@pytest.mark.parametrize(
    ("path", "url"),
    [
        ("s3://bucket/a.idx/", "s3://bucket/a.idx"),
        ("s3:/bucket/a.idx", "s3://bucket/a.idx"),
        ("file:/tmp/a", "file:///tmp/a"),
        ("papers.idx", None),
        ("c:/papers", None),
        ("simplecache::s3://bucket/a", None),
    ],
)
def test_what_is_a_url(path, url):
    assert url_of(path) == url


def test_files_are_read_from_urls(tmp_path):
    files = fsspec.filesystem("memory")
    rows = [json.dumps({"id": f"r{i}", "text": f"word{i} cell"}) + "\n" for i in range(30)]
    files.pipe_file("/in/a.jsonl", "".join(rows[:20]).encode())
    files.pipe_file("/in/b.jsonl", "".join(rows[20:]).encode())
    files.pipe_file("/in/note.txt", b"a note\n\nabout cells")
    index = Index.create(tmp_path / "one")
    assert index.add("memory://in/*.jsonl").documents == 30
    assert index.ids() == [f"r{i}" for i in range(30)]
    index.add("memory://in/note.txt")
    assert index.ids()[-1] == "memory://in/note.txt"
    for url, says in (("memory://in/none.jsonl", "no file at"), ("memory://in/*.csv", "no file")):
        with pytest.raises(InputError, match=says):
            index.add(url)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.jsonl").write_text("".join(rows))
    many = Index.create(tmp_path / "many", latent=0, shards=3)
    many.add(f"file://{tmp_path}/in/a.jsonl")
    assert many.ids() == [f"r{i}" for i in range(30)]


def test_the_command(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": "a", "text": "cells"}\n')
    url = f"file://{tmp_path}/there/a.idx"
    for command in (["index", str(path), "-o", url, "--shards", "2"], ["search", url, "cells"]):
        result = CliRunner().invoke(app, command)
        assert result.exit_code == 0, result.output
    assert "a" in result.output
    assert (tmp_path / "there" / "a.idx" / "newest.json").exists()
