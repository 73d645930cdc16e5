"""What programs use: types of problems, lists, batches, lines of JSON, HEAD, gzip, other sites."""

from __future__ import annotations

import asyncio
import gzip
import json
import re
import tracemalloc
import zlib
from base64 import b64encode
from pathlib import Path

import pytest
from anyio import Semaphore
from starlette.requests import Request

from helpers.server_client import make_index, problem, serving
from likewise import Index, UsageError
from likewise.search.methods import METHODS
from likewise.server.causes import GENERAL, Cause, general
from likewise.server.compressing import accepts
from likewise.server.routes import bulk
from likewise.server.settings import Limits, Settings
from likewise.server.wording import in_http

BASE = "/v1/indexes/papers"
SEARCH, DOCUMENTS = f"{BASE}/search", f"{BASE}/documents"
LIKED = ["1806.07419", "1907.02555"]
ORIGIN = "https://app.example.org"
TAKEN = {"id": LIKED[0], "text": "x"}
LINES = {"content-type": "application/x-ndjson"}
DOCS = Path(__file__).parents[1] / "docs" / "http.md"


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    return make_index(tmp_path_factory.mktemp("read"))


@pytest.fixture(scope="module")
def client(index):
    with serving(index.path) as client:
        yield client


@pytest.fixture
def writer(tmp_path):
    index = Index.create(tmp_path / "papers.idx", threads=1)
    index.add([{"id": "a", "text": "red apples", "year": 2001}, {"id": "b", "text": "figs"}])
    with serving(index.path, projects=tmp_path / "projects") as client:
        yield client


def cause(answer):
    return answer.json()["type"].removeprefix("urn:likewise:problem:")


class TestProblemTypes:
    @pytest.mark.parametrize(
        ("expected", "asked"),
        [
            ("unknown-index", ("GET", "/v1/indexes/none")),
            ("unknown-document", ("GET", f"{DOCUMENTS}/none")),
            ("unknown-document", ("POST", SEARCH, {"positive": ["none"], "method": "1c"})),
            ("unknown-query", ("POST", SEARCH, {"query": "none"})),
            ("unknown-job", ("GET", "/v1/jobs/none")),
            ("unknown-session", ("GET", f"{BASE}/sessions/none")),
            ("bad-filter", ("POST", SEARCH, {"words": "robot", "filter": ">>"})),
            ("bad-filter", ("POST", "/v1/filters", {"filter": "a>"})),
            ("unknown-field", ("POST", SEARCH, {"words": "robot", "filter": "nofield=1"})),
            ("invalid", ("POST", SEARCH, {"words": "robot", "limit": 0})),
            ("too-much", ("POST", SEARCH, {"words": "robot", "limit": 10_001})),
            ("bad-request", ("POST", SEARCH, b"{")),
            ("wrong-type", ("POST", SEARCH, "words")),
            ("method-not-allowed", ("PUT", SEARCH)),
            ("not-found", ("GET", "/v1/none")),
            ("no-projects", ("POST", "/v1/indexes", {"name": "new"})),
            (
                "duplicate-document",
                ("POST", DOCUMENTS, {"documents": [{"id": LIKED[0], "text": "x"}]}),
            ),
        ],
    )
    def test_tell_causes_apart(self, client, expected, asked):
        method, address, *body = asked
        sent = {}
        if body:
            kind = "text/plain" if isinstance(body[0], str) else "application/json"
            given = body[0] if isinstance(body[0], (bytes, str)) else json.dumps(body[0])
            sent = {"content": given, "headers": {"content-type": kind}}
        answer = client.request(method, address, **sent)
        assert cause(answer) == expected, answer.text
        found = Cause[expected.replace("-", "_")]
        said = problem(answer, found.status, "")
        assert said["title"] == found.title

    def test_of_a_job_that_fails(self, client):
        asked = {"positive": ["none"], "method": "ba", "wait": 30}
        assert cause(client.post(SEARCH, json=asked)) == "unknown-document"
        job = client.post(SEARCH, json=asked | {"wait": 0}).json()["id"]
        with client.stream("GET", f"/v1/jobs/{job}/events") as events:
            events.read()
        failed = client.get(f"/v1/jobs/{job}").json()["problem"]
        assert failed["type"] == Cause.unknown_document.uri

    def test_the_page_has_them_all(self):
        listed = re.findall(r"^\| (\d{3}) \| `([\w-]+)` \|", DOCS.read_text(), re.MULTILINE)
        assert listed == [(str(one.status), one.name.replace("_", "-")) for one in Cause]

    def test_a_status_has_a_general_one(self):
        assert GENERAL[404] is Cause.not_found
        assert (GENERAL[409], GENERAL[422]) == (Cause.conflict, Cause.invalid)
        assert (general(418), general(599)) == (Cause.bad_request, Cause.failed)


