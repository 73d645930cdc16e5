"""Judgements take a short way where they are as they should be: the answer is the route's."""

from __future__ import annotations

import msgspec
import pytest

from helpers.server_client import make_index, problem, serving
from likewise.server import judging, shown
from likewise.server.models import base, sessions

SESSIONS = "/v1/indexes/papers/sessions"


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with serving(make_index(tmp_path_factory.mktemp("judging")).path) as client:
        yield client


@pytest.fixture
def begun(client, request):
    """The addresses of two sessions that are alike."""

    def address(name):
        new = {"name": name, "words": "robot", "page_size": 3, "group_duplicates": False}
        client.post(SESSIONS, json=new).raise_for_status()
        return f"{SESSIONS}/{name}"

    number = abs(hash(request.node.name))
    return address(f"short {number}"), address(f"long {number}")


def by_route(client, monkeypatch, address, asked):
    def refuses(*_):
        raise msgspec.ValidationError

    with monkeypatch.context() as changed:
        changed.setattr(judging, "_decode", refuses)
        return client.post(f"{address}/judgements", json=asked)


def told(answer):
    assert answer.status_code == 200, answer.text
    found = answer.json()
    if found["page"]:
        found["page"]["seconds"] = 0
    return found


@pytest.mark.parametrize(
    ("one", "following"),
    [
        ({"label": "relevant"}, {"size": 2}),
        ({"label": "not"}, {"explain": 5, "snippet": 40}),
        ({"label": "unsure", "note": "ask Ada", "tags": ["later"]}, {"again": True}),
        ({"label": "not", "reasons": ["no robot"]}, {"random": True}),
        ({"label": "relevant"}, None),
    ],
)
def test_same_answer(client, begun, monkeypatch, one, following):
    short, long = begun
    for address in begun:
        first = client.get(f"{address}/page").json()["hits"]
    asked = {"judgements": [{"id": first[0]["id"], **one}], "next": following, "reviewer": "ada"}
    quickly = client.post(f"{short}/judgements", json=asked)
    slowly = by_route(client, monkeypatch, long, asked)
    assert told(quickly) == told(slowly)
    if following:
        pages = [answer.json()["page"] for answer in (quickly, slowly)]
        assert len({tuple(page) for page in pages}) == 1
        assert len({tuple(page["hits"][0]) for page in pages}) == 1
    same = {"content-type", "cache-control", "x-content-type-options"}
    assert all(quickly.headers[name] == slowly.headers[name] for name in same)
    kept = [client.get(f"{address}/judgements?reviewer=ada").json() for address in begun]
    assert kept[0] == kept[1]
    assert kept[0]["judgements"] == {first[0]["id"]: one["label"]}


def test_the_short_way_is_taken(client, begun, monkeypatch):
    def fails(*_):
        raise AssertionError("the route was asked")

    first = client.get(f"{begun[0]}/page").json()["hits"][0]["id"]
    monkeypatch.setattr("likewise.server.routes.sessions.shown.response", fails)
    asked = {"judgements": [{"id": first, "label": "not"}], "next": {}}
    assert len(told(client.post(f"{begun[0]}/judgements", json=asked))["page"]["hits"]) == 3
    counted = client.get("/v1/metrics").text
    assert 'route="/v1/indexes/{index}/sessions/{name}/judgements"' in counted


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({"judgements": []}, 422),
        ({"judgements": [{"id": "p1"}]}, 422),
        ({"judgements": [{"id": "p1", "label": "perhaps"}]}, 422),
        ({"judgements": [{"id": "p1", "label": "not", "odd": 1}]}, 422),
        ({"judgements": [{"id": "p1", "label": "not"}], "next": {"size": 0}}, 422),
        ({"judgements": [{"id": "p1", "label": "not"}], "next": {"size": "3"}}, 422),
        ({"judgements": [{"id": "p1", "label": "not", "reasons": ["a;b"]}]}, 422),
        ({"judgements": [{"id": "p1", "label": "not"}], "reviewer": "a/b"}, 422),
        ({"judgements": [{"id": "no such document", "label": "not"}]}, 404),
    ],
)
def test_what_is_wrong_is_said_as_the_route_does(client, begun, monkeypatch, asked, status):
    short = client.post(f"{begun[0]}/judgements", json=asked)
    problem(short, status, "")
    long = by_route(client, monkeypatch, begun[0], asked)
    same = {"type", "title", "status", "detail", "errors"}
    assert {k: short.json()[k] for k in same} == {k: long.json()[k] for k in same}


@pytest.mark.parametrize("body", [b"", b"{", b'{"judgements": [{"id": "d\xd2", "label": "not"}]}'])
def test_what_is_no_json(client, begun, body):
    sent = {"content": body, "headers": {"content-type": "application/json"}}
    assert client.post(f"{begun[0]}/judgements", **sent).status_code in (400, 422)


def test_other_addresses(client, begun):
    asked = {"judgements": [{"id": "p1", "label": "not"}]}
    problem(client.post(f"{SESSIONS}/none/judgements", json=asked), 404, "no session 'none'")
    problem(client.post("/v1/indexes/other/sessions/a/judgements", json=asked), 404, "")
    problem(client.post(f"{begun[0]}/judgements?odd=1", json=asked), 422, "odd")
    problem(client.post(f"{begun[0]}/judgements", content=b"{"), 415, "")


@pytest.mark.parametrize(
    ("quick", "described"),
    [
        (judging.Asked, sessions.NewJudgements),
        (judging.One, sessions.OneJudgement),
        (judging.Next, sessions.NextPage),
        (shown.Entered, sessions.Entered),
        (shown.Page, sessions.Page),
        (shown.PageHit, sessions.PageHit),
        (shown.Weight, base.Weight),
    ],
)
def test_the_same_fields_as_are_described(quick, described):
    assert list(quick.__struct_fields__) == list(described.model_fields)
