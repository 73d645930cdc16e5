"""A turn of a review is short: ten judgements and the next page cost few questions."""

from __future__ import annotations

import pytest

from helpers.counting import counting
from helpers.server_client import serving
from likewise import Index

SESSIONS = "/v1/indexes/papers/sessions"
MOST_TRANSACTIONS = 3


@pytest.fixture
def index(tmp_path):
    index = Index.create(tmp_path / "papers.idx", threads=1)
    index.add([{"id": str(i), "text": f"cats {'dogs ' * (i % 7)} number{i}"} for i in range(60)])
    return index


def labels(ids):
    return {id: "relevant" if i < 3 else "not" for i, id in enumerate(ids)}


def check(work):
    assert work.transactions <= MOST_TRANSACTIONS
    assert work.rankings == 1
    assert work.look_ups == 1


def test_in_python(index, monkeypatch):
    session = index.session("s", query="cats", reviewer="ann")
    page = session.page
    with counting(monkeypatch) as work:
        session.judge_all(labels(page.ids))
        after = session.next()
    assert (after.number, after.method, len(after.hits)) == (2, "two-class", 10)
    check(work)


def test_behind_another_reviewer(index, monkeypatch):
    """The second reviewer gets what the first has judged, then what is new."""
    ann = index.session("s", query="cats", reviewer="ann")
    ben = ann.as_reviewer("ben")
    ann.judge_all(labels(ann.page.ids))
    ann.judge_all(labels(ann.next().ids[:5]))
    page = ben.page
    with counting(monkeypatch) as work:
        ben.judge_all(dict.fromkeys(page.ids, "relevant"))
        after = ben.next()
    assert (after.number, len(after.hits)) == (2, 10)
    check(work)


@pytest.fixture
def client(index):
    with serving(index.path) as client:
        assert client.post(SESSIONS, json={"name": "s", "words": "cats"}).status_code == 201
        yield client


def body(page, **more):
    judged = labels(hit["id"] for hit in page["hits"])
    judgements = [{"id": id, "label": label} for id, label in judged.items()]
    return {"judgements": judgements, "reviewer": "ann", **more}


@pytest.mark.parametrize("explain", [0, 3])
def test_in_one_request(client, monkeypatch, explain):
    page = client.get(f"{SESSIONS}/s/page?reviewer=ann").json()
    with counting(monkeypatch) as work:
        new = body(page, next={"explain": explain})
        answer = client.post(f"{SESSIONS}/s/judgements", json=new)
    after = answer.json()["page"]
    assert (after["number"], after["method"], len(after["hits"])) == (2, "two-class", 10)
    check(work)


@pytest.mark.parametrize("explain", [0, 3])
def test_in_two_requests(client, monkeypatch, explain):
    page = client.get(f"{SESSIONS}/s/page?reviewer=ann").json()
    with counting(monkeypatch) as work:
        assert client.post(f"{SESSIONS}/s/judgements", json=body(page)).status_code == 200
        answer = client.get(f"{SESSIONS}/s/page?reviewer=ann&explain={explain}")
    after = answer.json()
    assert (after["number"], after["method"], len(after["hits"])) == (2, "two-class", 10)
    check(work)