class TestWords:
    """Ways out are HTTP's, neither options of commands nor arguments of Python."""

    def test_a_duplicate(self, client):
        answer = client.post(DOCUMENTS, json={"documents": [{"id": LIKED[0], "text": "x"}]})
        problem(answer, 409, "is already in the index papers: choose on_duplicate skip or replace")

    @pytest.mark.parametrize(
        "asked",
        [
            {"method": "ba", "options": {"seed": 1}},
            {"method": "1c", "options": {"budget": "online"}},
            {"method": "p@k", "options": {"at": 1_000_000}},
            {"method": "ba", "options": {"scaling": "printed"}},
            {"method": "centroid", "options": {"C": 1}},
        ],
    )
    def test_options_that_do_not_go(self, client, asked):
        said = client.post(SEARCH, json={"positive": LIKED, "wait": 30} | asked)
        if said.status_code != 200:
            detail = problem(said, 422, "")["detail"]
            assert not re.search(r"--\w|in Python|\w=\w|likewise \w+ ", detail), detail

    def test_of_a_file_without_text(self, client):
        content = b64encode(b"colour,number\nred,2\n").decode()
        answer = client.post("/v1/read", json={"name": "a.csv", "content": content})
        problem(answer, 422, "is named like a text; call one text$")

    @pytest.mark.parametrize(
        ("sentence", "words"),
        [
            ("name one with --text-column (in Python, text_column)", "name one with text_column"),
            ("say --encoding (encoding=)", "say encoding"),
            ("replace them (replace=True, --replace)", "replace them (replace)"),
            ("sample_unlabeled (--sample-unlabeled): give both", "sample_unlabeled: give both"),
            ("likewise embed embeds them", "POST /v1/indexes/{index}/views embeds them"),
            ("likewise merge learns it again", "POST /v1/indexes/{index}/merge learns it again"),
            (
                "k=9 is more than the 3 documents: lower k",
                "at is 9, which is more than the 3 documents: lower it",
            ),
            ("a -- b, and --c", "a -- b, and --c"),
        ],
    )
    def test_of_other_sentences(self, sentence, words):
        assert in_http(sentence) == words


