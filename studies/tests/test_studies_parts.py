"""Examples of one part, another searched: the table that holds `auto` to the paper's numbers."""

from __future__ import annotations

import bz2
import gzip
import json

import numpy as np
import pytest

from likewise.evaluation import provenance
from likewise.evaluation.report.report import make
from likewise.evaluation.runs import Setting
from likewise.evaluation.studies import MissingError
from likewise.search.auto import choose
from likewise_studies.parts import data as parts_data
from likewise_studies.parts import study as parts
from likewise_studies.parts.sections import LABELS
from likewise_studies.qbme import data as qbme_data


@pytest.fixture
def data(tmp_path, monkeypatch):
    """Documents in which topic t has many of term t, as counts and as texts."""
    monkeypatch.setenv("LIKEWISE_CACHE", str(tmp_path / "cache"))
    for cached in (provenance.files, qbme_data.load, qbme_data._read, parts_data.load):
        cached.cache_clear()
    random = np.random.default_rng(0)
    folder = tmp_path / "qbme" / "news20"
    folder.mkdir(parents=True)
    terms = [sorted({*random.integers(1, 80, 6).tolist(), i % 20 + 1}) for i in range(1200)]
    lines = [f"{i % 20 + 1}{''.join(f' {t}:2' for t in row)}\n" for i, row in enumerate(terms)]
    (folder / "news20.bz2").write_bytes(bz2.compress("".join(lines).encode()))
    records = [
        {
            "text": " ".join(f"term{t}" for t in row),
            "label": parts_data.BY_DATE[i % 20],
            "split": "train" if i < 600 else "test",
        }
        for i, row in enumerate(terms)
    ]
    written = "".join(json.dumps(record) + "\n" for record in records)
    (folder / "20news-bydate.jsonl.gz").write_bytes(gzip.compress(written.encode()))
    yield tmp_path
    parts_data.load.cache_clear()


def job(**fields):
    common = {"data": "qbme/news20", "set": "news20", "half": "report", "topic": "2", "seed": 0}
    return common | {"method": "auto, all views"} | fields


@pytest.mark.parametrize(
    "method", ["auto, all views", "auto, words", "rocchio", "ba, 1 per example"]
)
@pytest.mark.parametrize(("name", "topic"), [("news20", "2"), ("20news by date", "sci.med")])
def test_a_topic_is_found_in_the_other_part(data, name, topic, method):
    found = parts.run(job(set=name, topic=topic, method=method), data)
    searched = 240 if name == "news20" else 600
    assert found["examples"] + found["relevant"] == 60
    assert found["AP"] > 5 * found["relevant"] / searched


def test_plans_are_those_of_auto(data):
    weighting, plan = parts._plan("auto, all views", 40, 5000)
    assert (weighting, list(plan.factors)) == ("damped", ["words", "latent"])
    assert plan == choose(parts.Given(40, 5000, 0, ["latent"], speed=np.inf))
    assert parts._plan("auto, counts", 40, 5000)[0] == "counts"
    _, fixed = parts._plan("steady, 3 per example", 40, 5000)
    assert (fixed.method, fixed.C_per_example, fixed.twice) == ("steady", 3.0, False)


def test_halves_share_no_topic():
    found = {}
    for each in parts.jobs(1):
        found.setdefault(each["set"], {}).setdefault(each["topic"], set()).add(each["half"])
    assert {name: len(topics) for name, topics in found.items()} == {
        "news20": 20,
        "reuters": 65,
        "20news by date": 20,
    }
    assert all(len(halves) == 1 for topics in found.values() for halves in topics.values())


def test_tables_have_both_halves_all_topics_and_the_papers_best(data, tmp_path):
    only = {"set": ["news20"], "method": ["auto, words", "rocchio"], "topic": ["1", "2", "3"]}
    report = make(["parts"], Setting(data, tmp_path / "runs", only=only))
    development, reported, every = report.parts[0].sections
    assert "development half" in development.title
    assert "report half" in reported.title
    assert "all topics: means over 3 topics" in every.title
    assert [row["method"] for row in every.rows] == [LABELS["auto, words"], "rocchio"]
    assert every.rows[0]["MAP"].value > 0.2
    assert "rocchio" in every.notes[0]
    assert "0.8236" in every.notes[1]


def test_what_is_missing_is_said(tmp_path):
    with pytest.raises(MissingError, match="there is no file 20news-bydate"):
        parts_data._by_date(tmp_path)
