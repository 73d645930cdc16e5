"""Requests made to mislead, from clients that do as they please, to a server that has a user.

Bodies with odd values, unknown and repeated keys; bytes that are no HTTP; connections cut short.
The server answers every such request with a status below 500 or closes the connection; its user
gets the right answer all the time; and at the end it is the same process.
"""

from __future__ import annotations

import json
import random
import socket
from typing import TYPE_CHECKING, Any

import httpx

from helpers.server_client import process
from torture.flips import make
from torture.fuzz import changed
from torture.trials import Clock, Tally

if TYPE_CHECKING:
    from pathlib import Path
    from subprocess import Popen

ROUTES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("search", {"words": "word1 word2", "limit": 5, "filter": "year>2003", "explain": 3}),
    (
        "search",
        {
            "positive": ["d0-1", {"text": "word1 word7"}],
            "negative": [{"id": "d0-2"}],
            "method": "ba",
            "options": {"C": 1.0, "views": {"words": 1}, "weights": {"d0-1": 2.0}},
            "terms": {"off": ["word3"], "pinned": []},
            "wait": 5,
            "heaviest": 3,
        },
    ),
    ("documents", {"documents": [{"id": "new", "text": "word1 word9", "year": 2001}]}),
    ("sessions", {"name": "one", "words": "word3", "positive": ["d0-4"], "page_size": 5}),
    ("sessions/one/judgements", {"judgements": [{"id": "d0-1", "label": "not"}], "next": {}}),
    ("sessions/one/page", {"size": 3, "again": True, "explain": 2, "snippet": 50}),
    ("terms", {"text": "word1 word2"}),
)
RAW = (
    b"GET / HTTP/1.1\r\nHost: x\r\n",
    b"POST /v1/indexes/sound/search HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n{",
    b"POST /v1/indexes/sound/search HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
    b"GET /%ff%fe/../../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"GET / HTTP/9.9\r\n\r\n",
)


def run(folder: Path, seconds: float, seed: int) -> Tally:
    tally, clock, rng = Tally(), Clock(seconds), random.Random(seed)
    sound = make(folder / "sound.idx")
    with (
        process(sound, "--rate-limit", 0) as (server, address),
        httpx.Client(base_url=address) as client,
    ):
        base = f"/v1/indexes/{client.get('/v1/indexes').json()['indexes'][0]['name']}"
        while clock() and not tally.failures:
            _send(tally, client, base, rng, seed)
            _send_raw(address, rng)
            tally.count("connections with bytes that are no request")
            _look(tally, client, server, seed)
    return tally


def _send(tally: Tally, client: httpx.Client, base: str, rng: random.Random, seed: int) -> None:
    route, body = rng.choice(ROUTES)
    odd = json.dumps(changed(body, rng)).encode()
    if rng.random() < 0.2:
        cut = bytearray(odd)
        cut[rng.randrange(len(cut))] = rng.randrange(256)
        odd = bytes(cut)
    headers = {"content-type": rng.choice(("application/json", "text/plain", "application/json"))}
    try:
        answer = client.post(f"{base}/{route}", content=odd, headers=headers, timeout=60)
    except httpx.RemoteProtocolError:
        return
    tally.count("requests with odd bodies")
    told = f"seed {seed}, POST {route} {odd[:200]!r} got {answer.status_code}: {answer.text[:300]}"
    tally.require(answer.status_code < 500 or answer.status_code == 503, told)


def _send_raw(address: str, rng: random.Random) -> None:
    host, port = address.removeprefix("http://").split(":")
    data = rng.choice(RAW) if rng.random() < 0.7 else rng.randbytes(rng.randint(1, 300))
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        connection.sendall(data)
        if rng.random() < 0.5:
            connection.shutdown(socket.SHUT_WR)


def _look(tally: Tally, client: httpx.Client, server: Popen[str], seed: int) -> None:
    answer = client.get("/v1/health", timeout=60)
    tally.require(server.poll() is None, f"seed {seed}: the server has ended")
    tally.require(answer.status_code == 200, f"seed {seed}: the user got {answer.status_code}")