class TestDocuments:
    def test_ids_of_what_was_added(self, writer):
        given = [{"text": "pears"}, {"id": "a", "text": "other"}, {"id": "c", "text": "plums"}]
        asked = {"documents": given, "on_duplicate": "skip"}
        added = writer.post(DOCUMENTS, json=asked).json()
        assert (added["documents"], added["skipped"]) == (2, 1)
        pears, *others = added["ids"]
        assert others == ["a", "c"]
        assert writer.get(f"{DOCUMENTS}/{pears}").json()["text"] == "pears"

    def test_one_that_is_left_out_has_none(self, writer):
        writer.post(DOCUMENTS, json={"documents": [{"id": "x", "text": "t", "doi": "10.1000/x"}]})
        again = [{"id": "y", "text": "t", "doi": "10.1000/x"}, {"id": "z", "text": "u"}]
        asked = {"documents": again, "on_duplicate": "skip"}
        assert writer.post(DOCUMENTS, json=asked).json()["ids"] == [None, "z"]

    def test_pages(self, client, index):
        ids, after = [], None
        while True:
            asked = {"limit": 700} | ({"after": after} if after else {})
            page = client.get(DOCUMENTS, params=asked).json()
            ids += [one["id"] for one in page["documents"]]
            after = page["next_after"]
            if after is None:
                break
        assert ids == index.ids()
        assert (page["total"], page["matching"]) == (len(index), len(index))

    def test_pages_of_a_filter(self, client, index):
        asked = {"filter": "created>=2019", "limit": 2, "snippet": 5}
        first = client.get(DOCUMENTS, params=asked).json()
        second = client.get(DOCUMENTS, params=asked | {"after": first["next_after"]}).json()
        expected = [record.document.id for record in index.records(filter="created>=2019")]
        listed = [one["id"] for one in (*first["documents"], *second["documents"])]
        assert listed == expected[:4]
        assert first["matching"] == len(expected)
        assert {len(one["snippet"]) for one in first["documents"]} == {5}
        problem(client.get(DOCUMENTS, params={"after": "none"}), 404, "no document 'none' to go on")
        assert cause(client.get(DOCUMENTS, params={"limit": 10_001})) == "too-much"


class TestLines:
    def send(self, client, lines, **asked):
        return client.post(
            f"{BASE}/bulk", content=lines, headers=LINES, params={"wait": 60} | asked
        )

    def test_many_as_they_come(self, writer):
        lines = (b'{"id": "n%d", "text": "number %d"}\n' % (i, i) for i in range(5_000))
        added = self.send(writer, lines)
        assert added.status_code == 201, added.text
        assert added.json()["documents"] == 5_000
        assert added.json()["ids"] is None
        assert writer.get(f"{DOCUMENTS}/n4999").json()["text"] == "number 4999"

    def test_lines_that_cannot_be_read(self, writer):
        added = self.send(writer, b'{"id": "c", "text": "x"}\nnonsense\n{"id": "d", "text": "y"}')
        assert added.json()["documents"] == 2
        (said,) = added.json()["problems"]
        assert said.startswith("line 2: ")
        (said,) = self.send(writer, b'{"id": "e", "colour": "red"}').json()["problems"]
        assert said.endswith("is a text; call one text")

    def test_what_is_there_already(self, writer):
        line = b'{"id": "a", "text": "x"}\n'
        said = self.send(writer, line)
        problem(said, 409, "line 1: id 'a' is already in the index papers: choose on_duplicate")
        assert self.send(writer, line, on_duplicate="skip").json()["skipped"] == 1
        assert self.send(writer, line, on_duplicate="replace").json()["replaced"] == 1

    def test_as_a_job(self, writer):
        answer = self.send(writer, b'{"id": "c", "text": "x"}\n', wait=0)
        assert answer.status_code == 202
        with writer.stream("GET", f"{answer.headers['location']}/events") as events:
            events.read()
        assert writer.get(answer.headers["location"]).json()["result"]["documents"] == 1

    def test_of_another_type(self, writer):
        said = writer.post(f"{BASE}/bulk", json={"text": "x"})
        problem(said, 415, "Content-Type: application/x-ndjson")

    def test_too_much(self, tmp_path):
        kept = Index.create(tmp_path / "papers.idx", threads=1)
        limits = Limits(upload=1_000, rate=0)
        lines = [b'{"text": "%s"}\n' % (letter * 400) for letter in (b"x", b"y", b"z")]
        with serving(kept.path, limits=limits) as client:
            problem(self.send(client, b"".join(lines)), 413, "1000 bytes")  # by its length
            problem(self.send(client, iter(lines)), 413, "1000 bytes")  # as it comes
            assert self.send(client, iter(lines[:2])).status_code == 201

    def test_memory_stays(self, tmp_path):
        """However much comes, it is a file and not in memory."""
        piece, count = b"x" * 65_536, 1_000
        left = iter([piece] * count)

        async def receive():
            body = next(left, b"")
            return {"type": "http.request", "body": body, "more_body": bool(body)}

        async def all_of_it():
            request = Request({"type": "http", "method": "POST", "headers": []}, receive)
            await bulk.receive_lines(request, Semaphore(1), tmp_path / "lines")

        tracemalloc.start()
        try:
            asyncio.run(all_of_it())
            _, most = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert (tmp_path / "lines").stat().st_size == len(piece) * count
        assert most < 8 << 20


