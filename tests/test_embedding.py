"""Embeddings that users bring: a third view, in step with the documents."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from likewise import Document, Index
from likewise.errors import InputError, UsageError
from likewise.query import Query

WORDS = "ape bee cat dog eel fox gnu hen".split()  # noqa: SIM905


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
    assert list(hits.query.views) == ["words", "embeddings"]
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
    assert even(index.like("d2", k=15)) == 15
    (tmp_path / "ids.txt").write_text("\n".join(ids[:20]))
    index.embed(vectors(20), tmp_path / "ids.txt")
    info = index.info().views["embeddings"]
    assert (info.documents, info.later, info.stale) == (20, 20, True)
    assert even(index.like("d2", k=9)) == 9


def test_they_stay_with_their_documents(index):
    index.embed(vectors())
    index.delete(["d0", "d1", "d7"])
    index.add([Document("d100", "ape bee")])
    assert index.info().views["embeddings"].later == 1
    before = index.corpus().shape[0]
    index.merge()
    assert index.info().views["embeddings"].later == 1
    assert index._searcher.corpora.view("embeddings").shape == (before, 3)
    assert even(index.like("d2", k=15)) == 15
    index.verify()


def test_a_saved_query_needs_embeddings_of_the_same_source(index, tmp_path):
    index.embed(vectors(), source="m")
    hits = index.like("d2", k=5)
    hits.query.portable.save(tmp_path / "q.json")
    query = Query.load(tmp_path / "q.json")
    assert [hit.id for hit in index.run(query, 5)] == [hit.id for hit in hits]
    index.embed(vectors(), source="other")
    assert "embeddings (m) is left out" in index.run(query, 5).notes[-1]


def test_what_makes_no_sense_is_refused_and_changes_nothing(index, tmp_path):
    before = index.info()
    with pytest.raises(UsageError, match="39 vectors for 40 documents: give their ids"):
        index.embed(vectors(39))
    with pytest.raises(UsageError, match="no document 'd77'"):
        index.embed(vectors(2), ["d1", "d77"])
    with pytest.raises(UsageError, match="twice"):
        index.embed(vectors(2), ["d1", "d1"])
    with pytest.raises(UsageError, match="2 vectors and there are 1 ids"):
        index.embed(vectors(2), ["d1"])
    with pytest.raises(InputError, match="row 3"):
        index.embed(np.where(np.arange(40)[:, None] == 2, np.nan, vectors()))
    with pytest.raises(InputError, match="one vector a row"):
        index.embed(np.ones(40))
    (tmp_path / "v.npy").write_bytes(b"no")
    with pytest.raises(InputError, match=r"v\.npy is no \.npy file[^\n]*numpy\.save$"):
        index.embed(tmp_path / "v.npy")
    np.save(tmp_path / "cut.npy", vectors())
    (tmp_path / "cut.npy").write_bytes((tmp_path / "cut.npy").read_bytes()[:-8])
    with pytest.raises(InputError, match=r"or is cut short: write one with numpy\.save$"):
        index.embed(tmp_path / "cut.npy")
    with pytest.raises(InputError, match=r"cannot read .*none\.npy: No such file"):
        index.embed(tmp_path / "none.npy")
    assert index.info() == before


def test_a_model_needs_its_package(index, monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(UsageError, match=r"pip install 'likewise\[embed\]'"):
        index.embed_with("model")
