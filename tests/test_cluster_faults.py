"""What happens to workers while somebody asks: the answer is the same, or an error says why not."""

from __future__ import annotations

import os
import re
import shutil
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

import pytest

from helpers.clusters import dask, kill, scheduler
from helpers.sharded import joined
from likewise import Document, Index, LikewiseError, StoreError
from likewise.engines.cluster import collection, watch
from likewise.engines.cluster.collection import at
from likewise.errors import ClusterError

pytest.importorskip("distributed")
WORDS = "common w7 w80123"
MEMORY = r"too little memory|cannot allocate memory|ended \d+ workers|lost all its workers"


@pytest.fixture(scope="module")
def shards(tmp_path_factory):
    """Two shards with so many terms that a vector over them is not a small piece of memory."""
    many = [
        Document(f"d{i}", " ".join(f"w{i * 60 + j}" for j in range(60)) + " common" * (i % 7))
        for i in range(2500)
    ]
    return joined(tmp_path_factory.mktemp("many") / "many.idx", [many[:1000], many[1000:]]).path


@pytest.fixture(scope="module")
def local(shards):
    return Index.open(shards)


@pytest.fixture(scope="module")
def running():
    """A scheduler that replaces workers which are silent for five seconds."""
    with scheduler(DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL="1s") as found:
        yield found


@pytest.fixture(scope="module")
def opened(shards, running):
    """The connection is closed before the scheduler is gone."""
    address, processes = running
    processes.append(worker(address))
    yield Index.open(shards, engine="cluster", address=address)
    collection._known.pop(address).cluster.close()


@pytest.fixture
def many(opened, running):
    """With two workers, whatever happened to those before, that have a shard each."""
    address, (_, *workers) = running
    cluster = at(address).cluster
    while (there := sum(one.poll() is None for one in workers)) < 2:
        workers.append(worker(address))
        running[1].append(workers[-1])
    cluster.client.wait_for_workers(there, timeout=60)
    cluster.spoiled += 1  # opened anew
    return opened


def worker(address):
    return dask("worker", address, "--no-nanny", "--no-dashboard", "--nthreads", "1")


def alive(running):
    return [process for process in running[1][1:] if process.poll() is None]


def words(index):
    return [(hit.id, hit.score) for hit in index.search(WORDS, 20)]


def examples(index):
    return [(hit.id, hit.score) for hit in index.like(["d3", "d4", "d1203"], method="ba", k=20)]


ASKED = {"words": words, "examples": examples}


def stop(process):
    os.kill(process.pid, signal.SIGSTOP)


def go_on(process):
    os.kill(process.pid, signal.SIGCONT)


def meanwhile(ask, index, process, then, seconds):
    """The answer to a question that is asked while a worker is stopped, until something else."""
    stop(process)
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(ask, index)
        time.sleep(seconds)
        assert not answer.done()
        then(process)
        return answer.result()


@pytest.mark.parametrize("name", ASKED)
def test_a_slow_worker_is_waited_for(many, running, name):
    expected = ASKED[name](many)
    assert meanwhile(ASKED[name], many, alive(running)[0], go_on, 1.5) == expected


@pytest.mark.parametrize("name", ASKED)
def test_a_worker_is_killed_while_it_is_asked(many, running, local, name):
    """It has the question and no answer yet."""
    expected = ASKED[name](many)
    asked = alive(running)[0]
    assert meanwhile(ASKED[name], many, asked, lambda one: kill(one.pid), 0.5) == expected
    assert words(many) == words(local)


def test_a_worker_that_stays_silent_is_named_and_then_replaced(many, running, monkeypatch):
    expected = examples(many)
    silent = alive(running)[0]
    with monkeypatch.context() as patch:
        patch.setattr(watch, "SILENT", 2.0)
        stop(silent)
        says = r"worker tcp://\S+ of the cluster at tcp://\S+ .* not been heard of for \d+ s: see"
        with pytest.raises(ClusterError, match=says):
            words(many)
    assert examples(many) == expected  # on the other, once Dask has given this one up
    silent.kill()
    silent.wait()


