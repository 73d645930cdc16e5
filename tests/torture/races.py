"""The server's busiest paths from many threads at once: for `make check-threads`.

    python tests/torture/races.py [--seconds 60]

One process holds the server and its clients, which search, learn from examples, judge and add
documents, so that kernels run in several threads over the same mapped arrays while generations
come and go. ThreadSanitizer ends the process where two threads touch the same memory unordered.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import httpx

from helpers.server_client import make_index, serving
from torture.trials import Clock

BASE = "/v1/indexes/papers"
LIKED = ["1806.07419", "1907.02555", "1809.10797"]
CLIENTS = 8


def main() -> int:
    parser = argparse.ArgumentParser(description="Look for races in the server's busiest paths.")
    parser.add_argument("--seconds", type=float, default=60)
    seconds = parser.parse_args().seconds
    with tempfile.TemporaryDirectory() as folder:
        index = make_index(Path(folder))
        with serving(index.path, threads=4) as client, ThreadPoolExecutor(CLIENTS) as pool:
            address = str(client.base_url)
            works = [pool.submit(work, address, place, seconds) for place in range(CLIENTS)]
            done = sum((each.result() for each in works), Counter())
    print(", ".join(f"{times:,} {what}" for what, times in sorted(done.items())))
    return 0


def work(address: str, place: int, seconds: float) -> Counter[str]:
    done: Counter[str] = Counter()
    clock = Clock(seconds)
    with httpx.Client(base_url=address, timeout=600) as client:
        session = {"name": f"s{place}", "words": "svm"}
        expect(client.post(f"{BASE}/sessions", json=session))
        while clock():
            number = sum(done.values())
            what, answer = request(client, place, number)
            expect(answer)
            done[what] += 1
    return done


def request(client: httpx.Client, place: int, number: int) -> tuple[str, httpx.Response]:
    turn = (place + number) % 4
    if turn == 0:
        return "searches", client.post(f"{BASE}/search", json={"words": f"kernel svm {number % 7}"})
    if turn == 1:
        method = ("auto", "ba", "centroid")[number % 3]
        body = {"positive": LIKED, "method": method, "wait": 60}
        return "searches by example", client.post(f"{BASE}/search", json=body)
    if turn == 2:
        label = {"id": LIKED[number % 3], "label": "relevant" if number % 2 else "not"}
        path = f"{BASE}/sessions/s{place}/judgements"
        return "judgements", client.post(path, json={"judgements": [label]})
    document = {"id": f"new-{place}-{number}", "text": f"support vector machine {number}"}
    return "additions", client.post(f"{BASE}/documents", json={"documents": [document]})


def expect(answer: httpx.Response) -> None:
    if answer.status_code >= 400 and answer.status_code not in (409, 503):
        raise AssertionError(f"{answer.request.url}: {answer.status_code} {answer.text[:300]}")


if __name__ == "__main__":
    sys.exit(main())
