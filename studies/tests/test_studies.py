"""The papers' studies are found, and the runs behind their reports are theirs."""

from __future__ import annotations

import gzip
from pathlib import Path

import msgspec
import pytest

from likewise.evaluation import studies
from likewise.evaluation.runs import Result, key, version_of

RUNS = Path(__file__).resolve().parents[2] / "benchmarks" / "tables" / "runs"
PAPERS = ("qbme", "ranking", "arxiv", "arxiv15k", "parts", "nonrelevance", "reviews", "stopping")
MOST_SEEDS = 10  # that any report was made with


@pytest.mark.parametrize("name", PAPERS)
def test_found_by_entry_point(name):
    study = studies.study(name)
    assert studies.about(name).endswith(".")
    assert study.VERSION
    jobs = study.jobs(1)
    assert len({key(job) for job in jobs}) == len(jobs) > 0


@pytest.mark.parametrize("name", PAPERS)
def test_the_runs_behind_a_report_are_current(name):
    """Whoever raises a version or changes jobs has to measure again."""
    path = RUNS / f"{name}.jsonl.gz"
    if not path.exists():
        pytest.skip("the reports are not part of this copy")
    study = studies.study(name)
    lines = gzip.decompress(path.read_bytes()).splitlines()
    results = [msgspec.json.decode(line, type=Result) for line in lines]
    assert {key(result.job) for result in results} <= {key(job) for job in study.jobs(MOST_SEEDS)}
    assert all(result.version == version_of(study.VERSION, result.job) for result in results)
    assert all(result.commit and result.date and result.data for result in results)
