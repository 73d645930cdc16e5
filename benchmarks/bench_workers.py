"""Keyword search over HTTP by several processes (`likewise serve --workers N`)."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from bench_server import KEYWORDS, requests_of, serving
from harness import Figure
from likewise import Index
from load import by_processes, measured
from memory_use import HighWater, family
from rows import Row, at_most, needs_cores, times

if TYPE_CHECKING:
    from load import Load
    from workspace import Workspace

WORKERS, CLIENTS = 4, 64
ROUNDS, SECONDS = 3, 5.0
ENOUGH = 8  # cores, for workers, the main process and the generator
METHOD = (
    "As above, keyword search alone, by 64 clients: one process beside `--workers 4`, by turns, "
    "the median of the rounds. The generator, one process of Python for every four cores, runs on "
    "the same cores. 3 × is asked for where there are eight cores or more."
)
PACKAGES = ("likewise", "fastapi", "uvicorn")


def rows(workspace: Workspace) -> list[Row]:
    path = workspace.arxiv_index
    requests = requests_of(Index.open(path))[KEYWORDS]
    found: dict[int, list[Load]] = {1: [], WORKERS: []}
    memory: dict[int, float | None] = {}
    for _ in range(workspace.rounds(ROUNDS)):
        for workers, loads in found.items():
            with serving(path, "--workers", str(workers)) as (address, server):
                measured(by_processes, address, requests, CLIENTS, 1.0)  # warm up
                seconds = 1.0 if workspace.quick else SECONDS
                held = HighWater(*family(server))
                loads.append(measured(by_processes, address, requests, CLIENTS, seconds))
                memory[workers] = held.megabytes
            print(f"{workers} workers: {loads[-1].rate:.0f} requests/s", file=sys.stderr)
    cores = os.cpu_count() or 1
    asked = times(3)
    name = f"{KEYWORDS}, {WORKERS} workers on {cores} cores"
    ours, one = (_rate(found[workers], memory[workers]) for workers in (WORKERS, 1))
    errors = float(sum(load.errors for loads in found.values() for load in loads))
    busy = max(load.cores for load in found[WORKERS])
    goal = asked if cores >= ENOUGH else None
    larger = f"{KEYWORDS}, {WORKERS} workers on 16 cores"
    later = [] if goal else [needs_cores(16, larger, "requests/s", asked, "one process")]
    return [
        Row(name, "requests/s", ours, "one process", one, goal, more=True),
        *later,
        Row(name, "p99 ms", _p99(found[WORKERS]), "one process", _p99(found[1])),
        Row(name, "cores of the generator", Figure(busy, busy)),
        Row(name, "errors", Figure(errors, errors), goal=at_most(0)),
    ]


def _rate(loads: list[Load], memory: float | None) -> Figure:
    rates = sorted(load.rate for load in loads)
    return Figure(rates[len(rates) // 2], rates[-1], memory)


def _p99(loads: list[Load]) -> Figure:
    found = sorted(1e3 * load.p99 for load in loads)
    return Figure(found[len(found) // 2], found[0])
