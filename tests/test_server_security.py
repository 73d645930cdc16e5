"""Who may do what, what other sites may not, and what the log does not say."""

from __future__ import annotations

import logging
from queue import Queue

import pytest

from helpers.server_client import problem, serving
from likewise import Index, UsageError
from likewise.server.access import Rate
from likewise.server.settings import Limits, Settings

BASE = "/v1/indexes/papers"
READ, REVIEW, WRITE = (letter * 20 for letter in "rvw")
HOSTILE = {
    "id": "<img src=x onerror=alert(1)>",
    "title": "</title><script>alert(2)</script>",
    "text": "\"><svg onload=alert(3)> ' OR 1=1; -- \r\nX-Y: a\x00\x1b[2J \u202e secret-word",
    "<b>field</b>": "javascript:alert(4)",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    index = Index.create(tmp_path_factory.mktemp("served") / "papers.idx", threads=1)
    index.add([HOSTILE, {"id": "a", "text": "red apples"}, {"id": "b", "text": "apples and figs"}])
    return index


@pytest.fixture(scope="module")
def tokens(tmp_path_factory):
    path = tmp_path_factory.mktemp("tokens") / "tokens.txt"
    path.write_text(f"# who\n{READ} read\n\n{REVIEW} review ada\n{WRITE} write admin\n")
    return path


@pytest.fixture(scope="module")
def guarded(index, tokens):
    with serving(index.path, token_file=tokens) as client:
        yield client


def bearer(token):
    return {"authorization": f"Bearer {token}"}


class TestTokens:
    @pytest.mark.parametrize(
        "headers",
        [
            {},
            bearer("x" * 20),
            bearer(READ[:-1]),
            {"authorization": "Bearer"},
            {"authorization": READ},
            {"authorization": f"Basic {READ}"},
        ],
    )
    def test_without_one(self, guarded, headers):
        for address in ("/v1/indexes", f"{BASE}/search?q=apples", "/v1/metrics", "/v1/nothing"):
            answer = guarded.get(address, headers=headers)
            problem(answer, 401, "needs a token")
            assert answer.headers["www-authenticate"].startswith("Bearer")

    def test_what_needs_none(self, guarded):
        for address in ("/", "/docs", "/static/index.html", "/openapi.json", "/v1/health"):
            assert guarded.get(address).status_code == 200
        described = guarded.get("/openapi.json").json()
        assert described["security"] == [{"token": []}]

    def test_a_reviewer_is_who_the_token_says(self, guarded):
        made = guarded.post(f"{BASE}/sessions", json={"name": "whose"}, headers=bearer(REVIEW))
        assert made.status_code == 201
        judged = {"judgements": [{"id": "a", "label": "relevant"}]}
        address = f"{BASE}/sessions/whose/judgements"
        wrong = guarded.post(address, json={**judged, "reviewer": "ben"}, headers=bearer(REVIEW))
        problem(wrong, 403, "your token is ada's")
        assert guarded.post(address, json=judged, headers=bearer(REVIEW)).status_code == 200
        stats = guarded.get(f"{BASE}/sessions/whose/stats", headers=bearer(READ)).json()
        assert stats["reviewers"] == ["ada"]

    @pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.5", "::", "example.org"])
    def test_other_addresses_need_tokens(self, host, tokens):
        with pytest.raises(UsageError, match="can be reached from other machines: give --token"):
            Settings(host=host)
        assert Settings(host=host, token_file=tokens)

    @pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.0.0.2"])
    def test_this_machine_does_not(self, host):
        assert Settings(host=host).hosts


class TestOtherSites:
    @pytest.mark.parametrize(
        "headers",
        [
            {"origin": "http://evil.example"},
            {"origin": "null"},
            {"origin": "http://127.0.0.1:1"},
            {"sec-fetch-site": "cross-site"},
            {"sec-fetch-site": "same-site"},
        ],
    )
    def test_are_refused(self, client, headers):
        problem(client.get("/v1/indexes", headers=headers), 403, "other sites")
        delete = client.delete(f"{BASE}/documents?id=a", headers=headers)
        problem(delete, 403, "other sites")
        assert client.get(f"{BASE}/documents/a").status_code == 200

    def test_the_page_itself_is_not(self, client):
        own = {"origin": str(client.base_url).rstrip("/"), "sec-fetch-site": "same-origin"}
        assert client.get("/v1/indexes", headers=own).status_code == 200
        assert client.get("/", headers={"sec-fetch-site": "cross-site"}).status_code == 200

    @pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "localhost.x"])
    def test_names_that_others_point_here(self, client, host):
        problem(client.get("/v1/indexes", headers={"host": host}), 421, "not known as")

    def test_names_that_it_is_known_by(self, index):
        with serving(index.path, names=("papers.example",)) as client:
            for host in ("localhost", "papers.example", "PAPERS.example:443"):
                assert client.get("/v1/indexes", headers={"host": host}).status_code == 200

    @pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
    def test_what_a_form_could_send(self, client, kind):
        answer = client.post(
            f"{BASE}/search", content=b'{"words": "a"}', headers={"content-type": kind}
        )
        problem(answer, 415, "send JSON")

    def test_no_leave_is_given_to_others(self, client):
        asked = {"origin": "http://evil.example", "access-control-request-method": "POST"}
        answer = client.options(f"{BASE}/search", headers=asked)
        assert answer.status_code == 403
        assert not [name for name in answer.headers if name.startswith("access-control")]


