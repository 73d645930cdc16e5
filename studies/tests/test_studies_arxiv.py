"""The abstracts of arXiv: categories, halves, and numbers as they were meant."""

from __future__ import annotations

import bz2
import json

import pytest

from likewise.evaluation import provenance
from likewise.evaluation.by_example.contenders import (
    CONTENDERS,
    OURS,
    WITH_MODEL,
    WITHOUT_MODEL,
)
from likewise_studies.arxiv import data as arxiv_data
from likewise_studies.arxiv import first15k
from likewise_studies.arxiv import study as arxiv


def test_enough_is_left_to_find():
    for part, jobs in ((0, arxiv.jobs(1)), (1, first15k.jobs(1))):
        sizes = {(j["topic"], j["size"]) for j in jobs}
        assert all(arxiv_data.CATEGORIES[t][part] >= 2 * size for t, size in sizes)
        assert {topic for topic, size in sizes if size == 1} == set(arxiv_data.CATEGORIES)


def test_halves():
    development, report = map(arxiv_data.topics, ("development", "report"))
    assert len(development) == len(report) == 20
    assert not set(development) & set(report)


@pytest.mark.parametrize(
    ("given", "restored"),
    [
        ("912.201", "0912.2010"),
        ("1208.6063", "1208.6063"),
        ("1501.1", "1501.10000"),
        ("math/0608245", "math/0608245"),
    ],
)
def test_numbers_that_were_read_as_decimals(given, restored):
    assert arxiv_data.restored(given) == restored


def test_each_document_once(tmp_path):
    folder = tmp_path / arxiv_data.FOLDER
    folder.mkdir(parents=True)
    ids = ["912.201", "0912.2010", "x/1", "x/2"]
    lines = [json.dumps({"id": i, "title": i, "text": "t", "cats": ["cs.CR"]}) for i in ids]
    (folder / "docs.jsonl.bz2").write_bytes(bz2.compress("\n".join(lines).encode()))
    provenance.files.cache_clear()
    arxiv_data.collection.cache_clear()
    found = arxiv_data.collection(tmp_path, 2)
    assert found.ids == ["0912.2010", "x/1"]
    assert found.topics["cs.CR"].tolist() == [0, 1]
    arxiv_data.collection.cache_clear()


def test_every_row_has_a_name():
    assert {j["method"] for j in first15k.jobs(1)} == {*OURS, *WITHOUT_MODEL, *WITH_MODEL}
    assert {j["method"] for j in first15k.jobs(1)} <= set(CONTENDERS)
    assert {j["method"] for j in arxiv.jobs(1)} == {*OURS, *WITHOUT_MODEL}
