"""Embeddings by a model: made in blocks, gone on with, extended, and asked about outside texts."""

from __future__ import annotations

import json

import numpy as np
import pytest

from helpers.toy_model import Initials
from likewise import Document, Index, Text
from likewise.errors import LockedError, UsageError
from likewise.search.query import Query
from likewise.store.embeddings import FILE, Encoded, Header, keys_of, read_header
from likewise.views import models

ANIMALS = "ape bee cat dog eel fox gnu hen".split()  # noqa: SIM905


@pytest.fixture(autouse=True)
def _nothing_loaded(monkeypatch):
    monkeypatch.setattr(models, "_loaded", [])


@pytest.fixture
def index(tmp_path):
    rng = np.random.default_rng(0)
    made = Index.create(tmp_path / "i", language="none", latent=0)
    made.add(Document(f"d{i}", " ".join(rng.choice(ANIMALS, 5)), title=f"t{i}") for i in range(600))
    return made


def embeddings(index: Index) -> np.ndarray:
    corpus = index.searcher.view("embeddings")
    return corpus.scores(np.eye(corpus.shape[1]))


def test_all_documents_are_embedded_and_centred(index):
    seen = []
    model = Initials()
    assert index.embed_with(model, progress=lambda done, total: seen.append((done, total))) == 600
    assert seen[0] == (0, 600)
    assert seen[-1] == (600, 600)
    assert model.seen[1] == "t0\n" + index.document("d0").text  # after the probe
    rows = embeddings(index)
    assert np.abs(rows.mean(axis=0)).max() < 1e-6
    raw = Initials().encode([f"{d.title}\n{d.text}" for d in map(index.document, index.ids())])
    raw /= np.linalg.norm(raw, axis=1, keepdims=True)
    np.testing.assert_allclose(rows, raw - raw.mean(axis=0), atol=1e-6)
    info = index.info().views["embeddings"]
    assert (info.dimensions, info.documents, info.later) == (26, 600, 0)
    assert info.source == "Initials"
    index.verify()


def test_what_was_interrupted_goes_on_and_the_index_waits(index):
    before = index.info()
    with pytest.raises(KeyboardInterrupt):
        index.embed_with(Initials(most=300))
    assert index.refresh().info() == before
    model = Initials()
    index.embed_with(model)
    assert len(model.seen) == 1 + 600 - 256
    assert not (index.path / FILE).exists()
    whole = embeddings(index)
    index.drop_embeddings()
    assert "embeddings" not in index.info().views
    index.embed_with(Initials())
    np.testing.assert_array_equal(embeddings(index), whole)


def test_without_a_name_the_interrupted_model_is_meant(index):
    with pytest.raises(KeyboardInterrupt):
        index.embed_with(Initials(most=300))
    header = read_header(index.path)
    assert header is not None
    assert header.name == "Initials"
    models.load(Initials())  # as in a process that has it
    assert index.embed_with() == 600


def test_another_model_begins_anew(index):
    with pytest.raises(KeyboardInterrupt):
        index.embed_with(Initials(most=300))
    index.embed_with(Initials(11))
    assert index.info().views["embeddings"].dimensions == 11
    model = Initials()
    assert index.embed_with(model) == 600
    assert index.info().views["embeddings"].dimensions == 26


def test_documents_added_later_are_embedded_when_asked(index):
    index.embed_with(Initials())
    before = embeddings(index)
    index.delete(["d3", "d4"])
    index.add([Document("new1", "zebra yak"), Document("new2", "yak wolf")])
    assert index.info().views["embeddings"].later == 2
    assert not embeddings(index)[-2:].any()
    (note,) = index.like("d7").notes
    assert note.startswith("2 documents have no embedding: call index.embed_with(model) in")
    notes = index.like(["d7", "new1", "new2"]).notes
    examples = "2 examples (new1 and 1 more) have no embedding and count only by other views"
    assert notes == (examples, note)
    assert "example new2 has no embedding" in index.like("d7", "new2").notes[0]
    model = Initials()
    assert index.embed_with(model) == 2
    assert model.seen[1:] == ["zebra yak", "yak wolf"]
    after = embeddings(index)
    kept = np.delete(np.arange(600), [3, 4])
    np.testing.assert_array_equal(after[:-2], before[kept])
    assert after[-2:].any(axis=1).all()
    info = index.info().views["embeddings"]
    assert (info.documents, info.later) == (600, 0)
    assert not index.like("d7").notes
    index.merge()
    np.testing.assert_array_equal(embeddings(index), after)
    models._loaded.clear()
    assert index.embed_with() == 0  # no model is needed for nothing
    index.verify()


def test_the_count_of_those_without_survives_deleting_and_merging(index):
    index.embed_with(Initials())
    index.add([Document("new1", "zebra yak"), Document("new2", "yak wolf")])
    index.delete("new1")
    index.merge()
    assert index.info().views["embeddings"].later == 1


