"""Offline searches as jobs: watched, cancelled, limited in number, kept for a while."""

from __future__ import annotations

import contextlib
import gc
import json
import weakref
from threading import Event

import pytest

from helpers.server_client import problem
from likewise import UsageError
from likewise.server.expiring import Expiring
from likewise.server.jobs import Jobs
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


class Thing:
    def __init__(self, size=0):
        self.size = size


def test_things_are_forgotten(monkeypatch):
    now = 0.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    remembered = Expiring("x", seconds=10, most=2, most_bytes=100)
    things = [Thing() for _ in range(5)]
    first, second = remembered.put(things[0]), remembered.put(things[1])
    now = 8.0
    assert remembered.get(first) is things[0]
    now = 12.0
    assert (remembered.get(first), remembered.get(second)) == (things[0], None)
    names = [remembered.put(thing) for thing in things[2:]]
    assert [remembered.get(name) for name in names] == [None, *things[3:]]
    assert len(remembered) == 2
    now = 23.0
    remembered.forget()
    assert len(remembered) == 0


def test_things_are_bounded_in_bytes():
    remembered = Expiring("x", seconds=1e9, most=100, most_bytes=100)
    running = Thing(0)
    names = [remembered.put(thing) for thing in (running, Thing(60), Thing(40), Thing(30))]
    assert [remembered.get(name) is not None for name in names] == [True, False, True, True]
    assert remembered.size == 70
    running.size = 1_000  # it has finished, and was asked for before the others
    remembered.forget()
    assert [thing.size for thing in remembered] == [40, 30]
    large = remembered.put(Thing(1_000))
    assert remembered.get(large) is not None  # the last one stays
    assert remembered.size == 1_000


def test_results_are_bounded_in_bytes():
    """Ten answers of a megabyte: the last three are kept."""
    jobs = Jobs(Limits(result_bytes=3 << 20))
    try:
        made = [jobs.submit("papers", lambda _: b"x" * (1 << 20), {}) for _ in range(8)]
        for job in made:
            job.finished.result()
        assert jobs.size <= 3 << 20
        kept = [job for job in made if job.id in _known(jobs, made)]
        assert len(kept) == 3
    finally:
        jobs.close()
    assert jobs.size <= 3 << 20


def _known(jobs, made):
    found = set()
    for job in made:
        with contextlib.suppress(ProblemError):
            found.add(jobs[job.id].id)
    return found


def test_a_finished_job_does_not_hold_its_request(jobs):
    work = Held()
    there = weakref.ref(work)
    job = jobs.submit("papers", work, {})
    work.free.set()
    job.finished.result()
    del work
    gc.collect()
    assert there() is None
    assert job.info().state == "done"


def test_one_caller_cannot_fill_the_queue():
    jobs = Jobs(Limits(jobs=1, waiting=9, jobs_of_one=3))
    held = [Held() for _ in range(5)]
    try:
        for work in held[:3]:
            jobs.submit("papers", work, {}, "ada")
        with pytest.raises(ProblemError, match="you have 3 searches waiting or running") as refused:
            jobs.submit("papers", held[3], {}, "ada")
        assert (refused.value.status, refused.value.headers) == (429, {"Retry-After": "5"})
        assert jobs.submit("papers", held[4], {}, "ben").info().state == "queued"
    finally:
        jobs.close()


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
