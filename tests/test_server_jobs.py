"""Offline searches as jobs: watched, cancelled, limited in number, kept for a while."""

from __future__ import annotations

import json
from threading import Event

import pytest

from helpers.server_client import make_index, problem, serving
from likewise import UsageError
from likewise.server.jobs import Expiring, Jobs
from likewise.server.problems import ProblemError
from likewise.server.settings import Limits

SEARCH = "/v1/indexes/papers/search"
LIKED = ["1806.07419", "1907.02555", "1809.10797"]


@pytest.fixture
def jobs():
    jobs = Jobs(Limits(jobs=1, waiting=1))
    yield jobs
    jobs.close()


class Held:
    """Work that reports until it is let go."""

    def __init__(self):
        self.running, self.free = Event(), Event()

    def __call__(self, report):
        passes = 0
        while not self.free.is_set():
            passes += 1
            report(passes, float("inf"), 0.5)
            self.running.set()
        return


def test_cancelling_what_runs(jobs):
    work = Held()
    job = jobs.submit("papers", work, {})
    work.running.wait()
    info = job.info()
    assert (info.state, info.objective, info.gap) == ("running", None, 0.5)
    assert info.passes >= 1
    job.cancel()
    job.finished.result()
    assert job.info().state == "cancelled"
    assert jobs.open == 0


def test_cancelling_what_waits(jobs):
    first, second = Held(), Held()
    running = jobs.submit("papers", first, {})
    waiting = jobs.submit("papers", second, {})
    first.running.wait()
    assert waiting.info().state == "queued"
    with pytest.raises(ProblemError, match="too many searches are waiting") as refused:
        jobs.submit("papers", Held(), {})
    assert (refused.value.status, refused.value.headers) == (503, {"Retry-After": "5"})
    waiting.cancel()
    assert waiting.info().state == "cancelled"
    first.free.set()
    running.finished.result()
    assert running.info().state == "done"
    assert not second.running.is_set()
    waiting.cancel()
    running.cancel()
    assert running.info().state == "done"


@pytest.mark.parametrize(
    ("error", "status", "detail"),
    [
        (UsageError("/data/papers.idx makes no sense"), 422, "papers makes no sense"),
        (ProblemError(404, "no query"), 404, "no query"),
    ],
)
def test_failing(jobs, error, status, detail):
    def work(_):
        raise error

    job = jobs.submit("papers", work, {"/data/papers.idx": "papers"})
    job.finished.result()
    info = job.info()
    assert (info.state, info.problem.status, info.problem.detail) == ("failed", status, detail)


def test_things_are_forgotten(monkeypatch):
    now = 0.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    remembered = Expiring("x", seconds=10, most=2)
    first, second = remembered.put("a"), remembered.put("b")
    now = 8.0
    assert remembered.get(first) == "a"
    now = 12.0
    assert (remembered.get(first), remembered.get(second)) == ("a", None)
    names = [remembered.put(i) for i in range(3)]
    assert [remembered.get(name) for name in names] == [None, 1, 2]
    assert len(remembered) == 2


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with serving(make_index(tmp_path_factory.mktemp("served")).path) as client:
        yield client


def test_a_job_by_polling_and_by_events(client):
    answer = client.post(SEARCH, json={"positive": LIKED, "method": "pr", "limit": 3})
    assert answer.status_code == 202
    job = answer.json()
    assert answer.headers["location"] == f"/v1/jobs/{job['id']}"
    with client.stream("GET", f"/v1/jobs/{job['id']}/events") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        blocks = "".join(stream.iter_text()).strip().split("\n\n")
    events = [dict(line.split(": ", 1) for line in block.split("\n")) for block in blocks]
    assert events[-1]["event"] == "done"
    assert {event["event"] for event in events[:-1]} <= {"progress"}
    passes = [json.loads(event["data"])["passes"] for event in events]
    assert passes == sorted(passes)
    last = json.loads(events[-1]["data"])
    assert last == client.get(answer.headers["location"]).json()
    waited = client.post(SEARCH, json={"positive": LIKED, "method": "pr", "limit": 3, "wait": 60})
    assert waited.status_code == 200
    assert waited.json()["hits"] == last["result"]["hits"]
    cancelled = client.delete(answer.headers["location"]).json()
    assert cancelled["state"] == "done"


def test_a_job_that_fails(client):
    asked = {"positive": ["nobody", "none"], "method": "ba"}
    problem(client.post(SEARCH, json={**asked, "wait": 60}), 404, "no document 'nobody'")
    job = client.post(SEARCH, json=asked)
    if job.status_code == 202:  # it may have failed before it could be told of
        with client.stream("GET", f"/v1/jobs/{job.json()['id']}/events") as stream:
            assert "event: failed" in "".join(stream.iter_text())
        found = client.get(job.headers["location"]).json()
        assert found["problem"]["status"] == 404


def test_unknown_jobs(client):
    for method, address in (("GET", "x"), ("DELETE", "x"), ("GET", "x/events")):
        problem(client.request(method, f"/v1/jobs/{address}"), 404, "no job 'x'")
