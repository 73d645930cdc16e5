"""Views beside the words on disk: in step with the documents, checked, never secretly stale."""

from __future__ import annotations

import shutil

import msgspec
import numpy as np
import pytest

from likewise import Document, Index, Text, engines
from likewise.errors import StoreError, UsageError
from likewise.search.examples import count_rows
from likewise.store import views
from likewise.store.manifest import read_manifest, write_manifest
from likewise.store.segment import write_rows

WORDS = ["ape bee cat dog eel", "fox gnu hen ibis jay", "kid lynx mole newt owl"]


def documents(first: int, last: int) -> list[Document]:
    """Three topics in turn, each document with a choice of its topic's words."""
    rng = np.random.default_rng(first)
    return [
        Document(f"d{i}", " ".join(rng.choice(WORDS[i % 3].split(), 6))) for i in range(first, last)
    ]


@pytest.fixture
def index(tmp_path):
    made = Index.create(tmp_path / "i", language="none", latent=4)
    made.add(documents(0, 60))
    return made


def places(index: Index) -> np.ndarray:
    """The latent view's rows of the live documents."""
    segments = index._snapshot.segments
    rows = [s.view("latent").at(slice(None) if s.live is None else s.live) for s in segments]
    return np.concatenate(rows)


def test_a_latent_space_is_learned_when_documents_are_added(index):
    info = index.info().views["latent"]
    assert (info.dimensions, info.documents, info.later, info.stale) == (4, 60, 0, False)
    assert places(index).shape == (60, 4)
    assert info.bytes < index.info().bytes_on_disk
    index.verify()


def test_added_documents_are_folded_in_and_that_is_said(index):
    before = places(index)
    index.add(documents(60, 70))
    info = index.info().views["latent"]
    assert (info.documents, info.later, info.stale) == (60, 10, True)
    now = places(index)
    assert (now[:60] == before).all()
    own = now[:60][np.arange(60) % 3 == 0].mean(axis=0)
    assert (now[60:][np.arange(60, 70) % 3 == 0] @ own > 0.1).all()
    index.merge()
    info = index.info().views["latent"]
    assert (info.documents, info.later, info.stale) == (70, 0, False)
    index.verify()


def test_a_document_has_the_same_place_however_it_is_folded_in(index):
    """When the space was learned, when it is added again, and from outside: the same bits."""
    same = documents(0, 1)[0]
    index.add([Document("again", same.text)])
    rows = index._snapshot.segments[-1].view("latent")
    assert rows.precision == read_manifest(index.path).views["latent"].precision == "int8"
    assert (places(index)[-1] == places(index)[0]).all()
    generation = index.searcher
    outside = count_rows(generation.gather([Text(same.text)], []).outside, generation.snapshot)
    corpus = generation.stacked(None, {"words": 1.0, "latent": 1.0}, outside)
    found = corpus.views[1].corpus.scores(np.eye(4))
    assert (found[-1] == found[0]).all()


def test_deleting_makes_a_space_stale_and_merging_refreshes_it(index):
    index.delete(["d3", "d4"])
    assert index.info().views["latent"].stale
    assert places(index).shape == (58, 4)
    index.merge()
    assert not index.info().views["latent"].stale
    assert places(index).shape == (58, 4)
    generation = index.info().generation
    index.merge()
    assert index.info().generation == generation


def test_it_is_learned_anew_when_the_index_has_doubled(index):
    index.add(documents(60, 130))
    info = index.info().views["latent"]
    assert (info.documents, info.later) == (130, 0)


def test_it_waits_until_it_pays_unless_asked(tmp_path):
    small = Index.create(tmp_path / "small", language="none")
    small.add(documents(0, 60))
    assert small.info().views == {}
    small.learn_latent(2)
    assert small.info().views["latent"].dimensions == 2
    small.drop_latent()
    small.add(documents(60, 1200))
    assert small.info().views == {}
    large = Index.create(tmp_path / "large", language="none")
    large.add(documents(0, 1000))
    assert large.info().views["latent"].documents == 1000


def test_the_same_documents_and_seed_give_the_same_bytes(tmp_path):
    for name, threads in (("a", 1), ("b", 3)):
        made = Index.create(tmp_path / name, language="none", latent=4, threads=threads)
        made.add(documents(0, 60))
        made.add(documents(60, 70))
    for file in sorted((tmp_path / "a" / "segments").iterdir()):
        assert file.read_bytes() == (tmp_path / "b" / "segments" / file.name).read_bytes()
    before = places(made)
    made.learn_latent(seed=9)
    assert not (places(made) == before).all()


