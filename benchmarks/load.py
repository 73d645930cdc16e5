"""Load on an HTTP server: by wrk where it is installed, else by a small generator in here.

Both send the requests of a list, one after another, over as many connections as there are clients.
"""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import subprocess
import time
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from harness import quantile

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0}
SCRIPT = """
local threads = 0
function setup(thread) thread:set("number", threads); threads = threads + 1 end
function init(args)
  requests, place = {}, tonumber(number)
  for line in io.lines(%s) do
    local method, path, body = line:match("^(%%S+) (%%S+) ?(.*)$")
    if body == "" then body = nil end
    local headers = {["Content-Type"] = "application/json"}
    requests[#requests + 1] = wrk.format(method, path, headers, body)
  end
end
function request()
  place = place + %d
  return requests[(place - 1) %% #requests + 1]
end
"""


class Request(NamedTuple):
    method: str
    path: str
    body: str = ""


class Load(NamedTuple):
    """What clients saw; times in seconds."""

    rate: float
    p50: float
    p99: float
    errors: int


def drive(
    address: str, requests: Sequence[Request], clients: int, seconds: float, folder: Path
) -> Load:
    if shutil.which("wrk"):
        return by_wrk(address, requests, clients, seconds, folder)
    return asyncio.run(by_sockets(address, requests, clients, seconds))


def by_wrk(
    address: str, requests: Sequence[Request], clients: int, seconds: float, folder: Path
) -> Load:
    threads = min(clients, 2)
    listed, script = folder / "requests.txt", folder / "requests.lua"
    listed.write_text("".join(f"{r.method} {r.path} {r.body}\n" for r in requests))
    script.write_text(SCRIPT % (json.dumps(str(listed)), threads))
    command = ["wrk", "--latency", f"-t{threads}", f"-c{clients}", f"-d{max(1, round(seconds))}s"]
    command += ["--timeout", "60s", "-s", str(script), address]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return read_wrk(done.stdout)


def read_wrk(report: str) -> Load:
    """The figures in what wrk prints."""

    def latency(share: str) -> float:
        found = re.search(rf"^\s+{share}%\s+([\d.]+)(us|ms|s|m)\s*$", report, re.MULTILINE)
        if found is None:
            raise ValueError(f"wrk printed no latency: {report}")
        return float(found[1]) * UNITS[found[2]]

    rate = re.search(r"Requests/sec:\s+([\d.]+)", report)
    refused = re.search(r"Non-2xx or 3xx responses: (\d+)", report)
    sockets = re.search(r"Socket errors: (.*)", report)
    errors = int(refused[1]) if refused else 0
    errors += sum(map(int, re.findall(r"\d+", sockets[1]))) if sockets else 0
    return Load(float(rate[1]) if rate else 0.0, latency("50"), latency("99"), errors)


async def by_sockets(
    address: str, requests: Sequence[Request], clients: int, seconds: float
) -> Load:
    times: list[float] = []
    errors = 0
    queue = (requests[i % len(requests)] for i in range(1 << 62))
    end = time.perf_counter() + seconds

    async def client() -> None:
        nonlocal errors
        parts = urlsplit(address)
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
        while time.perf_counter() < end:
            began = time.perf_counter()
            status = await exchange(reader, writer, parts.netloc, next(queue))
            times.append(time.perf_counter() - began)
            errors += not 200 <= status < 300
        writer.close()

    began = time.perf_counter()
    await asyncio.gather(*(client() for _ in range(clients)))
    rate = len(times) / (time.perf_counter() - began)
    return Load(rate, quantile(times, 0.5), quantile(times, 0.99), errors)


async def exchange(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str, request: Request
) -> int:
    """Send a request, read its answer to the end, and return its status."""
    body = request.body.encode()
    head = [f"{request.method} {request.path} HTTP/1.1", f"Host: {host}"]
    head += ["Content-Type: application/json", f"Content-Length: {len(body)}"] if body else []
    writer.write("\r\n".join([*head, "", ""]).encode() + body)
    answer = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
    length = re.search(r"content-length: (\d+)", answer)
    await reader.readexactly(int(length[1]) if length else 0)
    return int(answer.split()[1])
