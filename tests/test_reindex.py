"""Documents that are analysed anew: what stays, what changes, and what cannot be."""

from __future__ import annotations

import json

import numpy as np
import pytest

from helpers.command_line import refuse, succeed
from likewise import Document, Index, UsageError
from likewise.datasets import arxiv_sample


def documents(count):
    return [Document(f"d{i}", f"Running runners ran {i % 7} races", year=i) for i in range(count)]


@pytest.fixture
def index(tmp_path):
    made = Index.create(tmp_path / "a.idx", latent=4)
    made.add(documents(40), merge=False)
    made.add([Document("late", "Die Züge fuhren", tags=["rail", "trains"])], merge=False)
    return made


def test_an_index_analysed_anew_is_as_if_built_so(tmp_path, index):
    index.delete(["d3", "d20"])
    index.reindex(language="german", stop_words=False)
    other = Index.create(tmp_path / "b.idx", language="german", stop_words=False)
    other.add([one for one in documents(40) if one.id not in ("d3", "d20")])
    other.add([Document("late", "Die Züge fuhren", tags=["rail", "trains"])])
    assert index.ids() == other.ids()
    assert index.terms() == other.terms()
    assert index.info().settings == other.info().settings
    for words in ("die Zug", "runners", "races 3"):
        assert list(index.search(words)) == list(other.search(words))
    assert index.document("late") == Document("late", "Die Züge fuhren", tags=["rail", "trains"])
    assert index.count("year<5") == 4


def test_fields_that_were_not_searched_before(index):
    assert not index.search("trains")
    index.reindex(fields=("text", "tags"))
    assert [hit.id for hit in index.search("trains")] == ["late"]
    index.reindex(fields="year")  # numbers are text, lists and absent ones are not a problem
    assert [hit.id for hit in index.search("17")] == ["d17"]
    assert index.document("d17").text == "Running runners ran 3 races"


def test_a_field_that_holds_no_text_is_left_out(tmp_path):
    index = Index.create(tmp_path / "a.idx")
    index.add(
        [{"id": "1", "text": "one", "by": {"name": "A"}}, {"id": "2", "text": "", "by": "two"}]
    )
    index.reindex(fields=["text", "by"])
    assert [hit.id for hit in index.search("one")] == ["1"]
    assert [hit.id for hit in index.search("two")] == ["2"]


@pytest.mark.parametrize("memory", [1, 1 << 28])
def test_embeddings_are_carried_by_document(index, memory):
    vectors = np.random.default_rng(0).normal(size=(41, 5)).astype(np.float32)
    index.embed(vectors[:-1], index.ids()[:-1])
    index.delete(["d0", "d39"])
    before = index.searcher.view("embeddings")
    rows = before.rows(np.arange(39))
    index.reindex(memory=memory)
    assert (index.info().segments > 1) == (memory == 1)
    after = index.searcher.view("embeddings").rows(np.arange(39))
    assert np.array_equal(after.values, rows.values)
    assert np.array_equal(after.starts, rows.starts)
    info = index.info().views
    assert info["embeddings"].later == 1
    assert info["embeddings"].documents == 38
    assert info["latent"].documents == 39
    assert not info["latent"].stale
    index.verify()


def test_sessions_stay(index):
    session = index.session("review", query="races")
    session.judge_all({"d1": "relevant", "d2": "not"})
    index.reindex(language="none")
    again = Index.open(index.path).session("review")
    assert again.judgements() == {"d1": "relevant", "d2": "not"}


def test_progress_counts_documents(index):
    seen = []
    index.reindex(progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (41, 41)
    assert seen == sorted(seen)


def test_vectors_have_nothing_to_analyse(tmp_path):
    np.save(tmp_path / "v.npy", np.eye(3, dtype=np.float32))
    index = Index.create(tmp_path / "v.idx")
    index.add(tmp_path / "v.npy")
    with pytest.raises(UsageError, match="nothing to analyse"):
        index.reindex()
    refuse(2, r".*v\.idx holds vectors.*nothing to analyse", "reindex", index.path)


def test_wrong_settings_change_nothing(index):
    generation = index.generation
    with pytest.raises(UsageError, match="unknown language 'klingon'"):
        index.reindex(language="klingon")
    with pytest.raises(UsageError, match="fields"):
        index.reindex(fields=[])
    assert Index.open(index.path).generation == generation


def test_an_empty_index_takes_other_settings(tmp_path):
    index = Index.create(tmp_path / "a.idx")
    index.reindex(language="german")
    index.add([Document("1", "Die Züge")])
    assert index.info().settings["language"] == "german"
    assert index.search("Zug")


def test_the_command_says_what_it_did(tmp_path):
    succeed("index", arxiv_sample(), "-o", tmp_path / "a.idx", "--no-latent")
    _, said = succeed("reindex", tmp_path / "a.idx", "--language", "none", "--bigrams")
    assert "2,000 documents" in said
    assert "terms" in said
    settings = json.loads(succeed("info", tmp_path / "a.idx", "--json")[0])["settings"]
    assert settings["language"] == "none"
    assert settings["bigrams"] is True
    succeed("reindex", tmp_path / "a.idx", "--no-bigrams", "--fields", "title")
    settings = json.loads(succeed("info", tmp_path / "a.idx", "--json")[0])["settings"]
    assert settings == {**settings, "bigrams": False, "fields": ["title"], "language": "none"}
