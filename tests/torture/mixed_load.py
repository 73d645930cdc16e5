"""A server under mixed load for minutes: memory and descriptors must stay as they are.

    python tests/torture/mixed_load.py [--clients 64] [--minutes 10] [--warm-up 2] [--factor 1.05]
        [--judged 200]

A server in a process of its own serves the bundled collection with its default settings, but for
limits for one client: all of them have one address. Each client searches by words and by examples,
reads documents, judges in one of a few sessions and asks for pages. One document a second is added
and the oldest of a hundred such deleted, so that the index stays as large. A review grows with each
judgement and each page, as it must. So that there are as many of these at the end as at the
beginning, a session that has had --judged judgements is deleted and begun anew; the sessions begin
at different stages of that. Before the load there are as many searches by example as fill what the
server remembers of these.

Prints by minute the requests and, as means over the minute, the memory of the server's own
(anonymous), that of files which it has mapped and the system may take back, and descriptors. Exit
status 1 if the last minute has more than --factor times the memory of its own, or descriptors, that
the last minute of the warm-up has.
"""

from __future__ import annotations

import argparse
import gzip
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter, deque
from pathlib import Path
from threading import Event, Lock, Thread
from typing import NamedTuple

import httpx
import msgspec

from likewise import Index
from likewise.datasets import arxiv_sample

SESSIONS = 8
ADDED = 100  # documents beside the collection, at most
REMEMBERED = 300  # searches by example whose queries are more than a server remembers
EVERY = 3  # seconds between looks at the server
BASE = "/v1/indexes/papers"
SETTINGS = ("--rate-limit", "0", "--jobs-per-client", "64", "--waiting", "64")
FINE = (200, 201, 202, 204, 404, 409)  # a session may be finished or deleted meanwhile


class Sample(NamedTuple):
    anonymous: int
    mapped: int
    descriptors: int


def main() -> int:
    options = parse()
    folder = Path(tempfile.mkdtemp(dir=options.folder))
    try:
        index = Index.create(folder / "papers.idx")
        index.add(arxiv_sample())
        ids, words = index.ids(), _words()
        del index
        return run(folder / "papers.idx", Load(ids, words, options.judged), options)
    finally:
        shutil.rmtree(folder)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="A server under mixed load.")
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--minutes", type=int, default=10)
    parser.add_argument("--warm-up", type=int, default=2, help="minutes before that")
    parser.add_argument("--factor", type=float, default=1.05)
    parser.add_argument("--judged", type=int, default=200, help="judgements of a session")
    parser.add_argument("--folder", help="where the index is made; default: for temporary files")
    return parser.parse_args()


