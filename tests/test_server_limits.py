"""A small request cannot be much work, and work ends when its client leaves or its time is up."""

from __future__ import annotations

import json
import socket
from threading import Event

import pytest

from helpers.server_client import problem, serving
from likewise import UsageError
from likewise.filters import Filter
from likewise.search import generation
from likewise.server import reviews
from likewise.server.jobs import CancelledError
from likewise.server.models.sessions import NextPage
from likewise.server.problems import ProblemError
from likewise.server.settings import Limits
from likewise.server.stop import Stop

BASE = "/v1/indexes/papers"
SEARCH = f"{BASE}/search"
LIKED = ["1806.07419", "1907.02555", "1809.10797"]
JSON = {"content-type": "application/json"}
PATIENCE = 60  # seconds until a test gives up


def refused(answer, status, detail):
    """A problem whose answer is small, whatever was sent."""
    body = problem(answer, status, detail)
    assert len(body["errors"]) <= 20
    assert len(answer.content) < 10_000
    return body


class TestRequests:
    @pytest.mark.parametrize(
        ("address", "asked"),
        [
            ("search", {"positive": [1] * 50_000}),
            ("search", {"positive": [{"x": 1}] * 50_000}),
            ("search", {"positive": ["a"], "negative": [[]] * 50_000}),
            ("search", {"positive": ["a"], "options": {"weights": [""] * 50_000}}),
            ("search", {"positive": ["a"], "options": {"views": [1] * 50_000}}),
            ("search", {"positive": ["a"], "terms": {"off": [1] * 50_000}}),
            ("documents", {"documents": [1] * 50_000}),
            ("terms", {"words": [1] * 50_000}),
            ("sessions", {"name": "x", "positive": [1] * 50_000}),
        ],
    )
    def test_lists_of_what_is_wrong(self, client, address, asked):
        refused(client.post(f"{BASE}/{address}", json=asked), 422, "/body")

    def test_judgements_that_are_wrong(self, client):
        client.post(f"{BASE}/sessions", json={"name": "wrong"})
        asked = {"judgements": [{f"k{n}": 1 for n in range(500)}] * 500}
        refused(client.post(f"{BASE}/sessions/wrong/judgements", json=asked), 422, "more$")

    def test_lists_that_are_too_long(self, client):
        many = ["a"] * 100_001
        refused(client.post(SEARCH, json={"positive": many}), 422, "at most 100000 items")
        refused(client.post(SEARCH, json={"positive": many[:1_001]}), 422, "positive may be 1000")

    def test_lists_with_a_limit_of_their_own(self, client):
        for address, asked, most in (
            ("search", {"positive": ["a"], "terms": {"off": ["a"] * 1_001}}, 1_000),
            ("search", {"positive": ["a"], "terms": {"pinned": ["a"] * 1_001}}, 1_000),
            ("search", {"positive": ["a"], "options": {"views": ["words"] * 21}}, 20),
            ("terms", {"words": ["a"] * 5_001}, 5_000),
            ("sessions/x/judgements", {"judgements": [{"id": "a", "label": None}] * 1_001}, 1_000),
        ):
            refused(client.post(f"{BASE}/{address}", json=asked), 422, f"at most {most} items")

    def test_limits_beyond_what_a_request_can_have(self):
        for name in ("examples", "documents"):
            with pytest.raises(UsageError, match="one request may have 100,000 at most"):
                Limits(**{name: 100_001})

    def test_unknown_keys(self, client):
        some = {"words": "robot", **{f"k{n}": 1 for n in range(900)}}
        found = refused(client.post(SEARCH, json=some), 422, "and 897 more$")
        assert len(found["errors"]) == 20
        many = {"words": "robot", **{f"k{n}": 1 for n in range(5_000)}}
        refused(client.post(SEARCH, json=many), 422, "there are 5,001 keys: there may be 1,000")

    def test_a_key_or_a_value_is_not_repeated_in_full(self, client):
        refused(client.post(SEARCH, json={"words": "a", "x" * 100_000: 1}), 422, "…: Extra inputs")
        refused(client.post(SEARCH, json={"words": "a", "filter": "x" * 9_000}), 422, "…$")
        refused(client.post(SEARCH, json={"positive": ["x" * 100_000]}), 422, "2000 characters")

    def test_values_in_all(self, index):
        with serving(index.path, limits=Limits(values=1_000)) as client:
            nested = {"documents": [{"text": "x", "n": [[]] * 600}]}
            refused(client.post(f"{BASE}/documents", json=nested), 413, "1,000 values and commas")
            assert client.post(SEARCH, json={"words": "robot"}).status_code == 200
        with serving(index.path, limits=Limits(keys=1_000)) as client:
            some = {"documents": [{"text": "x", "n": {str(n): n for n in range(1_000)}}]}
            refused(client.post(f"{BASE}/documents", json=some), 413, "1,000 keys and colons")

    def test_requests_under_way_together(self, index):
        with serving(index.path, limits=Limits(body_bytes=10_000)) as client:
            body = b'{"words": "%s"}' % (b" " * 20_000)
            answer = client.post(SEARCH, content=body, headers=JSON)
            refused(answer, 503, "too many large requests at a time")
            assert answer.headers["retry-after"] == "5"
            for _ in range(5):  # what was counted is taken off again
                body = b'{"words": "robot%s"}' % (b" " * 9_000)
                assert client.post(SEARCH, content=body, headers=JSON).status_code == 200

    def test_numbers_and_nesting_without_end(self, client):
        for body in (
            b'{"words": "a", "limit": %s}' % (b"9" * 100_000),
            b'{"words": ' + b"[" * 10**5,
        ):
            refused(client.post(SEARCH, content=body, headers=JSON), 400, "")

    def test_one_example_that_is_a_library(self, index):
        with serving(index.path, limits=Limits(text=1_000)) as client:
            for asked in ({"positive": [{"text": "word " * 201}]}, {"name": "long"}):
                asked = {"positive": [{"text": "word " * 201}]} | asked
                address = f"{BASE}/sessions" if "name" in asked else SEARCH
                answer = client.post(address, json=asked)
                refused(answer, 422, "the text of an example may be 1000 at most, not 1005")

    def test_words_for_terms(self, client):
        refused(client.post(f"{BASE}/terms", json={"words": ["a b " * 250] * 501}), 422, "500000")


