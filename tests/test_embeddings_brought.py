"""Embeddings that users bring: a third view, in step with the documents."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from likewise import Document, Index
from likewise.errors import InputError, UsageError
from likewise.search.query import Query
from likewise.views.precision import rounded

WORDS = "ape bee cat dog eel fox gnu hen".split()  # noqa: SIM905
MOSTLY = {"words": 1.0, "embeddings": 2.0}  # of so few words, each says much


@pytest.fixture
def index(tmp_path):
    """Documents whose words say nothing about which of two kinds they are."""
    rng = np.random.default_rng(0)
    made = Index.create(tmp_path / "i", language="none", latent=0)
    made.add(Document(f"d{i}", " ".join(rng.choice(WORDS, 5))) for i in range(40))
    return made


def vectors(count: int = 40) -> np.ndarray:
    """Even documents one way, odd ones the other."""
    rng = np.random.default_rng(1)
    signs = np.where(np.arange(count) % 2, 1.0, -1.0)
    return np.column_stack([5 * signs, rng.normal(size=(count, 2))]).astype(np.float32)


def even(hits) -> int:
    return sum(int(hit.id[1:]) % 2 == 0 for hit in hits)


def test_auto_learns_over_them(index, tmp_path):
    np.save(tmp_path / "v.npy", vectors())
    index.embed(tmp_path / "v.npy")
    hits = index.like("d2", k=15)
    assert list(hits.query.views) == ["words", "titles", "embeddings"]
    assert even(hits) == 15
    info = index.info().views["embeddings"]
    assert (info.dimensions, info.documents, info.later, info.source) == (3, 40, 0, "v.npy")


def test_explanations_sum_with_their_part_apart(index):
    index.embed(vectors())
    hits = index.like(["d2", "d4"], k=3)
    explanation = index.explain(hits[0], hits.query)
    assert explanation.score == pytest.approx(hits[0].score, abs=1e-9)
    assert "(embeddings)" in [weight.term for weight in explanation.terms]


def test_ids_say_whose_they_are(index, tmp_path):
    ids = [f"d{i}" for i in range(40)]
    index.embed(vectors()[::-1], ids[::-1])
    assert even(index.like("d2", k=15, views=MOSTLY)) == 15
    (tmp_path / "ids.txt").write_text("\n".join(ids[:20]))
    assert index.embed(vectors(20), tmp_path / "ids.txt", replace=True) == (20, 0, 20)
    info = index.info().views["embeddings"]
    assert (info.documents, info.later, info.stale) == (20, 20, True)
    assert even(index.like("d2", k=9, views=MOSTLY)) == 9


def rows_of(index) -> np.ndarray:
    corpus = index.searcher.view("embeddings")
    return corpus.scores(np.eye(corpus.shape[1]))


def test_some_join_those_that_are_there(index):
    given = vectors()
    index.embed(given, source="m")
    before, centre = rows_of(index), index._snapshot.centre.copy()
    index.delete("d7")
    index.add(Document(f"new{i}", "ape bee") for i in range(3))
    added = np.array([[1, 2, 2], [0, 3, 4], [0, 0, 0]], np.int8)
    assert index.embed(added, ["d0", "new0", "new1"]) == (3, 38, 0)
    after = rows_of(index)
    np.testing.assert_array_equal(after[1:39], np.delete(before, [0, 7], axis=0))
    np.testing.assert_array_equal(index._snapshot.centre, centre)
    raw = np.array([[1, 2, 2], [0, 3, 4]]) / [[3], [5]]
    np.testing.assert_allclose(after[[0, 39]], raw - centre, atol=1e-6)
    assert not after[40:].any()  # a vector of zeros says nothing
    info = index.info().views["embeddings"]
    assert (info.documents, info.later, info.source) == (41, 1, "m")
    index.verify()
    index.merge()
    np.testing.assert_array_equal(rows_of(index), after)


def test_others_are_lost_only_where_that_is_said(index):
    index.embed(vectors(), source="m")
    some = ["d1", "d2"]
    assert index.embed(vectors(2), some, source="other") == (2, 0, 40 - 2)
    assert index.info().views["embeddings"].source == "other"
    index.embed(vectors())
    assert index.embed(np.ones((2, 5)), some) == (2, 0, 38)
    assert index.info().views["embeddings"].documents == 2
    assert index.embed(vectors()) == (40, 0, 0)
    assert index.embed(vectors(2), some, replace=True) == (2, 0, 38)


def test_another_handle_brings_them_to_the_right_documents(index):
    other = Index.open(index.path)
    index.delete("d0")
    other.embed(vectors(2), ["d38", "d39"])
    index.refresh()
    assert np.flatnonzero(rows_of(index).any(axis=1)).tolist() == [37, 38]


def test_what_is_counted_is_there(index):
    index.embed(vectors(20), [f"d{i}" for i in range(20)])
    info = lambda: index.info().views["embeddings"][1:3]  # noqa: E731
    assert info() == (20, 20)
    index.delete([f"d{i}" for i in range(15, 23)])
    assert info() == (15, 17)
    index.add([Document("d0", "ape bee")], on_duplicate="replace")
    assert info() == (14, 18)
    index.merge()
    assert info() == (14, 18)


def test_they_stay_with_their_documents(index):
    index.embed(vectors())
    index.delete(["d0", "d1", "d7"])
    index.add([Document("d100", "ape bee")])
    assert index.info().views["embeddings"].later == 1
    before = index.corpus().shape[0]
    index.merge()
    assert index.info().views["embeddings"].later == 1
    assert index.searcher.view("embeddings").shape == (before, 3)
    assert even(index.like("d2", k=15, views=MOSTLY)) == 15
    index.verify()


def test_a_saved_query_needs_embeddings_of_the_same_source(index, tmp_path):
    index.embed(vectors(), source="m")
    hits = index.like("d2", k=5)
    hits.query.portable.save(tmp_path / "q.json")
    query = Query.load(tmp_path / "q.json")
    assert [hit.id for hit in index.run(query, 5)] == [hit.id for hit in hits]
    index.embed(vectors(), source="other")
    assert "embeddings (m) are left out" in index.run(query, 5).notes[-1]


def test_what_makes_no_sense_is_refused_and_changes_nothing(index, tmp_path):
    before = index.info()
    with pytest.raises(UsageError, match="39 vectors for 40 documents: give their ids"):
        index.embed(vectors(39))
    with pytest.raises(UsageError, match="no document 'd77'"):
        index.embed(vectors(2), ["d1", "d77"])
    with pytest.raises(UsageError, match="the id 'd1' is given twice"):
        index.embed(vectors(2), ["d1", "d1"])
    with pytest.raises(UsageError, match="2 vectors and there are 1 ids"):
        index.embed(vectors(2), ["d1"])
    with pytest.raises(InputError, match="row 3"):
        index.embed(np.where(np.arange(40)[:, None] == 2, np.nan, vectors()))
    with pytest.raises(InputError, match="one vector per row"):
        index.embed(np.ones(40))
    (tmp_path / "v.npy").write_bytes(b"no")
    with pytest.raises(InputError, match=r"v\.npy is not a \.npy file[^\n]*numpy\.save$"):
        index.embed(tmp_path / "v.npy")
    np.save(tmp_path / "cut.npy", vectors())
    (tmp_path / "cut.npy").write_bytes((tmp_path / "cut.npy").read_bytes()[:-8])
    with pytest.raises(InputError, match=r"or is incomplete: write one with numpy\.save$"):
        index.embed(tmp_path / "cut.npy")
    with pytest.raises(InputError, match=r"none\.npy does not exist$"):
        index.embed(tmp_path / "none.npy")
    np.savez(tmp_path / "a.npz", a=vectors(), b=vectors())
    with pytest.raises(InputError, match=r"a\.npz is an archive: write one array"):
        index.embed(tmp_path / "a.npz")
    with pytest.raises(InputError, match="row 40: a number is missing, infinite or too large"):
        index.embed(np.where(np.arange(40)[:, None] == 39, 1e300, vectors().astype(float)))
    with pytest.raises(InputError, match="type bool: embeddings must be real numbers"):
        index.embed(np.ones((40, 2), bool))
    assert index.info() == before


def test_a_model_needs_its_package(index, monkeypatch, tmp_path):
    (tmp_path / "modules.json").write_text("[]")
    for package in ("sentence_transformers", "onnxruntime"):
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(UsageError, match=r"pip install 'likewise\[embed\]'"):
        index.embed_with(str(tmp_path))


def test_embeddings_in_bytes(index):
    """Rows are rounded once; what comes later is kept in the same way."""
    with pytest.raises(UsageError, match="has no embeddings: there is nothing to keep as int8"):
        index.views.store_embeddings("int8")
    index.embed(vectors(), source="m")
    index.delete("d7")
    exact, size = rows_of(index), index.info().views["embeddings"].bytes
    with pytest.raises(UsageError, match="precision 'half' is none of float32, int8"):
        index.views.store_embeddings("half")
    index.views.store_embeddings("int8")
    after = rows_of(index)
    np.testing.assert_array_equal(after, rounded(exact.astype(np.float32), "int8"))
    assert not (after == exact).all()
    assert index.info().views["embeddings"].bytes < size
    assert even(index.like("d2", k=15, views=MOSTLY)) == 15
    index.add(Document("new", "ape bee"))
    assert index.embed(vectors(1), ["new"]) == (1, 39, 0)
    assert (rows_of(index)[:-1] == after).all()
    index.merge()
    assert (rows_of(index)[:-1] == after).all()
    assert all(s.view("embeddings").precision == "int8" for s in index._snapshot.segments)
    index.embed(vectors(40), index.ids(), source="other")
    assert index._snapshot.segments[0].view("embeddings").precision == "int8"
    generation = index.generation
    index.views.store_embeddings("int8")
    assert index.generation == generation
    index.views.store_embeddings("float32")
    assert index._snapshot.segments[0].view("embeddings").precision == "float32"