class TestBatch:
    def test_each_as_if_alone(self, client):
        searches = [
            {"words": "robot arm", "limit": 3},
            {"positive": LIKED, "method": "1c", "limit": 4},
            {"words": "robot", "filter": ">>"},
            {"query": "none"},
        ]
        found = client.post(f"{SEARCH}/batch", json={"searches": searches}).json()
        words, liked, *wrong = found["answers"]
        alone = client.post(SEARCH, json=searches[0]).json()
        assert words["answer"]["hits"] == alone["hits"]
        assert liked["answer"]["query"]["method"] == "1c"
        types = [one["problem"]["type"].rpartition(":")[2] for one in wrong]
        assert types == ["bad-filter", "unknown-query"]
        assert not any(one["answer"] for one in wrong)
        assert found["generation"] == alone["generation"]

    def test_offline_ones_are_a_job(self, client):
        searches = [{"words": "robot"}, {"positive": LIKED, "method": "ba"}]
        asked = {"searches": searches}
        answer = client.post(f"{SEARCH}/batch", json=asked)
        assert answer.status_code == 202
        done = client.post(f"{SEARCH}/batch", json=asked | {"wait": 60})
        assert done.status_code == 200
        assert done.json()["answers"][1]["answer"]["query"]["method"] == "ba"

    def test_no_more_than_one_search_may(self, client):
        many = {"searches": [{"words": "robot", "limit": 6_000, "snippet": 0}] * 2}
        problem(
            client.post(f"{SEARCH}/batch", json=many), 422, "limit of all searches may be 10000"
        )
        long = {"searches": [{"words": "robot"}] * 101}
        assert cause(client.post(f"{SEARCH}/batch", json=long)) == "invalid"
        waits = {"searches": [{"positive": LIKED, "wait": 3}]}
        problem(client.post(f"{SEARCH}/batch", json=waits), 422, "wait goes beside searches")


class TestJobs:
    def test_when_auto_is_one(self, client):
        for budget, status in ((None, 202), ("offline", 202), (60, 202), ("online", 200)):
            options = {} if budget is None else {"options": {"budget": budget}}
            asked = client.post(SEARCH, json={"positive": LIKED, **options})
            assert asked.status_code == status, budget
        for name, method in METHODS.items():
            if method.online:
                asked = client.post(SEARCH, json={"positive": LIKED, "method": name})
                assert asked.status_code == 200

    def test_listed(self, client):
        job = client.post(SEARCH, json={"positive": LIKED, "method": "ba"}).json()["id"]
        listed = client.get("/v1/jobs").json()["jobs"]
        assert listed[0]["id"] == job
        with client.stream("GET", f"/v1/jobs/{job}/events") as events:
            events.read()
        done = client.get("/v1/jobs", params={"state": "done", "index": "papers"}).json()["jobs"]
        assert job in [one["id"] for one in done]
        assert not any(one["result"] for one in done)
        assert client.get("/v1/jobs", params={"index": "none"}).json()["jobs"] == []
        assert len(client.get("/v1/jobs", params={"limit": 1}).json()["jobs"]) == 1

    def test_only_ones_own(self, index, tmp_path):
        lines = (f"{who}-{'x' * 20} {role} {who}" for who, role in NAMED.items())
        (tmp_path / "tokens").write_text("\n".join([*lines, f"nobody-{'x' * 20} read"]))
        place = str(tmp_path / "db")
        with serving(index.path, token_file=tmp_path / "tokens", database=place) as client:

            def bearer(who):
                return {"authorization": f"Bearer {who}-{'x' * 20}"}

            asked = {"positive": LIKED, "method": "ba"}
            for who in ("ada", "nobody"):
                client.post(SEARCH, json=asked, headers=bearer(who))
            seen = {
                who: len(client.get("/v1/jobs", headers=bearer(who)).json()["jobs"])
                for who in (*NAMED, "nobody")
            }
        assert seen == {"ada": 1, "ben": 0, "eve": 2, "nobody": 0}