class TestAnswers:
    def test_how_much_text(self, client):
        asked = {"words": "robot", "limit": 10_000, "snippet": 2_001}
        refused(client.post(SEARCH, json=asked), 422, "limit times snippet may be 20000000 at most")
        assert client.post(SEARCH, json=asked | {"snippet": 2_000}).status_code == 200

    def test_how_many_are_explained(self, client):
        asked = {"words": "robot", "limit": 5_001, "explain": 1}
        refused(client.post(SEARCH, json=asked), 422, "limit with explain may be 5000 at most")
        assert client.post(SEARCH, json=asked | {"explain": 0}).status_code == 200

    def test_fields_are_counted_once(self, index, monkeypatch):
        made = []
        summarise = generation.summarise
        monkeypatch.setattr(
            generation, "summarise", lambda *given: made.append(given) or summarise(*given)
        )
        with serving(index.path) as client:
            for most in range(10):
                fields = client.get(f"{BASE}/fields", params={"most": most}).json()["fields"]
                assert all(len(field["values"]) <= most for field in fields)
                assert fields[1]["distinct"] > most
        assert len(made) == 1


class TestFilters:
    def test_conditions(self, client):
        found = client.get(SEARCH, params={"q": "robot", "filter": " ".join(["created>0"] * 900)})
        once = client.get(SEARCH, params={"q": "robot", "filter": "created>0"})
        assert found.json()["hits"] == once.json()["hits"]
        many = " ".join(f"created>{n}" for n in range(101))
        for answer in (
            client.get(SEARCH, params={"q": "robot", "filter": many}),
            client.post(SEARCH, json={"positive": LIKED, "method": "1c", "filter": many}),
            client.post("/v1/filters", json={"filter": many}),
        ):
            refused(answer, 422, "the number of a filter's conditions may be 100 at most, not 101")

    def test_values(self, client):
        text = "primary=" + ",".join(map(str, range(1_001)))
        refused(client.post("/v1/filters", json={"filter": text}), 422, "values may be 1000")
        one = {"field": "primary", "operator": "=", "values": ["a"] * 1_001}
        refused(client.post("/v1/filters", json={"conditions": [one]}), 422, "at most 1000 items")

    def test_finding_its_documents_ends(self, index):
        stop = Stop(PATIENCE)
        watched = stop.filter(Filter.parse("title=nothing"))  # of which only the records know
        assert index.count(watched) == 0
        assert watched == Stop(1).filter(Filter.parse("title=nothing"))  # and so it is remembered
        stop.leave()
        with pytest.raises(ProblemError, match="the client left"):
            index.count(stop.filter(Filter.parse("title=other")))
        with pytest.raises(ProblemError, match="this took longer than 0 seconds"):
            index.count(Stop(0).filter(Filter.parse("title=more")))


