"""`likewise serve --workers N`: real processes, which agree on everything that is shared."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest

from helpers.server_client import make_index, process
from likewise.server.workers.sharing import SharedRate
from likewise.store.disk import WriteLock

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
BASE = "/v1/indexes/papers"
SEARCH = f"{BASE}/search"
LIKED = ["1806.07419", "1907.02555"]
PATIENCE = 60.0


def children(pid):
    found = (path.read_text().split() for path in Path(f"/proc/{pid}/task").glob("*/children"))
    return sorted(int(one) for some in found for one in some if is_running(one))


def is_running(pid):
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False


def wait_until(true):
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


@contextmanager
def client_of(worker, workers, address, **options):
    """A client whose connection this worker has taken: the others stood still."""
    others = [one for one in workers if one != worker]
    with httpx.Client(base_url=address, timeout=PATIENCE, **options) as client:
        for one in others:
            os.kill(one, signal.SIGSTOP)
        try:
            client.get("/v1/health")
        finally:
            for one in others:
                os.kill(one, signal.SIGCONT)
        yield client


@contextmanager
def serving(*arguments, headers=None):
    """The server, and a client of each of its two workers."""
    with ExitStack() as closing:
        running, address = closing.enter_context(process(*arguments, "--workers", "2", "--quiet"))
        workers = children(running.pid)
        assert len(workers) == 2
        clients = [
            closing.enter_context(client_of(one, workers, address, headers=headers))
            for one in workers
        ]
        yield running, clients


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    return make_index(tmp_path_factory.mktemp("workers"))


@pytest.fixture(scope="module")
def clients(index):
    with serving(index.path, "--rate-limit", "0") as (_, clients):
        yield clients


def ids(answer):
    assert answer.status_code == 200, answer.text
    return [hit["id"] for hit in answer.json()["hits"]]


def test_all_give_the_same_answers(clients):
    one, other = (client.get(SEARCH, params={"q": "robot motion"}) for client in clients)
    assert ids(one) == ids(other)
    long = clients[0].get(SEARCH, params={"q": "robot motion", "explain": 3})  # passed on
    assert ids(long) == ids(one)
    page = clients[1].get("/")
    assert page.status_code == 200
    assert "<title>" in page.text


def test_a_query_of_one_runs_in_another(clients):
    one, other = clients
    learned = one.post(SEARCH, json={"positive": LIKED, "method": "1c"})
    again = other.post(SEARCH, json={"query": learned.json()["query"]["id"]})
    assert ids(again) == ids(learned)


def test_a_job_of_one_is_seen_in_another(clients):
    one, other = clients
    begun = one.post(SEARCH, json={"positive": LIKED, "method": "ba"})
    assert begun.status_code == 202
    with other.stream("GET", f"/v1/jobs/{begun.json()['id']}/events") as events:
        assert events.headers["content-type"].startswith("text/event-stream")
        assert "done" in list(events.iter_text())[-1]
    job = other.get(f"/v1/jobs/{begun.json()['id']}").json()
    assert job["state"] == "done"
    assert len(job["result"]["hits"]) == 10


def test_what_one_adds_all_find(clients):
    one, other = clients
    for number, (adding, looking) in enumerate(((one, other), (other, one))):
        new = {"id": f"new-{number}", "text": f"quokkas number{number}"}
        assert adding.post(f"{BASE}/documents", json={"documents": [new]}).is_success
        assert ids(looking.get(SEARCH, params={"q": f"number{number}"})) == [new["id"]]
        gone = looking.delete(f"{BASE}/documents", params={"id": new["id"]})
        assert gone.is_success, gone.text
        assert ids(adding.get(SEARCH, params={"q": f"number{number}"})) == []


def test_documents_that_are_sent_in_parts(clients):
    one, other = clients
    lines = (
        json.dumps({"id": f"line-{i}", "text": "wombats dig"}).encode() + b"\n" for i in range(300)
    )
    kind = {"content-type": "application/x-ndjson"}
    sent = one.post(f"{BASE}/bulk", content=lines, headers=kind, params={"wait": 60})
    assert sent.json()["documents"] == 300, sent.text
    assert len(ids(other.get(SEARCH, params={"q": "wombats", "limit": 50}))) == 50


def test_judgements_of_all_are_kept(clients, index):
    one, other = clients
    assert one.post(f"{BASE}/sessions", json={"name": "both", "words": "robot"}).is_success
    shown = one.get(f"{BASE}/sessions/both/page").json()["hits"]
    for number, hit in enumerate(shown):
        judged = [{"id": hit["id"], "label": "relevant" if number % 2 else "not"}]
        asked = {"judgements": judged, "next": {"size": 5}}
        client = (one, other)[number % 2]
        answer = client.post(f"{BASE}/sessions/both/judgements", json=asked)
        assert answer.status_code == 200, answer.text
    counts = [client.get(f"{BASE}/sessions/both").json()["judged"] for client in (one, other)]
    assert counts == [{"relevant": 5, "others": 5, "undecided": 0}] * 2
    session = index.refresh().session("both")
    assert len(session.judgements()) == 10


def test_requests_are_counted_over_all(clients):
    def counted():
        text = clients[0].get("/v1/metrics").text
        name = 'likewise_requests_total{method="GET",route="/v1/indexes/{index}/search"'
        found = (line for line in text.splitlines() if line.startswith(name))
        return sum(float(line.split()[-1]) for line in found)

    clients[0].get(SEARCH, params={"q": "robot"})
    before = counted()
    for client in clients:
        for _ in range(5):
            client.get(SEARCH, params={"q": "robot"})
    wait_until(lambda: counted() >= before + 10)


def test_refusals_come_from_workers_and_from_behind(clients):
    for client in clients:
        assert client.get(SEARCH).status_code == 422
        assert client.get("/v1/indexes/none/search?q=a").status_code == 404
        assert client.get("/v1/health", headers={"host": "other.example"}).status_code == 421
        answer = client.post(SEARCH, content=b"x", headers={"content-type": "text/plain"})
        assert answer.json()["request_id"] == answer.headers["x-request-id"]
        assert answer.status_code == 415
        head = client.head(SEARCH, params={"q": "robot", "explain": 1})
        assert (head.status_code, head.content) == (200, b"")
        packed = client.get(SEARCH, params={"q": "robot", "explain": 1})
        assert packed.headers["content-encoding"] == "gzip"


@pytest.fixture(scope="module")
def secured(index, tmp_path_factory):
    tokens = tmp_path_factory.mktemp("tokens") / "tokens.txt"
    tokens.write_text("secret-of-the-owner owner olga\n" + "secret-of-the-reader read rita\n")
    headers = {"authorization": "Bearer secret-of-the-owner"}
    arguments = ("--token-file", tokens, "--rate-limit", "5")
    with serving(index.path, *arguments, headers=headers) as (_, clients):
        yield clients


class TestTokens:
    def test_one_that_is_revoked_is_refused_by_all(self, secured):
        reader = {"authorization": "Bearer secret-of-the-reader"}
        asked = {"params": {"q": "robot"}, "headers": reader}
        assert [one.get(SEARCH, **asked).status_code for one in secured] == [200, 200]

        def used():
            known = secured[0].get("/v1/tokens")
            return known.is_success and all(one["last_used"] for one in known.json()["tokens"])

        wait_until(lambda: time.sleep(0.3) or used())
        wait_until(lambda: secured[0].delete("/v1/tokens/rita").is_success)
        assert [one.get(SEARCH, **asked).status_code for one in secured] == [401, 401]

    def test_the_rate_is_that_over_all(self, secured):
        time.sleep(2.1)  # the bucket is full again
        answers = [secured[i % 2].get(SEARCH, params={"q": "robot"}) for i in range(40)]
        passed = sum(one.status_code == 200 for one in answers)
        assert {one.status_code for one in answers} == {200, 429}
        # Two seconds' worth, and what came back while they were asked.
        spent = sum(one.elapsed.total_seconds() for one in answers)
        assert 10 <= passed <= 11 + 5 * (spent + 1)


def test_a_rate_that_processes_share(tmp_path):
    one, other = (SharedRate(0.001, tmp_path / "rates") for _ in range(2))
    assert one.take("eve") == 0
    assert other.take("eve") > 0
    assert other.take("mallory") == 0
    assert SharedRate(0, tmp_path / "none").take("eve") == 0


class TestProcesses:
    def test_one_that_dies_is_replaced(self, index):
        with serving(index.path) as (running, clients):
            before = children(running.pid)
            os.kill(before[0], signal.SIGKILL)
            assert ids(clients[1].get(SEARCH, params={"q": "robot"}))
            wait_until(
                lambda: len(children(running.pid)) == 2 and before[0] not in children(running.pid)
            )
            fresh = next(one for one in children(running.pid) if one not in before)
            # The other one stands still, so it is the new one that answers.
            os.kill(before[1], signal.SIGSTOP)
            try:
                answer = httpx.get(
                    clients[0].base_url.join(SEARCH), params={"q": "robot"}, timeout=PATIENCE
                )
            finally:
                os.kill(before[1], signal.SIGCONT)
            assert ids(answer)
            assert is_running(fresh)

    @pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
    def test_all_end_together(self, index, how):
        with process(index.path, "--workers", "2", "--quiet") as (running, address):
            workers = children(running.pid)
            assert httpx.get(f"{address}{SEARCH}?q=robot", timeout=PATIENCE).is_success
            running.send_signal(how)
            running.wait(PATIENCE)
            wait_until(lambda: not any(map(is_running, workers)))

    def test_there_is_one_writer(self, index):
        """While somebody else writes, no worker can; nothing is half done."""
        with serving(index.path) as (_, clients), WriteLock(index.path / "lock"):
            new = {"documents": [{"id": "late", "text": "late"}]}
            answer = clients[0].post(f"{BASE}/documents", json=new)
            assert answer.status_code in (409, 423, 503), answer.text
            assert ids(clients[1].get(SEARCH, params={"q": "robot"}))
