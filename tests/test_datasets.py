from __future__ import annotations

import gzip
import importlib.util
import json
import re
from pathlib import Path

import pytest

from likewise.datasets import ARXIV_TOPICS, arxiv_sample, topics

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def documents():
    with gzip.open(arxiv_sample(), "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def make_sample():
    spec = importlib.util.spec_from_file_location("make_sample", ROOT / "tools/make_sample.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_document_is_whole(documents):
    assert len(documents) == 2000
    for document in documents:
        assert list(document) == ["id", "title", "text", "cats", "primary", "created"]
        assert document["title"].strip()
        assert document["text"].strip()
        assert document["primary"] in document["cats"]
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", document["created"])


def test_no_document_is_there_twice(documents):
    for field in ("id", "title", "text"):
        assert len({document[field] for document in documents}) == len(documents)


def test_ids_are_those_of_arxiv(documents):
    for document in documents:
        assert re.fullmatch(
            r"(0[7-9]|1[0-4])\d\d\.\d{4}|1[5-9]\d\d\.\d{5}|[a-z-]+/\d{7}", document["id"]
        )


def test_topics_are_large_enough_and_small_enough(documents):
    members = topics()
    assert list(members) == list(ARXIV_TOPICS)
    for topic, ids in members.items():
        assert 50 <= len(ids) <= 200
        assert ids == [document["id"] for document in documents if topic in document["cats"]]


def test_topics_of_another_file(tmp_path):
    path = tmp_path / "other.jsonl.gz"
    lines = [{"id": "1", "cats": ["a", "b"], "text": "t"}, {"id": "2", "cats": ["b"]}]
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, lines)).encode()))
    assert topics(path, ["b", "c"]) == {"b": ["1", "2"], "c": []}


def test_the_readme_counts_right():
    readme = (arxiv_sample().parent / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\S+\.\S+) \| (.+) \| (\d+) \|$", readme, flags=re.MULTILINE)
    expected = [(topic, ARXIV_TOPICS[topic], str(len(ids))) for topic, ids in topics().items()]
    assert rows == expected


@pytest.mark.parametrize(
    ("written", "restored"),
    [
        ("912.201", "0912.2010"),
        ("0812.4530", "0812.4530"),
        ("1412.1", "1412.1000"),
        ("1501.1", "1501.10000"),
        ("1510.0611099999999", "1510.06111"),
        ("math/0010277", "math/0010277"),
    ],
)
def test_numbers_read_as_decimals_are_restored(make_sample, written, restored):
    assert make_sample.restored(written) == restored


def test_the_draw_keeps_order_and_quotas(make_sample):
    names = [*ARXIV_TOPICS, "other"]
    source = [{"cats": [names[i % len(names)]]} for i in range(9000)]
    chosen = make_sample.choose(source, seed=7)
    assert chosen == sorted(set(chosen))
    assert len(chosen) == 2000
    assert chosen == make_sample.choose(source, seed=7) != make_sample.choose(source, seed=8)
    for topic, quota in make_sample.QUOTA.items():
        assert sum(topic in source[i]["cats"] for i in chosen) >= quota
