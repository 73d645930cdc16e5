"""What a server that runs for months keeps: nothing that waits to be used again holds old files."""

from __future__ import annotations

import gc
import platform
import re
import subprocess
import sys
import time
import weakref
from pathlib import Path

import pytest

from helpers.server_client import make_index, serving
from likewise.search.bound import LearnedQuery
from likewise.search.query import Query
from likewise.server.indexes import ServedIndex
from likewise.server.jobs import Jobs
from likewise.server.memory import give_back, share_arenas
from likewise.server.problems import ProblemError
from likewise.server.recent import RecentQueries
from likewise.server.settings import Limits
from likewise.store.snapshot import Snapshot

BASE = "/v1/indexes/papers"
LIKED = ["1806.07419", "1907.02555", "1809.10797"]
PATIENCE = 60  # seconds until a test gives up


def wait_until(holds):
    """Collect garbage until something holds."""
    end = time.monotonic() + PATIENCE
    while not holds() and time.monotonic() < end:
        gc.collect()
    return holds()


@pytest.fixture
def path(tmp_path):
    return make_index(tmp_path).path


@pytest.fixture
def served(path):
    return ServedIndex("papers", path, 1)


@pytest.fixture
def recent(served):
    recent = RecentQueries(Limits())
    served.on_change = lambda: recent.detach(served)
    yield recent
    recent.close()


def add_one(served, id="new"):
    served.newest.add([{"id": id, "text": "one more"}])
    return served.refreshed()


class TestQueries:
    def test_one_of_the_current_generation_is_kept_as_it_is(self, served, recent):
        learned = served.current.learn(LIKED, method="1c")
        assert recent.get(served, recent.put(served, learned)) is learned

    def test_one_of_an_old_generation_holds_nothing_of_it(self, served, recent):
        learned = served.current.learn(LIKED, method="1c")
        before = [(hit.id, hit.score) for hit in served.current.run(learned)]
        id, snapshot = recent.put(served, learned), weakref.ref(served.snapshot)
        generation = weakref.ref(learned.generation)
        del learned
        after = add_one(served)
        assert wait_until(lambda: snapshot() is None and generation() is None)
        kept = recent.get(served, id)
        assert isinstance(kept, Query)
        assert [hit.id for hit in after.run(kept)] == [id for id, _ in before]

    def test_one_that_was_learned_while_the_index_changed(self, served, recent):
        index = served.current
        learned = index.learn(LIKED, method="1c")
        snapshot = weakref.ref(index.searcher.snapshot)
        add_one(served)
        id = recent.put(served, learned)
        del index, learned
        assert wait_until(lambda: snapshot() is None)
        assert isinstance(recent.get(served, id), Query)

    def test_those_that_wait_to_be_detached_stay_few(self, served):
        """Also where the worker never gets to it."""
        recent, ids = RecentQueries(Limits()), []
        for number in range(6):
            ids.append(recent.put(served, served.current.learn(LIKED, method="1c")))
            add_one(served, f"n{number}")
        kept = [recent.get(served, id) for id in ids]
        assert [isinstance(one, LearnedQuery) for one in kept] == [False] * 5 + [True]
        recent.close()

    def test_they_are_bounded_in_bytes(self, served):
        recent = RecentQueries(Limits(query_bytes=1_000_000))
        ids = [recent.put(served, served.current.learn(LIKED, method="1c")) for _ in range(20)]
        assert recent.size <= 1_000_000
        assert 1 <= len(recent) < 20
        assert recent.get(served, ids[0]) is None
        assert isinstance(recent.get(served, ids[-1]), LearnedQuery)
        recent.close()


