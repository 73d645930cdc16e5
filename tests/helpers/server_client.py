"""Servers for tests: real ones, in a thread or in a process of their own."""

from __future__ import annotations

import re
import subprocess
import sys
from contextlib import contextmanager
from threading import Thread

import httpx

from likewise import Index
from likewise.datasets import arxiv_sample
from likewise.server.running import started
from likewise.server.settings import Limits, Settings

NO_HASTE = Limits(rate=0, refusals=0)


def make_index(folder, name="papers.idx"):
    index = Index.create(folder / name, threads=1)
    index.add(arxiv_sample())
    return index


@contextmanager
def serving(*paths, headers=None, **settings):
    """A client of a server in a thread."""
    chosen = Settings(**{"limits": NO_HASTE, "threads": 1, **settings})
    with (
        started(paths, chosen) as address,
        httpx.Client(base_url=address, headers=headers, timeout=60) as client,
    ):
        yield client


@contextmanager
def process(*arguments, command="serve"):
    """A server in a process of its own, and its address; it is killed at the end."""
    command = [sys.executable, "-m", "likewise", command, *map(str, arguments), "--port", "0"]
    running = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    draining = Thread(target=running.stderr.read)  # or the pipe would fill
    try:
        address, said = None, []
        while address is None:
            said.append(running.stderr.readline())
            assert said[-1], f"the server did not start: {''.join(said)}"
            address = re.search(r"http://[\d.:]+", said[-1])
        draining.start()
        yield running, address[0]
    finally:
        running.kill()
        running.wait()
        if draining.ident is not None:
            draining.join()
        running.stderr.close()


def problem(answer, status, detail):
    """Check that an answer is problem details that say so."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    body = answer.json()
    assert body["status"] == status
    assert body["title"]
    assert body["request_id"] == answer.headers["x-request-id"]
    assert re.search(detail, body["detail"]), body["detail"]
    return body
