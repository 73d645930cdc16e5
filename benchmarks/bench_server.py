"""Requests a second and how long they take, over HTTP, and what memory does meanwhile."""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from statistics import median
from threading import Timer
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from harness import Figure, writes
from likewise import Index
from load import Load, Request, by_sockets, drive
from memory_use import HighWater
from rows import Row, at_least, at_most, times

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from workspace import Workspace

SOAK = float(os.environ.get("SOAK_SECONDS", "120"))  # an hour of it finds what grows slowly
METHOD = (
    "`likewise serve` on 150,000 arXiv abstracts, asked over as many connections as there are "
    "clients, on the same machine, by wrk (where it is missing, by a generator in benchmarks/). "
    "Keyword search: two words of a title. 1c: five abstracts of one category as examples. Judge "
    "and next: one judgement kept in SQLite, and the next page of ten, in eight sessions, of a "
    "document that was not judged before: each number of clients has sessions of its own, used "
    "for a second before; beside its writes to disk, which are two of 4 KiB and fsync in the "
    "same folder. The generator has the same cores, and what it takes of them is said. While "
    "merging: keyword searches of eight clients for as long as the server merges the index, "
    "copies one after another, beside those before. Memory "
    "is resident; its growth is that of the last third's median over the first third's, under all "
    f"three kinds of requests from eight clients for {SOAK / 60:g} minutes."
)
PACKAGES = ("likewise", "fastapi", "uvicorn")
CLIENTS, QUICK_CLIENTS = (1, 8, 64), (1, 64)
SECONDS = 10.0
SESSIONS = 8
STARTED = 60.0  # seconds that a server may take to start, and to end
LISTED = 20_000
INDEX = "/v1/indexes/arxiv"
KEYWORDS, JUDGING = "keyword search", "judge and next"
WARM = 1_000  # requests at the end of a list, for the first second
MERGES, MOMENT = 3, 0.25  # copies of the index, and seconds
WRITES = 2  # transactions of a judgement and the page after it, each with one wait for the disk
GOALS = {(KEYWORDS, 8, "requests/s"): at_least(1_000), (JUDGING, 64, "p99 ms"): at_most(300)}


def rows(workspace: Workspace) -> list[Row]:
    path = workspace.arxiv_index
    works = requests_of(Index.open(path))
    seconds = 1.0 if workspace.quick else SECONDS
    found: list[Row] = []
    errors = 0
    with serving(path) as (address, server):
        begin_sessions(address, "s")
        for work, requests in works.items():
            for clients in QUICK_CLIENTS if workspace.quick else CLIENTS:
                asked = requests
                if work == JUDGING:
                    asked = in_new_sessions(address, requests, f"of{clients}-")
                drive(address, asked[-WARM:], 8, 1.0, workspace.directory)  # warm up
                held = HighWater(server)
                load = drive(address, asked, clients, seconds, workspace.directory)
                found += of_load(work, clients, load, held.megabytes)
                errors += load.errors
                if (work, clients) == (JUDGING, 1):
                    found.append(beside_disk(load, workspace.directory))
        soak = 3.0 if workspace.quick else SOAK
        found.append(of_memory(address, works, soak, workspace.directory))
    found.append(Row("all of these", "errors", Figure(errors, errors), goal=at_most(0)))
    return [*found, *while_merging(workspace, path, works[KEYWORDS])]


def of_load(work: str, clients: int, load: Load, memory: float | None) -> list[Row]:
    figures = {
        "requests/s": load.rate,
        "p50 ms": 1e3 * load.p50,
        "p99 ms": 1e3 * load.p99,
        "cores of the generator": load.cores,
    }
    name = f"{work}, {clients} client{'s' * (clients > 1)}"
    return [
        Row(
            name,
            unit,
            Figure(value, value, memory if unit == "requests/s" else None),
            goal=GOALS.get((work, clients, unit)),
            more=unit == "requests/s",
        )
        for unit, value in figures.items()
    ]


def beside_disk(load: Load, folder: Path) -> Row:
    """What is left of the median without the writes to disk that it waits for."""
    left = 1e3 * load.p50 - WRITES * median(writes(folder))
    name = f"{JUDGING}, 1 client, beside {WRITES} writes to disk"
    return Row(name, "p50 ms", Figure(left, left), goal=at_most(5))


def while_merging(workspace: Workspace, path: Path, requests: list[Request]) -> list[Row]:
    """Searches of copies, before and while each is merged; those of a moment in which it ended are
    not counted.
    """
    asked = [one._replace(path=one.path.replace("/arxiv/", "/merged/")) for one in requests]
    before: list[float] = []
    during: list[float] = []
    for _ in range(1 if workspace.quick else MERGES):
        copy = workspace.fresh("merged.idx")
        shutil.copytree(path, copy)
        with serving(copy) as (address, _):
            drive(address, asked, 8, 1.0, workspace.directory)
            for _ in range(4):
                before += moment(address, asked)
            merging = post(address, "/v1/indexes/merged/merge", {})
            found = moment(address, asked)
            while state(address, merging["id"]) == "running":
                during += found
                found = moment(address, asked)
    name = f"{KEYWORDS} while merging, 8 clients{'' if during else ' (it ended before)'}"
    figures = [Figure(1e3 * median(one), 1e3 * median(one)) for one in (during or found, before)]
    return [Row(name, "p50 ms", figures[0], "before merging", figures[1], times(0.5))]