NAMED = {"ada": "read", "ben": "review", "eve": "owner"}


class TestNewIndex:
    def test_an_empty_one(self, writer):
        asked = {"name": "German", "language": "german", "bigrams": True, "latent": 0}
        made = writer.post("/v1/indexes", json=asked)
        assert made.status_code == 201, made.text
        assert made.json()["index"] == "German"
        known = writer.get("/v1/indexes/German").json()
        assert (known["documents"], known["settings"]["language"]) == (0, "german")
        assert known["settings"]["bigrams"]
        base = "/v1/indexes/German"
        assert writer.get(f"{base}/search", params={"q": "Hunde"}).json()["hits"] == []
        assert writer.get(f"{base}/documents").json()["documents"] == []
        new = {"documents": [{"id": "h", "text": "Die Hunde bellen"}]}
        assert writer.post(f"{base}/documents", json=new).json()["ids"] == ["h"]
        (hit,) = writer.get(f"{base}/search", params={"q": "Hund"}).json()["hits"]
        assert hit["id"] == "h"
        assert cause(writer.post("/v1/indexes", json=asked)) == "name-taken"
        assert writer.delete(base, params={"name": "German"}).status_code == 204

    def test_what_makes_no_sense(self, writer):
        about = {"name": "x", "on_duplicate": "replace"}
        problem(writer.post("/v1/indexes", json=about), 422, "on_duplicate is about files")
        for wrong in ({"language": "klingon"}, {"fields": []}, {"latent": -1}):
            assert cause(writer.post("/v1/indexes", json={"name": "x"} | wrong)) == "invalid"
        names = [one["name"] for one in writer.get("/v1/indexes").json()["indexes"]]
        assert names == ["papers"]


class TestHead:
    @pytest.mark.parametrize("address", ["/", "/v1/indexes", BASE, f"{DOCUMENTS}/{LIKED[0]}"])
    def test_what_get_has_but_the_body(self, client, address):
        plain = {"accept-encoding": "identity"}
        get, head = (client.request(how, address, headers=plain) for how in ("GET", "HEAD"))
        assert (head.status_code, head.content) == (200, b"")
        for name in ("content-length", "content-type"):
            assert head.headers[name] == get.headers[name]

    def test_what_is_not_there(self, client):
        assert client.head(f"{DOCUMENTS}/none").status_code == 404
        assert client.head("/v1/tokens/x/rotate").status_code == 405

    def test_what_goes_on(self, client):
        """Of a stream the head alone, while the job goes on."""
        asked = {"positive": LIKED, "method": "ba", "options": {"tol": 1e-6}}
        job = client.post(SEARCH, json=asked).json()["id"]
        head = client.head(f"/v1/jobs/{job}/events")
        assert (head.status_code, head.content) == (200, b"")
        assert head.headers["content-type"].startswith("text/event-stream")
        client.delete(f"/v1/jobs/{job}")
        assert client.head(f"{BASE}/export").content == b""