def test_vectors_have_no_latent_space(tmp_path):
    made = Index.create(tmp_path / "i", latent=4)
    with pytest.raises(UsageError, match="holds nothing yet"):
        made.learn_latent()
    np.save(tmp_path / "v.npy", np.eye(5, dtype=np.float32))
    with pytest.raises(
        UsageError, match=r"v\.npy.* is dense vectors: a latent space, which .*words"
    ):
        made.add(tmp_path / "v.npy")
    assert not len(made)
    made = Index.create(tmp_path / "vectors")
    made.add(tmp_path / "v.npy")
    assert made.info().views == {}
    with pytest.raises(UsageError, match="learned from words"):
        made.learn_latent()
    with pytest.raises(UsageError, match="0 or more"):
        Index.create(tmp_path / "j", latent=-1)


def test_where_there_is_nothing_to_learn_there_is_no_space(tmp_path):
    made = Index.create(tmp_path / "i", language="none", latent=4)
    made.add(Document(f"d{i}", f"ape{i} bee{i}") for i in range(5))
    assert made.info().views == {}
    generation = made.generation
    made.learn_latent()
    assert made.generation == generation
    assert list(made.like("d1").query.views) == ["words", "titles"]
    made.add(documents(10, 40))
    assert made.info().views["latent"].dimensions == 4
    made.delete([f"d{i}" for i in range(10, 40)])
    made.merge()
    assert made.info().views == {}


def test_an_old_manifest_without_views_opens(index):
    manifest = read_manifest(index.path)
    plain = msgspec.json.decode(msgspec.json.encode(manifest))
    del plain["views"], plain["latent"]
    for segment in plain["segments"]:
        del segment["views"]
    write_manifest(index.path, msgspec.convert(plain, type(manifest)))
    opened = Index.open(index.path)
    assert opened.info().views == {}
    assert len(opened.like(["d1"], k=3)) == 3


def test_a_reader_keeps_its_view_while_others_write(index):
    reader = Index.open(index.path)
    before = places(reader)
    index.add(documents(60, 130))
    index.merge()
    assert (places(reader) == before).all()
    reader.verify()


def test_a_view_of_other_documents_is_refused(index, tmp_path):
    other = Index.create(tmp_path / "other", language="none", latent=4)
    other.add(documents(0, 59))
    mine, theirs = read_manifest(index.path), read_manifest(other.path)
    rows = theirs.segments[0].views["latent"]
    shutil.copy(other.path / rows.file, index.path / "segments" / "000099.view")
    swapped = msgspec.structs.replace(
        mine.segments[0],
        views={"latent": msgspec.structs.replace(rows, file="segments/000099.view")},
    )
    write_manifest(index.path, msgspec.structs.replace(mine, segments=(swapped,)))
    with pytest.raises(StoreError, match="has 59 documents instead of 60"):
        Index.open(index.path)
    bare = msgspec.structs.replace(mine.segments[0], views={})
    write_manifest(index.path, msgspec.structs.replace(mine, segments=(bare,)))
    with pytest.raises(StoreError, match="is not in its view 'latent'"):
        Index.open(index.path)


def test_damage_to_a_view_is_found(index):
    rows = read_manifest(index.path).segments[0].views["latent"]
    path = index.path / rows.file
    content = bytearray(path.read_bytes())
    content[100] ^= 1
    path.write_bytes(bytes(content))
    with pytest.raises(StoreError, match="checksum"):
        Index.open(index.path).verify()
    with pytest.raises(StoreError, match="checksum"):
        Index.open(index.path)._snapshot.segments[0].view("latent")


def test_a_failure_while_learning_leaves_the_index_as_it_was(index, monkeypatch):
    before = read_manifest(index.path)

    def fail(change, blocks, count, *precision, **options):
        write_rows(change, blocks, count, *precision, **options)
        raise MemoryError

    monkeypatch.setattr(views, "write_rows", fail)
    with pytest.raises(MemoryError):
        index.learn_latent()
    assert read_manifest(index.path) == before
    assert {f"segments/{f.name}" for f in (index.path / "segments").iterdir()} == before.files


def test_a_latent_space_is_computed_by_the_engine_of_its_index(index, monkeypatch):
    by_local = places(index)
    used = []

    def engine_of(name):
        used.append(name)
        return engines.engine_of(name)

    monkeypatch.setattr(views, "engine_of", engine_of)
    other = Index.open(index.path, engine="memory")
    other.views.learn_latent()
    assert set(used) == {"memory"}
    by_other = places(other)  # a singular vector and its negative are as good
    np.testing.assert_allclose(by_other @ by_other.T, by_local @ by_local.T, atol=1e-5)
    other.add(documents(60, 66))
    other.merge()
    assert set(used) == {"memory"}
    assert other.views.info() == other.info().views
    assert other.views.info()["latent"].documents == 66