def test_searches_and_reviews_between_changes(path):
    """Each search is remembered and each session stays warm: one generation is in memory."""

    def snapshots():
        return sum(isinstance(one, Snapshot) and one.directory == path for one in gc.get_objects())

    with serving(path) as client:
        for number in range(8):
            new = {"documents": [{"id": f"n{number}", "text": "one more"}]}
            assert client.post(f"{BASE}/documents", json=new).status_code == 201
            asked = {"positive": LIKED, "method": "1c"}
            found = client.post(f"{BASE}/search", json=asked)
            assert found.status_code == 200
            name = f"review {number}"
            made = client.post(f"{BASE}/sessions", json={"name": name, "words": "robot"})
            assert made.status_code == 201
            assert client.get(f"{BASE}/sessions/{name}/page").status_code == 200
        assert wait_until(lambda: snapshots() <= 1), snapshots()
        again = client.post(f"{BASE}/search", json={"query": found.json()["query"]["id"]})
        assert again.json()["hits"] == found.json()["hits"]


def test_free_memory_goes_back_to_the_system():
    if platform.libc_ver()[0] != "glibc":
        pytest.skip("only glibc is asked to")
    share_arenas()
    pieces = [bytes(60_000) for _ in range(2_000)]  # below what has a map of its own
    kept = pieces[::50]  # spread over all of it
    full = anonymous()
    del pieces
    give_back()
    assert anonymous() < full - 80_000_000
    assert len(kept) == 40


BETWEEN = """
import re
import sys
from pathlib import Path
import numpy as np
from likewise import Index
from likewise.server.memory import share_arenas

def anonymous():
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"RssAnon:\\s+(\\d+) kB", status)[1]) * 1024

share_arenas()
Index.create(sys.argv[1]).add([{"id": "a", "text": "one that is added where others are served"}])
np.ones(20_000_000, np.uint8)
arrays, kept = [], []
for _ in range(1_000):
    arrays.append(np.ones(200_000, np.uint8))
    kept.append(bytes(5_000))
full = anonymous()
del arrays
print(full - anonymous())
"""


def test_arrays_are_not_put_between_small_things(tmp_path):
    """Without anybody giving it back: once a large one was freed, glibc would keep the next. That
    documents were added, too, changes nothing.

    In a process of its own: what other tests have freed between small things would be used first.
    """
    if platform.libc_ver()[0] != "glibc":
        pytest.skip("only glibc is asked to")
    made = [sys.executable, "-c", BETWEEN, str(tmp_path / "made.idx")]
    done = subprocess.run(made, capture_output=True, text=True)
    assert int(done.stdout) > 150_000_000, done.stderr  # of 200


def anonymous():
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"RssAnon:\s+(\d+) kB", status)[1]) * 1024


def test_a_result_that_somebody_waited_for_is_not_kept(path):
    with serving(path) as client:
        asked = {"positive": LIKED, "wait": 60}
        assert client.post(f"{BASE}/search", json=asked).status_code == 200
        later = client.post(f"{BASE}/search", json={**asked, "wait": 0})
        assert later.status_code == 202
        with client.stream("GET", f"{later.headers['location']}/events") as events:
            list(events.iter_lines())
        assert client.get(later.headers["location"]).json()["state"] == "done"


def test_a_job_that_is_dropped_takes_nothing():
    jobs = Jobs(Limits())
    try:
        job = jobs.submit("papers", lambda report: b"x" * 1000, {})
        job.finished.result(PATIENCE)
        assert jobs.size == 1000
        jobs.drop(job)
        assert jobs.size == 0
        with pytest.raises(ProblemError, match="no job"):
            jobs[job.id]
    finally:
        jobs.close()


def test_a_job_that_is_dropped_waits_for_no_collector():
    """It is in no circle of references, which would keep it until the next full collection."""
    jobs = Jobs(Limits())
    gc.disable()
    try:
        job = jobs.submit("papers", lambda report: b"x" * 1000, {})
        job.finished.result(PATIENCE)
        jobs.drop(job)
        jobs.close()  # no worker has it in hand
        held = weakref.ref(job)
        del job
        assert held() is None
    finally:
        gc.enable()
        jobs.close()


def test_giving_back_frees_what_has_got_old_in_circles():
    class Thing:
        pass

    thing = Thing()
    thing.itself = thing
    gc.collect()  # it is among the old ones now
    held = weakref.ref(thing)
    del thing
    give_back()
    assert held() is None