class TestGzip:
    def raw(self, client, address, encoding, **headers):
        asked = {"accept-encoding": encoding, **headers}
        with client.stream("GET", address, headers=asked) as answer:
            return answer, b"".join(answer.iter_raw())

    def test_only_where_it_is_accepted(self, client):
        address = f"{SEARCH}?q=robot&limit=50"
        plain, body = self.raw(client, address, "identity")
        packed, small = self.raw(client, address, "gzip")
        assert "content-encoding" not in plain.headers
        assert packed.headers["content-encoding"] == "gzip"
        assert int(packed.headers["content-length"]) == len(small) < len(body) / 2
        hits = [json.loads(one)["hits"] for one in (body, gzip.decompress(small))]
        assert hits[0] == hits[1]
        assert "accept-encoding" in packed.headers["vary"].lower()

    def test_what_is_sent_in_parts(self, client, index):
        packed, small = self.raw(client, f"{BASE}/export?format=jsonl", "gzip")
        assert packed.headers["content-encoding"] == "gzip"
        assert len(zlib.decompress(small, 31).splitlines()) == len(index)

    def test_what_is_small_or_an_event(self, client):
        assert "content-encoding" not in self.raw(client, "/v1/health", "gzip")[0].headers
        job = client.post(SEARCH, json={"positive": LIKED, "method": "ba"}).json()["id"]
        events, _ = self.raw(client, f"/v1/jobs/{job}/events", "gzip")
        assert "content-encoding" not in events.headers

    def test_files_of_the_page_are_known_again(self, client):
        packed, _ = self.raw(client, "/static/js/api.js", "gzip")
        tag = packed.headers["etag"]
        assert tag.startswith('W/"')
        again, _ = self.raw(client, "/static/js/api.js", "gzip", **{"if-none-match": tag})
        assert again.status_code == 304

    @pytest.mark.parametrize(
        ("header", "may"),
        [
            ("gzip", True),
            ("br;q=1.0, GZIP;q=0.5", True),
            ("*", True),
            ("gzip;q=0", False),
            ("gzip; q=0.000, *", False),
            ("br", False),
            ("", False),
        ],
    )
    def test_what_is_accepted(self, header, may):
        assert accepts(header) is may


@pytest.fixture(scope="module")
def shared(index):
    with serving(index.path, cors=(ORIGIN,)) as client:
        yield client


class TestOtherSites:
    def asks(self, client, origin, method="GET", **headers):
        given = {"origin": origin, "sec-fetch-site": "cross-site", **headers}
        return client.request(method, "/v1/indexes", headers=given)

    def test_only_those_named(self, shared):
        answer = self.asks(shared, ORIGIN)
        assert answer.status_code == 200
        assert answer.headers["access-control-allow-origin"] == ORIGIN
        assert "Location" in answer.headers["access-control-expose-headers"]
        assert "access-control-allow-credentials" not in answer.headers
        assert "Origin" in answer.headers["vary"]
        for other in ("https://evil.example.org", "http://app.example.org", f"{ORIGIN}:8443"):
            refused = self.asks(shared, other)
            assert cause(refused) == "other-site"
            assert "access-control-allow-origin" not in refused.headers

    def test_what_a_browser_asks_first(self, shared):
        asked = {"access-control-request-method": "POST"}
        said = self.asks(shared, ORIGIN, "OPTIONS", **asked)
        assert (said.status_code, said.content) == (204, b"")
        assert "DELETE" in said.headers["access-control-allow-methods"]
        assert "Authorization" in said.headers["access-control-allow-headers"]
        assert self.asks(shared, "https://evil.example.org", "OPTIONS", **asked).status_code == 403

    def test_errors_can_be_read(self, shared):
        given = {"origin": ORIGIN}
        answer = shared.get("/v1/indexes/none", headers=given)
        assert cause(answer) == "unknown-index"
        assert answer.headers["access-control-allow-origin"] == ORIGIN

    def test_nobody_by_default(self, client):
        assert cause(self.asks(client, ORIGIN)) == "other-site"
        asked = {"access-control-request-method": "POST"}
        assert self.asks(client, ORIGIN, "OPTIONS", **asked).status_code == 403

    @pytest.mark.parametrize(
        "origin", ["*", "app.example.org", "https://a.example/x", "https://*.a.example", "ftp://a"]
    )
    def test_what_is_no_origin(self, origin):
        with pytest.raises(UsageError, match="is no origin of pages: write it as https"):
            Settings(cors=(origin,))