def run(path: Path, load: Load, options: argparse.Namespace) -> int:
    server = subprocess.Popen(
        [sys.executable, "-m", "likewise", "serve", str(path), "--port", "0", *SETTINGS],
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        address = _address(server)
        Thread(target=server.stderr.read, daemon=True).start()  # or the pipe would fill
        load.begin(address)
        clients = [Thread(target=load.client, args=(address, n)) for n in range(options.clients)]
        clients.append(Thread(target=load.writer, args=(address,)))
        for client in clients:
            client.start()
        samples = watch(server.pid, load, options)
        load.stop.set()
        for client in clients:
            client.join()
    finally:
        server.kill()
        server.wait()
    return verdict(samples, load, options)


def watch(pid: int, load: Load, options: argparse.Namespace) -> list[Sample]:
    """A line a minute; those after the warm-up are returned."""
    print("minute  requests  anonymous MB  mapped MB  descriptors", flush=True)
    samples = []
    for minute in range(1, options.warm_up + options.minutes + 1):
        before = sum(load.done.values())
        sample = mean_of_a_minute(pid)
        requests = sum(load.done.values()) - before
        warm = " (warm-up)" if minute <= options.warm_up else ""
        print(
            f"{minute:6}  {requests:8,}  {sample.anonymous / 1e6:12.1f}  {sample.mapped / 1e6:9.1f}"
            f"  {sample.descriptors:11}{warm}",
            flush=True,
        )
        if minute >= options.warm_up:  # the end of the warm-up is what the rest is compared with
            samples.append(sample)
    return samples


def mean_of_a_minute(pid: int) -> Sample:
    looks = []
    for _ in range(60 // EVERY):
        time.sleep(EVERY)
        looks.append(look(pid))
    return Sample(*(sum(one) // len(looks) for one in zip(*looks, strict=True)))


def look(pid: int) -> Sample:
    text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    found = {name: int(kb) << 10 for name, kb in re.findall(r"(\w+): +(\d+) kB", text)}
    descriptors = len(list(Path(f"/proc/{pid}/fd").iterdir()))
    return Sample(found["Anonymous"], found["Rss"] - found["Anonymous"], descriptors)


def verdict(samples: list[Sample], load: Load, options: argparse.Namespace) -> int:
    first, last = samples[0], samples[-1]
    memory = last.anonymous / first.anonymous
    descriptors = last.descriptors / first.descriptors
    strange = {what: n for what, n in load.done.items() if what[1] not in FINE}
    print(f"after {options.minutes} minutes: memory of its own {memory:.3f} times, ", end="")
    print(f"descriptors {descriptors:.3f} times what they were (at most {options.factor:g})")
    kinds = Counter()
    for (kind, _), n in load.done.items():
        kinds[kind] += n
    print(", ".join(f"{n:,} {kind}" for kind, n in kinds.most_common()))
    if strange:
        print(f"answers that should not be: {strange}")
    return int(max(memory, descriptors) > options.factor or bool(strange))


class Load:
    """What clients do, and how often they did it, by kind and status."""

    def __init__(self, ids: list[str], words: list[str], judged: int) -> None:
        self.stop = Event()
        self.done: Counter[tuple[str, int]] = Counter()
        self._ids, self._words, self._lock = ids, words, Lock()
        self._judged, self._judgements = judged, [0] * SESSIONS
        self._added: deque[str] = deque()

    def begin(self, address: str) -> None:
        rng = random.Random(-2)
        with httpx.Client(base_url=address, timeout=60) as client:
            for number in range(SESSIONS):
                self._session(client, number).raise_for_status()
                self._judgements[number] = number * self._judged // SESSIONS
                for id in rng.sample(self._ids, self._judgements[number]):
                    self._judgement(client, number, id, rng).raise_for_status()
            while len(self._added) < ADDED:
                self._add(client, rng).raise_for_status()
            for _ in range(REMEMBERED):
                self._like(client, rng).raise_for_status()

    def client(self, address: str, number: int) -> None:
        rng = random.Random(number)
        kinds = (self._search, self._like, self._read, self._judge, self._page)
        with httpx.Client(base_url=address, timeout=120) as client:
            while not self.stop.is_set():
                (kind,) = rng.choices(kinds, (50, 15, 15, 15, 5))
                self._count(kind.__name__.strip("_"), kind(client, rng))

    def writer(self, address: str) -> None:
        """One document a second, and the oldest of them out again."""
        rng = random.Random(-1)
        with httpx.Client(base_url=address, timeout=120) as client:
            while not self.stop.wait(1):
                self._count("add", self._add(client, rng))
                old = {"id": self._added.popleft()}
                self._count("delete", client.delete(f"{BASE}/documents", params=old))

    def _count(self, kind: str, answer: httpx.Response) -> None:
        with self._lock:
            self.done[kind, answer.status_code] += 1

    def _search(self, client: httpx.Client, rng: random.Random) -> httpx.Response:
        words = " ".join(rng.choices(self._words, k=rng.randint(1, 4)))
        return client.get(f"{BASE}/search", params={"q": words})

    def _like(self, client: httpx.Client, rng: random.Random) -> httpx.Response:
        liked = rng.sample(self._ids, rng.randint(1, 5))
        return client.post(f"{BASE}/search", json={"positive": liked, "wait": 60})

    def _read(self, client: httpx.Client, rng: random.Random) -> httpx.Response:
        return client.get(f"{BASE}/documents/{rng.choice(self._ids)}")

    def _judge(self, client: httpx.Client, rng: random.Random) -> httpx.Response:
        number = rng.randrange(SESSIONS)
        with self._lock:
            full = self._judgements[number] == self._judged
            self._judgements[number] = 0 if full else self._judgements[number] + 1
        if not full:
            return self._judgement(client, number, rng.choice(self._ids), rng)
        self._count("end", client.delete(f"{BASE}/sessions/s{number}"))
        return self._session(client, number)

    def _page(self, client: httpx.Client, rng: random.Random) -> httpx.Response:
        return client.post(f"{BASE}/sessions/s{rng.randrange(SESSIONS)}/page", json={})

    def _session(self, client: httpx.Client, number: int) -> httpx.Response:
        new = {"name": f"s{number}", "words": self._words[number]}
        return client.post(f"{BASE}/sessions", json=new)

    def _judgement(
        self, client: httpx.Client, number: int, id: str, rng: random.Random
    ) -> httpx.Response:
        label = rng.choice(("relevant", "not"))
        new = {"judgements": [{"id": id, "label": label}]}
        return client.post(f"{BASE}/sessions/s{number}/judgements", json=new)

    def _add(self, client: httpx.Client, rng: random.Random) -> httpx.Response:
        id = f"added-{rng.getrandbits(48)}"
        text = " ".join(rng.choices(self._words, k=120))
        self._added.append(id)
        new = {"documents": [{"id": id, "title": text[:60], "text": text}]}
        return client.post(f"{BASE}/documents", json=new)


def _address(server: subprocess.Popen[str]) -> str:
    said = []
    while True:
        said.append(server.stderr.readline())
        if not said[-1]:
            raise SystemExit(f"the server did not start: {''.join(said)}")
        if found := re.search(r"http://[\d.:]+", said[-1]):
            return found[0]


def _words() -> list[str]:
    """Words of the collection's titles, each once."""
    with gzip.open(arxiv_sample(), "rb") as lines:
        titles = " ".join(msgspec.json.decode(line)["title"] for line in lines)
    return sorted(set(re.findall(r"[a-z]{4,}", titles.lower())))


if __name__ == "__main__":
    sys.exit(main())
