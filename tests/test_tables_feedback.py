"""The tables of feedback, on collections small enough to follow."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

from likewise.tables import nonrelevance, reviews
from likewise.tables.values import MissingError, Result


def write(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def topics(tmp_path):
    """40 documents with the topic's word; the relevant one has it least, and a word of its own."""
    folder = tmp_path / "ir" / "toy"
    documents = [{"id": f"d{i}", "text": f"apple fruit{i} " + "apple " * 3} for i in range(40)]
    documents.append(
        {"id": "wanted", "text": "apple orchard " + " ".join(f"w{i}" for i in range(9))}
    )
    documents += [{"id": f"x{i}", "text": f"stone house{i}"} for i in range(40)]
    write(folder / "docs.jsonl.gz", documents)
    write(folder / "queries.jsonl.gz", [{"id": "1", "text": "apple"}, {"id": "2", "text": "stone"}])
    (folder / "qrels.tsv").write_text("1\twanted\t1\n1\td3\t0\n2\tx0\t1\n")
    return tmp_path


def job(**fields):
    return {"data": "ir/toy", "topic": "toy", "weighting": "tfidf", "page": 10, **fields}


def test_rounds_to_the_first_relevant_document(topics):
    """The second topic has one on the first page and does not take part."""
    found = nonrelevance.run(job(method="none"), topics)
    assert found == {"development": [4], "report": []}


@pytest.mark.parametrize("method", nonrelevance.METHODS)
def test_every_method_is_measured(topics, method):
    numbers = nonrelevance.run(job(method=method), topics)
    assert 1 <= numbers["development"][0] <= nonrelevance.ROUNDS + 1
    (section, _) = nonrelevance.sections([Result(job(method=method), numbers)])
    assert section.rows[0]["mean rounds"].value == numbers["development"][0]


def test_jobs_of_both_studies_can_be_told_apart():
    for study in (nonrelevance, reviews):
        jobs = [json.dumps(each, sort_keys=True) for each in study.jobs(2)]
        assert len(set(jobs)) == len(jobs)


@pytest.fixture
def review(tmp_path):
    rng = np.random.default_rng(0)
    words = [f"w{i}" for i in range(60)]
    rows = [
        {
            "id": str(i),
            "title": "study",
            "abstract": " ".join([*rng.choice(words, 8), *(["trial"] * (i % 5 == 0))]),
            "label": int(i % 5 == 0),
        }
        for i in range(60)
    ]
    write(tmp_path / "review" / "toy" / "records.jsonl.gz", rows)
    return tmp_path


def test_a_review_is_replayed(review):
    fields = {"data": "review/toy", "topic": "toy", "half": "report", "seed": 0}
    numbers = reviews.run({**fields, "method": "auto"}, review)
    assert 0 <= numbers["loss"] < 0.5
    (section,) = reviews.sections([Result({**fields, "method": "auto"}, numbers)])
    assert section.rows[0]["loss"].value == numbers["loss"]


def test_without_asreview_its_rows_say_so(review, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "asreview.learner", None)
    with pytest.raises(MissingError, match="needs asreview"):
        reviews.asreview(review / "review" / "toy" / "records.jsonl.gz", [0, 1], 0)