def test_examples_from_outside_are_embedded(index):
    index.embed_with(Initials())
    text = "ant bear cow crab duck"  # no word of the index, but letters
    hits = index.like(Text(text), k=5, views="words,embeddings", method="rocchio")
    assert not hits.notes
    rows = embeddings(index)
    vector = models.load(Initials())([text])[0] - index._snapshot.centre
    best = np.argsort(-rows @ vector, kind="stable")[:5]
    assert hits[0].id == index.ids()[best[0]]


def test_where_the_model_is_not_to_be_had_a_note_says_so(index, monkeypatch):
    index.embed_with(Initials())
    monkeypatch.setattr(models, "_loaded", [])
    notes = index.like(Text("ape bee"), k=2).notes
    assert notes == (
        "examples from outside the index have no embedding: "
        "the model that made them (Initials) was an object of a program",
    )
    notes = index.like(Text("ape bee"), k=2, budget=1000).notes
    assert "exceed the budget" in notes[0]
    assert not index.like(Text("ape bee"), k=2, views="words").notes
    index.embed(np.eye(600, 3, dtype=np.float32) + 0.1, source="v.npy")
    assert "came from a file (v.npy)" in index.like(Text("ape bee"), k=2).notes[0]


def test_a_saved_query_knows_its_model_by_what_it_makes(index, tmp_path):
    class Renamed(Initials):
        pass

    index.embed_with(Initials())
    hits = index.like("d2", k=5)
    hits.query.portable.save(tmp_path / "q.json")
    index.embed_with(Renamed())  # the same vectors under another name: nothing to do
    again = index.run(Query.load(tmp_path / "q.json"), 5)
    assert [hit.id for hit in again] == [hit.id for hit in hits]
    assert not again.notes
    other = Index.create(tmp_path / "j", language="none", latent=0)
    other.add(Document(f"d{i}", "ape bee") for i in range(5))

    class Backwards(Initials):
        def encode(self, texts: list[str]) -> np.ndarray:
            return super().encode(texts)[:, ::-1]

    other.embed_with(Backwards())
    assert (
        "embeddings (Initials) are left out" in other.run(Query.load(tmp_path / "q.json")).notes[0]
    )


def test_two_do_not_embed_at_the_same_time(index):
    header = Header("m", "", (), 3)
    with (
        Encoded(index.path, header, again=False),
        pytest.raises(LockedError, match="is being written"),
    ):
        index.embed_with(Initials())


def test_documents_may_come_and_go_while_others_are_embedded(index):
    class Slow(Initials):
        def encode(self, texts: list[str]) -> np.ndarray:
            if not self.seen:
                other = Index.open(index.path)
                other.delete("d5")
                other.add([Document("new", "zebra")])
            return super().encode(texts)

    index.embed_with(Slow())
    info = index.info().views["embeddings"]
    assert (info.documents, info.later) == (599, 1)
    assert index.embed_with() == 1


def test_what_a_crash_left_half_written_is_made_again(tmp_path):
    header = Header("m", "", (0.5,), 2)
    rows = np.array([[1, 0], [0, 1], [0.6, 0.8]], np.float32)
    keys = keys_of(["a", "b", "c"])
    with Encoded(tmp_path, header, again=True) as made:
        made.add(keys, rows)
    content = (tmp_path / FILE).read_bytes()
    (tmp_path / FILE).write_bytes(content[:-20] + bytes(10))  # one torn, and an end that is short
    with Encoded(tmp_path, header, again=True) as made:
        places = made.places(keys)
        assert places.tolist() == [0, -1, -1]
        made.add(keys[1:], rows[1:])
        np.testing.assert_array_equal(made.vectors(made.places(keys)), rows)
    with Encoded(tmp_path, header, again=True) as made:
        assert len(made) == 3
        np.testing.assert_array_equal(made.vectors(made.places(keys)), rows)
    (tmp_path / FILE).write_bytes(b"\xff no header")
    assert read_header(tmp_path) is None


def test_a_model_that_is_none_is_refused(index, tmp_path):
    class Flat:
        def encode(self, texts: list[str]) -> np.ndarray:
            return np.ones(len(texts))

    class Broken:
        def encode(self, texts: list[str]) -> np.ndarray:
            return np.full((len(texts), 3), np.nan)

    before = index.info()
    with pytest.raises(UsageError, match=r"shape \(1,\) of 1 texts: a model must make one vector"):
        index.embed_with(Flat())
    with pytest.raises(Exception, match="what Broken made, row 1"):
        index.embed_with(Broken())
    assert index.info() == before
    empty = Index.create(tmp_path / "e")
    with pytest.raises(UsageError, match="is empty: add documents"):
        empty.embed_with(Initials())


def test_the_fields_that_are_analysed_are_embedded(tmp_path):
    made = Index.create(tmp_path / "f", fields=["summary", "keywords"], latent=0)
    records = [
        {"id": "a", "summary": "one two", "keywords": ["x", "y"], "text": "not this"},
        {"id": "b", "keywords": 7},
    ]
    (tmp_path / "r.jsonl").write_text("\n".join(map(json.dumps, records)))
    made.add(tmp_path / "r.jsonl")
    model = Initials()
    made.embed_with(model)
    assert model.seen[1:] == ["one two\nx\ny", "7"]
