"""Processes that are killed while they bring a database of judgements to the newest version.

Afterwards it is of the old version or of the new one, whole, with all judgements and a copy of the
old one; and the next process goes on from there. In SQLite, and in PostgreSQL where its programs
are installed.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from contextlib import ExitStack
from pathlib import Path

from helpers import postgres_server
from helpers.migration_killing import check, copies, fork, fresh, opened
from torture.trials import Clock, Tally


def run(folder: Path, seconds: float, seed: int) -> Tally:
    tally, rng, clock = Tally(), random.Random(seed), Clock(seconds)
    with ExitStack() as stack:
        makers = {"SQLite": copies(folder)}
        binaries = postgres_server.find_binaries()
        if binaries is not None:
            server = postgres_server.Server(binaries)
            stack.callback(server.remove)
            makers["PostgreSQL"] = fresh(server.database())
        took = {what: _seconds(make) for what, make in makers.items()}
        while clock() and not tally.failures:
            for what, make in makers.items():
                _killed(tally, what, make(), rng.uniform(0, took[what]))
    return tally


def _seconds(make) -> float:
    """That it takes when nobody kills it."""
    place, began = make(), time.monotonic()
    opened(place)
    return time.monotonic() - began


def _killed(tally, what, place, moment) -> None:
    child = fork(place)
    time.sleep(moment)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    tally.count(f"databases of an older version in {what}, killed while brought up to date")
    try:
        check(place)
    except AssertionError as error:
        tally.require(False, f"{what}, killed after {moment:.4f} s: {error}")
    if what == "SQLite" and not tally.failures:
        shutil.rmtree(Path(place).parent)
