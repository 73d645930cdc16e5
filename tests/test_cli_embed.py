"""`likewise embed` and what other commands say of embeddings, with a model of the tests' own."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from helpers.command_line import refuse, run, succeed
from helpers.toy_model import Initials
from likewise import Index
from likewise.search import embeddings
from likewise.views import models


@pytest.fixture(autouse=True)
def _model(monkeypatch):
    """Whatever is named as a model is one that knows first letters, somewhere on this machine."""
    load = models.load

    def found(model):
        return load(Initials() if model == "initials" else Initials(most=300))

    monkeypatch.setattr(models, "_loaded", [])
    monkeypatch.setattr(embeddings, "load", found)
    monkeypatch.setattr(models, "find", Path)


@pytest.fixture
def papers(tmp_path):
    lines = [json.dumps({"id": f"d{i}", "text": f"ape bee w{i} cat"}) for i in range(600)]
    (tmp_path / "p.jsonl").write_text("\n".join(lines))
    (tmp_path / "new.jsonl").write_text(json.dumps({"id": "new", "text": "dog eel"}))
    return tmp_path


def test_index_with_a_model_then_add_then_embed(papers):
    index = papers / "p.idx"
    _, said = succeed("index", papers / "p.jsonl", "-o", index, "--embed", "initials")
    assert f"{index}: embeddings of 600 documents (Initials)" in said
    _, said = succeed("add", index, papers / "new.jsonl")
    assert "1 document has no embedding: call index.embed_with(model) in a program" in said
    assert "1 document without: call index.embed_with(model)" in succeed("info", index)[0]
    _, said = succeed("embed", index)
    assert said == f"{index}: embeddings of 601 documents (Initials), 1 of them new\n"
    assert "without" not in succeed("info", index)[0]
    assert succeed("embed", index, "--drop")[1] == f"{index} has no embeddings now\n"
    assert "embeddings" not in succeed("info", index)[0]


def test_an_interruption_says_how_to_go_on(papers):
    index = papers / "p.idx"
    status, _, said = run("index", papers / "p.jsonl", "-o", index, "--embed", "slow")
    assert status == 130
    assert said == (
        "likewise: interrupted; the embeddings computed so far are kept: "
        f"continue with likewise embed {index} --embed slow\n"
    )
    assert len(Index.open(index)) == 600
    succeed("embed", index, "--embed", "initials")


def test_what_makes_no_sense_is_refused(papers):
    index = papers / "p.idx"
    succeed("index", papers / "p.jsonl", "-o", index)
    both = ("--embed", "initials", "--embeddings", "v.npy")
    refuse(
        2, "--embeddings and --embed exclude each other: give one of them", "embed", index, *both
    )
    refuse(2, "--drop removes the embeddings: .*", "embed", index, "--drop", "--embed", "initials")
    np.save(papers / "v.npy", np.random.default_rng(0).normal(size=(600, 2)))
    succeed("embed", index, "--embeddings", papers / "v.npy")
    refuse(2, r"embeddings of \S+ came from a file \(v.npy\): name a model, .*", "embed", index)
    succeed("add", index, papers / "new.jsonl")
    _, said = succeed("search", index, "--like", "id:d3")
    brought = "1 document has no embedding: give a file with vectors for it (likewise embed"
    assert f"{brought} --embeddings" in said
    query = papers / "q.json"
    succeed("search", index, "--like", "id:d3", "--save-query", query)
    stdout, said = succeed("search", index, "--query", query, "--format", "json")
    (note,) = json.loads(stdout)["notes"]
    assert note in said
    assert note.startswith(brought)


def test_vectors_for_new_documents_join_the_others(papers):
    index = papers / "p.idx"
    vectors, more, ids = papers / "v.npy", papers / "more.npy", papers / "ids.txt"
    np.save(vectors, np.random.default_rng(0).normal(size=(600, 3)))
    succeed("index", papers / "p.jsonl", "-o", index, "--embeddings", vectors)
    succeed("add", index, papers / "new.jsonl")
    np.save(more, np.array([[1, 2, 3]]))
    ids.write_text("new\n")
    bring = ("embed", index, "--embeddings", more, "--embeddings-ids", ids)
    _, said = succeed(*bring)
    assert said == f"{index}: embeddings of 601 documents (v.npy), 1 of them new\n"
    _, said = succeed(*bring, "--replace")
    lost = "600 other documents lost the earlier one"
    assert said == f"{index}: embeddings of 1 document (more.npy); {lost}\n"
    refuse(2, "--replace goes with --embeddings: .*", "embed", index, "--replace")


def test_what_is_wrong_with_a_file_is_said_before_indexing(papers):
    index, vectors, ids = papers / "p.idx", papers / "v.npy", papers / "ids.txt"
    make = ("index", papers / "p.jsonl", "-o", index, "--embeddings", vectors)
    refuse(1, r".*v\.npy does not exist", *make)
    np.save(vectors, np.where(np.arange(600)[:, None] == 9, np.nan, np.ones((600, 2))))
    refuse(1, r".*v\.npy, row 10: a number is missing.*", *make)
    np.save(vectors, np.ones((599, 2)))
    ids.write_text("d1\n")
    refuse(2, ".* 599 vectors and there are 1 ids: .*", *make, "--embeddings-ids", ids)
    assert not index.exists()
    refuse(
        2,
        rf".*599 vectors for 600 documents: give their ids \(600 documents are in {index} already: "
        rf"continue with likewise embed {index} --embeddings FILE\)",
        *make,
    )
    assert len(Index.open(index)) == 600
    refuse(2, "there is an index at .*", *make)


def test_a_model_that_is_not_there_is_said_before_indexing(papers, monkeypatch):
    monkeypatch.undo()
    index = papers / "p.idx"
    refuse(2, ".*", "index", papers / "p.jsonl", "-o", index, "--embed", papers / "none")
    assert not index.exists()


def test_the_precision_of_embeddings(papers):
    index = papers / "p.idx"
    succeed("index", papers / "p.jsonl", "-o", index, "--embed", "initials")
    _, said = succeed("embed", index, "--precision", "int8")
    assert said == f"{index}: embeddings are kept as int8\n"
    refuse(2, "precision 'half' is none of float32, int8", "embed", index, "--precision", "half")
    alone = "--drop removes the embeddings: it goes without other options"
    refuse(2, alone, "embed", index, "--drop", "--precision", "int8")
