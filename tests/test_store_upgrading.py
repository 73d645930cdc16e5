"""Indexes of older formats, rewritten in today's: smaller, and otherwise the same."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from helpers.command_line import info, succeed
from helpers.store_documents import all_bytes, check_whole, counts_in, texts_in
from helpers.store_specimen import DENSE, VALUES, name
from likewise import Index
from likewise.errors import LockedError, StoreError
from likewise.store import Snapshot, delete
from likewise.store.container import FORMAT, HEADER
from likewise.store.disk import WriteLock
from likewise.store.upgrading import upgrade

DATA = Path(__file__).parent / "data"
VIEWS = "specimen-v2-views.idx"  # three segments, one without live documents; both views


@pytest.fixture
def copied(tmp_path):
    def copy(specimen):
        path = tmp_path / "copy.idx"
        shutil.copytree(DATA / specimen, path)
        return path

    return copy


@pytest.mark.parametrize("version", range(1, FORMAT))
def test_text(copied, version):
    path = copied(name(version, "text"))
    before = (texts_in(path), counts_in(path), Index.open(path).terms())
    assert Index.open(path).info().format == version
    assert Index.open(path).upgrade()
    assert before == (texts_in(path), counts_in(path), Index.open(path).terms())
    check_whole(path)
    found = Snapshot.open(path)
    assert {segment.format for segment in found.segments} == {FORMAT}
    assert len(found.segments) == 2
    if version > 1:
        assert Index.open(path).count("year>=2001") == 2


@pytest.mark.parametrize("version", range(1, FORMAT))
def test_vectors(copied, tmp_path, version):
    path = copied(name(version, "dense"))
    upgrade(path)
    (segment,) = Snapshot.open(path).segments
    assert segment.format == FORMAT
    assert np.array_equal(segment.dense, list(DENSE.values()))
    shutil.rmtree(path)
    path = copied(name(version, "values"))
    upgrade(path)
    (segment,) = Snapshot.open(path).segments
    assert segment.value_rows["values"].tolist() == [0.5, -2, 1]
    assert Index.open(path).ids() == list(VALUES)


def rows_of(path, view):
    """A row for each live document."""
    found = []
    for segment in Snapshot.open(path).segments:
        rows = segment.view(view).at(slice(None))
        found.append(rows if segment.live is None else rows[segment.live])
    return np.concatenate(found)


def test_views(copied):
    path = copied(VIEWS)
    old = Index.open(path)
    latent, embeddings = rows_of(path, "latent"), rows_of(path, "embeddings")
    words = {hit.id: hit.score for hit in old.search("red pears w3", k=18)}
    index = Index.open(path)
    assert index.upgrade()
    assert len(index.manifest.segments) == 2, "terms of the one without documents are kept"
    assert (index.ids(), index.terms()) == (old.ids(), old.terms())
    before, after = old.info(), index.info()
    assert after.bytes_on_disk < before.bytes_on_disk
    for view in ("latent", "embeddings"):
        assert after.views[view]._replace(bytes=0) == before.views[view]._replace(bytes=0)
    assert np.array_equal(rows_of(path, "embeddings"), embeddings)
    assert np.abs(rows_of(path, "latent") - latent).max() <= np.abs(latent).max() / 250
    assert {hit.id: hit.score for hit in index.search("red pears w3", k=18)} == words
    assert index.like(["d2", "d3"], views={"words": 1.0, "latent": 1.0, "embeddings": 1.0})
    index.verify()
    index.add([{"id": "new", "text": "red figs"}])
    assert index.search("figs red", k=1)[0].id == "new"
    index.merge()
    index.verify()


def test_nothing_to_do(copied):
    path = copied(name(FORMAT, "text"))
    Index.open(path).upgrade()
    (path / "lock").unlink()
    assert all_bytes(path) == all_bytes(DATA / name(FORMAT, "text"))
    assert not Index.open(path).upgrade()
    assert not Index.create(path.with_name("empty.idx")).upgrade()


def test_all_documents_deleted(copied):
    path = copied(VIEWS)
    delete(path, Index.open(path).ids())
    upgrade(path)
    assert not len(Index.open(path))
    assert Index.open(path).info().format == FORMAT
    Index.open(path).add([{"id": "new", "text": "red figs"}])
    check_whole(path)


def test_damage_stays_damage(copied):
    """What does not have its checksum gets no new one, and the index stays as it was."""
    path = copied(name(2, "text"))
    segment = path / "segments/000001.seg"
    content = bytearray(segment.read_bytes())
    content[HEADER.size + 30] ^= 1
    segment.write_bytes(content)
    before = all_bytes(path)
    with pytest.raises(StoreError, match="section 'records' does not have the checksum it had"):
        upgrade(path)
    assert all_bytes(path) == before


def test_one_writer_at_a_time(copied):
    path = copied(name(1, "text"))
    with WriteLock(path / "lock"), pytest.raises(LockedError):
        Index.open(path).upgrade()


def test_the_command(copied):
    path = copied(VIEWS)
    assert "format" in succeed("info", path)[0]
    _, said = succeed("upgrade", path)
    assert f"{path} upgraded from format 2 to {FORMAT} (" in said
    assert " before, " in said
    assert info(path)["format"] == FORMAT
    assert succeed("upgrade", path)[1] == f"nothing to upgrade: {path} has format {FORMAT}\n"
