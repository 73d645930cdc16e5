"""Searches by words take a short way where they are simple: the answer is the route's."""

from __future__ import annotations

import socket
import time

import httpx
import pytest

from helpers.server_client import make_index, problem, serving
from likewise.search.hits import search_documents
from likewise.server import quick
from likewise.server.connections import Connection
from likewise.server.listening import listening
from likewise.server.routes import search as route
from likewise.server.running import started
from likewise.server.settings import Settings

SEARCH = "/v1/indexes/papers/search"


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    return make_index(tmp_path_factory.mktemp("quick"))


@pytest.fixture(scope="module")
def client(index):
    with serving(index.path) as client:
        yield client


def long_way(client, **asked):
    """The same by the route: what it does not take quickly changes nothing in the answer."""
    return client.get(SEARCH, params={**asked, "explain": 0})


def told(answer):
    assert answer.status_code == 200, answer.text
    return {**answer.json(), "seconds": 0}


@pytest.mark.parametrize(
    "asked",
    [
        {"q": "robot motion"},
        {"q": "robot", "limit": 3, "offset": 2},
        {"q": "robot", "limit": 50, "snippet": 0},
        {"q": "Grüße an Roboter, 100% + mehr"},
        {"q": "nothingofthatkind"},
        {"q": "motion-planning"},
        {"q": " "},
    ],
)
def test_same_answer(client, asked):
    short, long = client.get(SEARCH, params=asked), long_way(client, **asked)
    assert told(short) == told(long)
    assert [*short.json()] == [*long.json()]
    if short.json()["hits"]:
        assert [*short.json()["hits"][0]] == [*long.json()["hits"][0]]
    kept = {"content-type", "cache-control", "content-security-policy", "x-content-type-options"}
    assert {name: short.headers[name] for name in kept} == {
        name: long.headers[name] for name in kept
    }


def test_the_short_way_is_taken(client, monkeypatch):
    def fails(*_):
        raise AssertionError("the route was asked")

    monkeypatch.setattr("likewise.server.search.Searches.answer", fails)
    assert len(client.get(SEARCH, params={"q": "robot"}).json()["hits"]) == 10


@pytest.mark.parametrize("usual", [0.0, 1.0])
def test_by_itself_or_in_a_thread(client, monkeypatch, usual):
    monkeypatch.setattr(quick, "UNKNOWN", usual)
    assert told(client.get(SEARCH, params={"q": "robot"}))["hits"]


def test_that_threads_wait_for_each_other_is_no_part_of_what_a_search_takes(index, monkeypatch):
    def fails(*_):
        raise AssertionError("it was not done at once")

    def waits(*args, **kwargs):
        time.sleep(2 * quick.SHORT)
        return search_documents(*args, **kwargs)

    with serving(index.path) as client:
        with monkeypatch.context() as patch:
            patch.setattr(quick, "search_documents", waits)
            for _ in range(4):
                assert told(client.get(SEARCH, params={"q": "robot"}))["hits"]
        monkeypatch.setattr(quick.to_thread, "run_sync", fails)
        monkeypatch.setattr("likewise.server.search.Searches.answer", fails)
        assert told(client.get(SEARCH, params={"q": "robot"}))["hits"]


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({"q": ""}, 422),
        ({}, 422),
        ({"q": "robot", "limit": "0"}, 422),
        ({"q": "robot", "limit": "ten"}, 422),
        ({"q": "robot", "limit": 10_001}, 422),
        ({"q": '-robot -"motion"'}, 422),
        ({"q": "robot", "filter": ">>"}, 422),
    ],
)
def test_what_is_wrong_is_said_by_the_route(client, asked, status):
    problem(client.get(SEARCH, params=asked), status, "")


def test_more_than_words(client):
    plain = told(client.get(SEARCH, params={"q": "robot motion"}))
    phrase = told(client.get(SEARCH, params={"q": '"robot motion"'}))
    assert phrase["matching"] < plain["matching"] == plain["documents"]
    twice = client.get(f"{SEARCH}?q=robot&limit=2&limit=3")
    assert len(told(twice)["hits"]) == 3  # the last counts, as everywhere


def test_head_gzip_and_counting(client):
    whole = client.get(SEARCH, params={"q": "robot"}, headers={"accept-encoding": "identity"})
    packed = client.get(SEARCH, params={"q": "robot"}, headers={"accept-encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    assert told(packed)["hits"] == told(whole)["hits"]
    head = client.head(SEARCH, params={"q": "robot"})
    assert head.status_code == 200
    assert not head.content
    assert f'route="/v1{route.router.prefix}",' in client.get("/v1/metrics").text


def test_answers_are_sent_at_once(index, monkeypatch):
    """Or the second part of an answer may wait 40 ms for the client to confirm the first."""
    delayed = []

    class Watched(Connection):
        def connection_made(self, transport):
            super().connection_made(transport)
            made = transport.get_extra_info("socket")
            delayed.append(not made.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

    monkeypatch.setattr("likewise.server.listening.Connection", Watched)
    settings = Settings(threads=1)
    with listening("127.0.0.1", 0) as sockets, started([index.path], settings, sockets) as address:
        assert httpx.get(f"{address}/v1/health").status_code == 200
    assert delayed == [False]