def leave_after_asking(client, address, asked, begun):
    """Send a request, wait until it is worked on, and go away."""
    body = json.dumps(asked).encode()
    place = (client.base_url.host, client.base_url.port)
    with socket.create_connection(place, timeout=PATIENCE) as connection:
        head = f"POST {address} HTTP/1.1\r\nHost: {place[0]}\r\nContent-Type: application/json\r\n"
        connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        assert begun.wait(PATIENCE)


class TestClientsThatLeave:
    @pytest.fixture
    def endless(self, monkeypatch):
        """Searches that go on until they must end: when they began, and with what they ended."""
        begun, ended = Event(), []
        over = Event()

        def answer(searches, served, request, stop):
            begun.set()
            try:
                while True:
                    stop.report(1, 1.0, 1.0)
            except Exception as error:
                ended.append(error)
                over.set()
                raise

        monkeypatch.setattr("likewise.server.search.Searches.answer", answer)

        def outcome():
            assert over.wait(PATIENCE)
            return ended[0]

        return begun, outcome

    def test_a_search_ends(self, client, endless):
        begun, outcome = endless
        leave_after_asking(client, SEARCH, {"words": "robot"}, begun)
        assert "the client left" in str(outcome())

    def test_a_job_that_was_waited_for_is_cancelled(self, client, endless):
        begun, outcome = endless
        asked = {"positive": LIKED, "method": "ba", "wait": 60}
        leave_after_asking(client, SEARCH, asked, begun)
        assert isinstance(outcome(), CancelledError)

    def test_a_review_ends(self, client, monkeypatch):
        begun, over = Event(), Event()

        def next_page(session, wanted, stop):
            begun.set()
            try:
                while True:
                    stop.check()
            finally:
                over.set()

        monkeypatch.setattr("likewise.server.reviews.next_page", next_page)
        assert client.post(f"{BASE}/sessions", json={"name": "left"}).status_code == 201
        leave_after_asking(client, f"{BASE}/sessions/left/page", {}, begun)
        assert over.wait(PATIENCE)


class TestReviews:
    def test_learning_from_examples_ends(self, index):
        """A review that began with examples learns as an offline search does."""
        index.session("examples", examples=LIKED)
        stop = Stop(PATIENCE)
        stop.leave()
        with pytest.raises(ProblemError, match="the client left"):
            index.reviews.turn("examples", lambda session: session.next(), report=stop.report)
        page = index.reviews.turn(
            "examples", lambda session: session.next(), report=Stop(PATIENCE).report
        )
        assert len(page.hits) == 10

    def test_of_time(self, index):
        with serving(index.path, limits=Limits(seconds=1e-9, rate=0)) as client:
            client.post(f"{BASE}/sessions", json={"name": "slow", "words": "robot"})
            for asked in (
                client.get(f"{BASE}/sessions/slow/page"),
                client.post(f"{BASE}/sessions/slow/page", json={}),
                client.get(f"{BASE}/sessions/slow/export"),
                client.get(SEARCH, params={"q": "robot"}),
                client.post(f"{BASE}/terms", json={"words": ["robot"]}),
            ):
                problem(asked, 422, "this took longer than 1e-09 seconds")

    def test_what_is_entered_is_never_reported_as_failed(self, index):
        """The page after judgements may come too late; these are kept."""
        session = index.session("late", query="robot")
        stop = Stop(PATIENCE)
        stop.leave()
        assert reviews.page_in_time(session, NextPage(), stop) is None
        assert len(reviews.page_in_time(session, NextPage(), Stop(PATIENCE)).hits) == 10
