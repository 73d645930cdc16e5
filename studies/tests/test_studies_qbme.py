"""The QBME tables: splits, weightings, and numbers beside the paper's."""

from __future__ import annotations

import bz2
import gzip

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from likewise.errors import InputError
from likewise.evaluation import provenance
from likewise.evaluation.report.markdown import markdown
from likewise.evaluation.report.report import make
from likewise.evaluation.report.values import Compared
from likewise.evaluation.runs import Setting
from likewise_studies.qbme import data as qbme_data
from likewise_studies.qbme import study as qbme


@pytest.fixture
def data(tmp_path):
    """A little of news20 and of scene, with as many topics: topic t has many of term t."""
    for cached in (provenance.files, qbme_data.load, qbme_data._read):
        cached.cache_clear()
    generator = np.random.default_rng(0)
    (tmp_path / "qbme" / "news20").mkdir(parents=True)
    lines = [_line(str(i % 20 + 1), i % 20, generator) for i in range(400)]
    (tmp_path / "qbme" / "news20" / "news20.bz2").write_bytes(bz2.compress("".join(lines).encode()))
    (tmp_path / "qbme" / "scene").mkdir()
    for part in ("train", "test"):
        lines = [_line(f"{i % 6},{(i + 1) % 6}", i % 6, generator) for i in range(60)]
        path = tmp_path / "qbme" / "scene" / f"scene_{part}.svm.gz"
        path.write_bytes(gzip.compress("".join([*lines, " 3:1\n"]).encode()))
    return tmp_path


def _line(label, term, generator):
    noise = sorted({*generator.integers(1, 40, 5).tolist(), term + 1})
    return label + "".join(f" {c}:{5 if c == term + 1 else 1}" for c in noise) + "\n"


def job(**fields):
    common = {"weighting": "counts", "seed": 0, "method": "ba", "topic": "1"}
    return common | fields


def test_a_random_split_is_the_seeds(data):
    first, again, other = (qbme_data.load("news20", "counts", data, s).before for s in (0, 0, 1))
    assert (first == again).all()
    assert (first != other).any()
    assert first.sum() == other.sum() == 320


def test_a_given_split_and_several_labels(data):
    halves = qbme_data.load("scene", "counts", data, 0)
    assert halves.before.sum() == 61
    assert halves.labels[0] == {"0", "1"}
    assert halves.labels[60] == frozenset()


def test_rows_are_of_unit_length(data):
    for weighting in qbme_data.WEIGHTINGS:
        rows = qbme_data.load("news20", weighting, data, 0).rows
        assert np.sqrt(rows.multiply(rows).sum(axis=1)).max() == pytest.approx(1)


def test_numbers_are_those_of_the_estimator(data):
    found = qbme.run(job(set="scene", method="rocchio", topic="2"), data)
    halves = qbme_data.load("scene", "counts", data, 0)
    relevant = np.array(["2" in labels for labels in halves.labels])
    examples, rest = halves.before & relevant, ~halves.before
    w = halves.rows[examples].mean(axis=0) - halves.rows[rest].mean(axis=0)
    scores = np.asarray(halves.rows[rest] @ np.asarray(w).ravel()).ravel()
    assert found["AP"] == pytest.approx(average_precision_score(relevant[rest], scores), abs=0.02)
    assert (found["examples"], found["relevant"]) == (20, 20)
    assert found["nonzeros"] == np.count_nonzero(np.asarray(w))


def test_every_method_runs(data):
    for method in qbme.METHODS:
        assert 0 < qbme.run(job(set="scene", method=method), data)["AP"] <= 1


def test_what_the_paper_leaves_to_future_work_stands_beside_its_methods(data, tmp_path):
    only = {"set": ["scene"], "method": [*qbme.OTHERS, "rocchio", "pr by share"]}
    (part,) = make(["qbme"], Setting(data, tmp_path / "runs", only=only)).parts
    (section,) = [each for each in part.sections if each.title.startswith("Future work, scene")]
    rows = {row["method"]: row for row in section.rows}
    assert len(rows) == len(qbme.OTHERS) + 2
    assert all(row["MAP"].value > 0.4 for row in rows.values())
    assert rows["SVM_pr, C = 3·l²/u"]["p, above SVM_pr"].value is None
    assert not any("AdaBoost" in str(each.rows) for each in part.sections if each is not section)


def test_tables_and_figures(data, tmp_path):
    only = {"set": ["news20", "scene"], "weighting": ["counts"]}
    only |= {"method": ["centroid", "1c", "rocchio", "ba", "pr"]}
    (part,) = make(["qbme"], Setting(data, tmp_path / "runs", only=only)).parts
    titles = [section.title.partition(",")[0] for section in part.sections]
    assert titles[:4] == ["Table 1", "Table 5", "One-sided paired t-tests", "Table 3"]
    assert titles[-2:] == ["Table 9", "Table 10"]
    first = part.sections[0]
    assert first.rows[3]["MAP"] == Compared(0.82, first.rows[3]["MAP"].ours, 4)
    assert first.plots[0].title == "Figure 1: PRBEP by topic"
    assert len(first.plots[0].x) == 20
    hardest = first.plots[0].series[0].values
    assert list(hardest) == sorted(hardest)
    assert part.sections[3].rows[0]["MAP"].paper is None


def test_data_that_is_not_here_is_said(data, tmp_path):
    only = {"set": ["reuters", "scene"], "method": ["centroid"], "weighting": ["counts"]}
    text = markdown(make(["qbme"], Setting(data, tmp_path / "runs", only=only)))
    assert "there is no folder reuters21578" in text
    assert "data, qbme/reuters21578: not here" in text


def test_a_file_that_is_not_svmlight(data):
    (data / "qbme" / "scene" / "scene_train.svm.gz").write_bytes(gzip.compress(b"no numbers\n"))
    with pytest.raises(InputError, match=r"scene_train.svm.gz: not an svmlight file"):
        qbme.run(job(set="scene"), data)


def test_the_real_files(shared):
    """The figures measured before there was a program: .439 / .420 on counts."""
    for cached in (qbme_data.load, qbme_data._read):
        cached.cache_clear()
    topics = qbme_data.SOURCES["news20"].topics
    found = [
        qbme.run(job(set="news20", method="centroid", topic=topic), shared) for topic in topics
    ]
    assert np.mean([f["PRBEP"] for f in found]) == pytest.approx(0.439, abs=0.001)
    assert np.mean([f["AP"] for f in found]) == pytest.approx(0.420, abs=0.001)