def moment(address: str, requests: list[Request]) -> list[float]:
    """The seconds of searches of eight clients for a moment, shorter than wrk can."""
    return asyncio.run(by_sockets(address, requests, 8, MOMENT))[0]


def of_memory(address: str, works: dict[str, list[Request]], seconds: float, folder: Path) -> Row:
    """All kinds of requests by turns, with a look at the memory after each."""
    end = time.monotonic() + seconds
    seen: list[float] = []
    while time.monotonic() < end:
        for requests in works.values():
            drive(address, requests, 8, max(1.0, seconds / 100), folder)
            seen.append(resident(address))
    third = max(1, len(seen) // 3)
    growth = 100 * (median(seen[-third:]) / median(seen[:third]) - 1)
    return Row(
        f"memory after {seconds:g} s, {median(seen[-third:]) / 1e6:.0f} MB",
        "% grown",
        Figure(growth, growth),
        goal=at_most(5),
    )


def requests_of(index: Index) -> dict[str, list[Request]]:
    """What clients ask, the same in every run."""
    chosen = random.Random(0)
    ids = index.ids()
    chosen.shuffle(ids)
    documents = index.documents(ids[:LISTED])
    words = [re.findall(r"[a-z]{4,}", document.title.lower())[:2] for document in documents]
    by_category: dict[str, list[str]] = {}
    for document in documents:
        by_category.setdefault(document.fields.get("primary", ""), []).append(document.id)
    large = [members for members in by_category.values() if len(members) >= 5]
    return {
        KEYWORDS: [
            Request("GET", f"{INDEX}/search?q={quote(' '.join(two))}") for two in words if two
        ][:1_000],
        "1c, five examples": [
            by_example(chosen.sample(chosen.choice(large), 5)) for _ in range(500)
        ],
        JUDGING: [judging(number, id) for number, id in enumerate(ids[:LISTED])],
    }


def by_example(ids: Sequence[str]) -> Request:
    return Request("POST", f"{INDEX}/search", json.dumps({"positive": list(ids), "method": "1c"}))


def judging(number: int, id: str) -> Request:
    label = "relevant" if number % 3 == 0 else "not"
    body = {"judgements": [{"id": id, "label": label}], "next": {"size": 10}}
    path = f"{INDEX}/sessions/s{number % SESSIONS}/judgements"
    return Request("POST", path, json.dumps(body))


@contextmanager
def serving(path: Path, *options: str) -> Iterator[tuple[str, int]]:
    """The address of a server in a process of its own, and the number of that."""
    command = [sys.executable, "-m", "likewise", "serve", str(path), "--port", "0"]
    command += ["--rate-limit", "0", "--quiet", *options]
    running = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    late = Timer(STARTED, running.kill)
    late.start()
    try:
        lines = running.stderr or ()
        addresses = (found[0] for line in lines if (found := re.search(r"http://[\d.:]+", line)))
        address = next(addresses, None)
        late.cancel()
        if address is None:
            raise RuntimeError(f"{' '.join(command)} did not start within {STARTED:g} s")
        yield address, running.pid
    finally:
        late.cancel()
        running.terminate()
        try:
            running.wait(STARTED)
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()


def begin_sessions(address: str, name: str) -> None:
    for number in range(SESSIONS):
        post(address, f"{INDEX}/sessions", {"name": f"{name}{number}", "words": "neural networks"})


def in_new_sessions(address: str, requests: list[Request], name: str) -> list[Request]:
    """Judgements again, in sessions that know none: of a document that is judged already, nothing
    would be learned.
    """
    begin_sessions(address, name)
    return [
        one._replace(path=one.path.replace("/sessions/s", f"/sessions/{name}")) for one in requests
    ]


def post(address: str, path: str, asked: dict[str, str]) -> dict[str, Any]:
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"{address}{path}", json.dumps(asked).encode(), headers)
    with urllib.request.urlopen(request) as answer:
        told: dict[str, Any] = json.load(answer)
    return told


def state(address: str, job: str) -> str:
    with urllib.request.urlopen(f"{address}/v1/jobs/{job}") as answer:
        return str(json.load(answer)["state"])


def resident(address: str) -> float:
    with urllib.request.urlopen(f"{address}/v1/metrics") as answer:
        text = answer.read().decode()
    return float(re.search(r"^likewise_resident_bytes (\S+)", text, re.MULTILINE)[1])
