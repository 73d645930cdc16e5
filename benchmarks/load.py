"""Load on an HTTP server: by wrk where it is installed, else by a small generator in here.

Both send the requests of a list, one after another, over as many connections as there are clients.
They share the machine's cores with the server: `Load.cores` is what they took of them.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import resource
import shutil
import subprocess
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TYPE_CHECKING, NamedTuple, ParamSpec
from urllib.parse import urlsplit

from harness import quantile

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from urllib.parse import SplitResult

    Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]

P = ParamSpec("P")
LONGEST = 60.0  # seconds until a request is given up
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
    cores: float = 0.0
    """How busy the generator itself was: 1 is one core all the time."""


def drive(
    address: str, requests: Sequence[Request], clients: int, seconds: float, folder: Path
) -> Load:
    if shutil.which("wrk"):
        return measured(by_wrk, address, requests, clients, seconds, folder)
    return measured(by_processes, address, requests, clients, seconds)


def measured(generate: Callable[P, Load], *args: P.args, **kwargs: P.kwargs) -> Load:
    """With the cores that the generator took."""
    before, began = _used(), time.perf_counter()
    load = generate(*args, **kwargs)
    return load._replace(cores=(_used() - before) / (time.perf_counter() - began))


def _used() -> float:
    """Processor seconds of this process and of those it has waited for."""
    of = (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in of)


def by_processes(address: str, requests: Sequence[Request], clients: int, seconds: float) -> Load:
    """By one process for every four cores: one alone is slower than several workers of a server."""
    number = max(1, min(clients, (os.cpu_count() or 1) // 4))
    shares = [clients // number + (i < clients % number) for i in range(number)]
    parts = [requests[i::number] for i in range(number)]
    asked = [(address, part, share, seconds) for part, share in zip(parts, shares, strict=True)]
    if number == 1:
        found = [_times(*asked[0])]
    else:
        with ProcessPoolExecutor(number, get_context("spawn")) as pool:
            found = list(pool.map(_times, *zip(*asked, strict=True)))
    times = [one for times, _, _ in found for one in times]
    rate = sum(len(times) / wall for times, _, wall in found)
    errors = sum(errors for _, errors, _ in found)
    return Load(rate, quantile(times, 0.5), quantile(times, 0.99), errors)


def _times(
    address: str, requests: Sequence[Request], clients: int, seconds: float
) -> tuple[list[float], int, float]:
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
) -> tuple[list[float], int, float]:
    """The seconds of each request, how many failed, and the seconds in all."""
    times: list[float] = []
    errors = 0
    queue = (requests[i % len(requests)] for i in range(1 << 62))
    end = time.perf_counter() + seconds

    async def client() -> None:
        nonlocal errors
        parts, connection = urlsplit(address), None
        while (began := time.perf_counter()) < end:
            try:
                async with asyncio.timeout(LONGEST):
                    connection = connection or await connected(parts)
                    status = await exchange(*connection, parts.netloc, next(queue))
            except (OSError, EOFError, TimeoutError):  # it is tried again, on another connection
                connection, status = None, 0
            times.append(time.perf_counter() - began)
            errors += not 200 <= status < 300
        if connection is not None:
            connection[1].close()

    began = time.perf_counter()
    await asyncio.gather(*(client() for _ in range(clients)))
    return times, errors, time.perf_counter() - began


async def connected(parts: SplitResult) -> Connection:
    return await asyncio.open_connection(parts.hostname, parts.port)


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
