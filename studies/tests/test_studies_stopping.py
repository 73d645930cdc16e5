"""The study of stopping rules: what is recorded of a screening, and what is counted of it."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

from likewise.evaluation.runs import Result
from likewise_studies.stopping import recording, study
from likewise_studies.stopping.rules import MEASURED

FIELDS = {"data": "review/toy", "topic": "toy", "half": "report", "seed": 0}


@pytest.fixture
def review(tmp_path, monkeypatch):
    monkeypatch.setenv("LIKEWISE_CACHE", str(tmp_path / "cache"))
    rng = np.random.default_rng(0)
    words = [f"w{i}" for i in range(60)]
    path = tmp_path / "review" / "toy" / "records.jsonl.gz"
    path.parent.mkdir(parents=True)
    with gzip.open(path, "wt") as file:
        for i in range(150):
            text = " ".join([*rng.choice(words, 8), *(["trial"] * (i % 5 == 0))])
            record = {"id": str(i), "title": "study", "abstract": text, "label": int(i % 5 == 0)}
            file.write(json.dumps(record) + "\n")
    return tmp_path


@pytest.mark.parametrize("kind", [recording.RANKED, recording.MIXED, recording.ENSEMBLE])
def test_a_screening_is_recorded_to_its_end(review, kind):
    made = recording.recording(review / "review" / "toy" / "records.jsonl.gz", kind, 0)
    assert (made.documents, made.relevant) == (148, 29)
    judged = [moment.judged for moment in made.moments]
    assert judged == sorted(judged)
    assert made.moments[-1].found >= 28
    if kind == recording.ENSEMBLE:
        assert all(sum(moment.captures) == moment.found for moment in made.moments)
        return
    assert judged == recording.moments(148)
    for moment in made.moments:
        assert moment.found == sum(rank < moment.judged for rank in made.ranks)
    assert made.draws == ([(90, 10)] if kind == recording.MIXED else [])
    assert all((moment.chances is None) == (kind == recording.MIXED) for moment in made.moments)


@pytest.mark.parametrize("method", MEASURED)
def test_each_rule_is_measured(review, method):
    numbers = study.run({**FIELDS, "method": method}, review)
    lengths = {len(numbers[name]) for name in ("judged", "truth", "low", "recall", "high", "stop")}
    assert len(lengths) == 1
    assert all(0 <= truth <= 1 for truth in numbers["truth"])
    has_bounds = any(low is not None for low in numbers["low"])
    too_few = "200" in method or "400" in method  # to draw so many
    assert has_bounds == (method != "knee" and not too_few)


def told(method, looks, topic="a", half="report", draws=1):
    """Looks are judged, truth, low, high and whether to stop."""
    judged, truth, low, high, stop = (list(values) for values in zip(*looks, strict=True))
    numbers = {"judged": judged, "truth": truth, "low": low, "recall": low, "high": high}
    numbers |= {"stop": stop, "records": 100, "relevant": 10, "draws": draws}
    return Result({**FIELDS, "topic": topic, "half": half, "method": method}, numbers)


def test_coverage_by_moment_and_by_run():
    right = [(10, 0.2, 0.1, 0.9, 0), (50, 0.6, 0.5, 1, 0), (90, 1.0, 0.95, 1, 1)]
    wrong = [(10, 0.2, 0.3, 0.9, 0), (50, 0.6, 0.5, 1, 0), (90, 0.9, None, None, 0)]
    results = [told("x", right), told("x", wrong, "b", "development"), told("y", right)]
    coverage, widths, halves, stops = study.sections(results)
    x, y = coverage.rows
    assert (x["moments"], x["all"].value, x["before all are found"].value) == (5, 0.8, 0.75)
    assert (x["early"].value, x["middle"].value, x["late"].value) == (0.5, 1.0, None)
    assert (x["always"].value, x["worst"].value, x["reliable"]) == (0.5, 0.5, "no")
    assert y["reliable"] == "yes"
    assert widths.rows[1]["bias"].value == pytest.approx(-0.25 / 3)
    assert widths.rows[1]["early"].value == pytest.approx(0.8)
    assert (halves.rows[0]["development"].value, halves.rows[0]["report"].value) == (0.5, 1.0)
    assert (stops.rows[0]["runs"], stops.rows[0]["stopped"]) == (2, 1)
    assert stops.rows[0]["least"].value == 1.0


def test_each_draw_is_a_run_of_its_own():
    """Two draws a moment, in turn; the first is right at both moments, the second at none."""
    looks = [(10, 0.5, 0.1, 1, 0), (10, 0.5, 0.6, 1, 0), (50, 0.8, 0.1, 1, 0), (50, 0.8, 0.9, 1, 1)]
    coverage, _, _, stops = study.sections([told("x", looks, draws=2)])
    assert (coverage.rows[0]["all"].value, coverage.rows[0]["always"].value) == (0.5, 0.5)
    assert (stops.rows[0]["runs"], stops.rows[0]["stopped"]) == (2, 1)