def limiter(more):
    """For a worker, which cannot import this file: so many bytes are left to it."""

    def limit():
        import resource
        from pathlib import Path

        now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (hard if more is None else now + more, hard))

    return limit


@contextmanager
def suppress_memory_errors():
    try:
        yield
    except LikewiseError as error:
        if not re.search(MEMORY, str(error)):
            raise


def test_workers_out_of_memory(many, running, monkeypatch):
    """Others do it, or an error says what is missing; nothing is tried for ever."""
    monkeypatch.setattr(watch, "STUCK", 5.0)
    expected = examples(many)
    cluster, asked = at(running[0]).cluster, [examples, lambda index: index.like(["d3"]), examples]
    for turn in range(2):  # one after the other: without memory it may not answer
        cluster.client.run(limiter(1 << 20), workers=[cluster.workers[turn % len(cluster.workers)]])
        for ask in asked:
            with suppress_memory_errors():
                found = ask(many)
                assert ask is not examples or found == expected
    replace_all(running)
    cluster.client.wait_for_workers(1, timeout=60)
    assert examples(many) == expected


def test_all_workers_are_replaced(many, running):
    """What they had is computed by those who were not there when it was asked for."""
    expected = {name: ask(many) for name, ask in ASKED.items()}
    replace_all(running)
    assert {name: ask(many) for name, ask in ASKED.items()} == expected


def replace_all(running):
    """For a moment, nobody is there."""
    for process in alive(running):
        process.kill()
        process.wait()
    running[1].append(worker(running[0]))


def end(process):
    """And the worker that it has started. Asked to end, Dask may wait for ever for a new one."""
    import psutil

    own = psutil.Process(process.pid)
    own.suspend()  # or it could start another one after these have been listed
    started = own.children(recursive=True)
    process.kill()
    for one in started:
        with suppress(psutil.NoSuchProcess):
            one.kill()
    process.wait()


def ask_often(shards, address):
    """Dask looks at a worker's memory five times a second; before, it may answer."""
    for _ in range(200):
        Index.open(shards, engine="cluster", address=address).search(WORDS)


def test_workers_that_dask_gives_too_little_memory(shards, monkeypatch):
    """They pause for ever, or are ended again and again: both are told."""
    monkeypatch.setattr(watch, "SECONDS", 2.0)
    says = r"have paused, as .*--memory-limit 0|lost all its workers|ended \d workers|no workers"
    says += "|had too little memory"
    with scheduler() as (address, processes):
        for given in ("80MB", "50MB"):
            processes.append(dask("worker", address, "--no-dashboard", "--memory-limit", given))
            with pytest.raises(ClusterError, match=says):
                ask_often(shards, address)
            end(processes[-1])
        if address in collection._known:
            collection._known.pop(address).cluster.close()


def test_a_shard_that_is_damaged_while_it_is_searched(shards, many, running, tmp_path, local):
    """It is named; the others are as they were, and with it mended all is."""
    copy = tmp_path / "damaged.idx"
    shutil.copytree(shards, copy)
    before = {file: file.read_bytes() for file in copy.rglob("*") if file.is_file()}
    file = max(copy.glob("shards/0001/segments/*.seg"), key=lambda one: one.stat().st_size)
    index = Index.open(copy, engine="cluster", address=running[0])
    assert words(index) == words(local)
    with file.open("r+b") as out:
        for place in range(len(before[file]) // 4, len(before[file]) - 4096, 512):
            out.seek(place)
            out.write(bytes([before[file][place] ^ 0xFF]))
    fresh = Index.open(copy, engine=index.engine)
    for ask in ASKED.values():
        with pytest.raises(StoreError, match=r"shards/0001/segments/\d+\.seg"):
            ask(fresh)
    file.write_bytes(before[file])
    assert words(fresh) == words(local)
    assert {one: one.read_bytes() for one in before} == before