class TestAnswers:
    @pytest.mark.parametrize("address", ["/", "/docs", "/v1/indexes", "/v1/none", "/static/none"])
    def test_headers(self, client, address):
        headers = client.get(address).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert "set-cookie" not in headers
        assert "server" not in headers

    def test_hostile_documents_stay_data(self, client):
        found = client.post(f"{BASE}/search", json={"words": "secret-word", "explain": 3})
        assert found.headers["content-type"] == "application/json"
        (hit,) = found.json()["hits"]
        assert (hit["id"], hit["title"]) == (HOSTILE["id"], HOSTILE["title"])
        assert hit["snippet"] == HOSTILE["text"]
        stored = client.get(f"{BASE}/documents/{HOSTILE['id']}")
        assert stored.json()["fields"] == {"<b>field</b>": "javascript:alert(4)"}
        metrics = client.get("/v1/metrics").text
        assert "alert" not in metrics

    def test_hostile_documents_in_exports(self, client):
        client.post(f"{BASE}/sessions", json={"name": "hostile"})
        label = {"judgements": [{"id": HOSTILE["id"], "label": "relevant"}]}
        address = f"{BASE}/sessions/hostile"
        assert client.post(f"{address}/judgements", json=label).status_code == 200
        ris = client.get(f"{address}/export?format=ris")
        assert ris.headers["content-disposition"].startswith("attachment")
        assert [line[:6] for line in ris.text.split("\n")[:4]] == [
            "TY  - ",
            "ID  - ",
            "TI  - ",
            "AB  - ",
        ]
        for format in ("csv", "jsonl", "query"):
            answer = client.get(f"{address}/export?format={format}")
            assert "html" not in answer.headers["content-type"]

    def test_pages_have_nothing_inline(self, client):
        for address in ("/", "/docs"):
            text = client.get(address).text.lower()
            assert "<style" not in text
            assert " style=" not in text
            assert " onclick" not in text
            for script in text.split("<script")[1:]:
                assert "src=" in script.partition(">")[0]


class TestLog:
    def test_it_has_ids_and_no_text(self, client, caplog):
        caplog.set_level(logging.INFO, "likewise.access")
        asked = {"words": "secret-word", "filter": "text!=secret"}
        headers = {"x-request-id": "my-own.id_1"}
        client.post(f"{BASE}/search", json=asked, headers=headers)
        client.get(f"{BASE}/search", params={"q": "secret-word"}, headers={"x-request-id": "a b"})
        lines = [record.getMessage() for record in caplog.records]
        assert any(line.startswith("my-own.id_1 ") and " 200 " in line for line in lines)
        assert not any("secret" in line or "a b" in line for line in lines)

    def test_failures_are_logged_without_what_they_say(self, client, monkeypatch):
        def fail(*_):
            raise RuntimeError("secret-word")

        told = Queue()
        monkeypatch.setattr("likewise.server.gate.failures.error", lambda *line: told.put(line))
        monkeypatch.setattr("likewise.server.search.Searches.answer", fail)
        answer = client.post(f"{BASE}/search", json={"words": "x"})
        problem(answer, 500, "its log has the reason")
        line, *parts = told.get(timeout=60)
        assert parts[:2] == [answer.headers["x-request-id"], "RuntimeError"]
        assert "in fail" in line % tuple(parts)
        assert "secret-word" not in (line % tuple(parts)).replace('"secret-word")', "")


class TestHaste:
    def test_too_many_requests(self, index):
        with serving(index.path, limits=Limits(rate=1)) as client:
            answers = [client.get("/v1/health") for _ in range(5)]
        assert answers[0].status_code == 200
        problem(answers[-1], 429, "too many requests")
        assert int(answers[-1].headers["retry-after"]) >= 1

    def test_each_client_has_a_bucket(self, monkeypatch):
        now = 100.0
        monkeypatch.setattr("time.monotonic", lambda: now)
        rate = Rate(2)
        assert [rate.take("a") for _ in range(5)] == [0, 0, 0, 0, 1]
        assert rate.take("b") == 0
        now += 0.5
        assert [rate.take("a"), rate.take("a")] == [0, 1]
        assert not any(Rate(0).take("a") for _ in range(1_000))
