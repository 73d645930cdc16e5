"""Measuring side by side: candidates take turns, so that a noisy machine hits all alike."""

from __future__ import annotations

import gc
import json
import math
import os
import statistics
import subprocess
import sys
import time
from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    Work = Callable[[], object]

T = TypeVar("T")

PEAK = """
import json, resource, sys
def peak():
    try:
        lines = open("/proc/self/status").read().splitlines()
    except OSError:
        kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    else:
        kib = next(line.split()[1] for line in lines if line.startswith("VmHWM"))
    return 1024 * int(kib)
"""


class Figure(NamedTuple):
    """What a table shows of some repeated runs."""

    median: float
    best: float


class Timing(NamedTuple):
    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    @property
    def best(self) -> float:
        return min(self.seconds)

    def scaled(self, factor: float) -> Figure:
        """Times in another unit: 1000 for milliseconds."""
        return Figure(factor * self.median, factor * self.best)

    def rate(self, amount: float) -> Figure:
        """How much of the amount was done in a second."""
        return Figure(amount / self.median, amount / self.best)


class Latencies(NamedTuple):
    """Seconds for each query, round by round."""

    rounds: tuple[tuple[float, ...], ...]

    def quantile(self, share: float, factor: float = 1) -> Figure:
        """The quantile over the queries of a round: of the middle round, and of the best."""
        found = [factor * quantile(seconds, share) for seconds in self.rounds]
        return Figure(statistics.median(found), min(found))


def take_turns(
    candidates: Mapping[str, Work],
    rounds: int,
    before: Callable[[str], object] | None = None,
    warm_up: bool = True,
) -> dict[str, Timing]:
    """Each candidate's times over some rounds; `before` runs ahead of each, untimed."""
    seconds: dict[str, list[float]] = {name: [] for name in candidates}
    for number in range(rounds + warm_up):
        for name, work in candidates.items():
            if before is not None:
                before(name)
            elapsed = stopwatch(work)
            if number >= warm_up:
                seconds[name].append(elapsed)
    return {name: Timing(tuple(times)) for name, times in seconds.items()}


def stopwatch(work: Work) -> float:
    """How long it takes, with the garbage of what went before out of the way."""
    gc.collect()
    start = time.perf_counter()
    result = work()
    elapsed = time.perf_counter() - start
    del result  # taking it apart is not part of the work
    return elapsed


def latencies(
    engines: Mapping[str, Callable[[T], object]], queries: Sequence[T], rounds: int
) -> dict[str, Latencies]:
    """Each engine's times for each query; it answers all of them, then it is the next one's turn.

    A first round warms up.
    """
    found: dict[str, list[tuple[float, ...]]] = {name: [] for name in engines}
    for number in range(rounds + 1):
        for name, answer in engines.items():
            gc.collect()
            seconds = tuple(_latency(answer, query) for query in queries)
            if number:
                found[name].append(seconds)
    return {name: Latencies(tuple(times)) for name, times in found.items()}


def _latency(answer: Callable[[T], object], query: T) -> float:
    start = time.perf_counter()
    answer(query)
    return time.perf_counter() - start


def quantile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least this share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def peak_memory(code: str, *arguments: str) -> int:
    """The most memory, in bytes, that a Python process held while it ran this code.

    The process asks the kernel for its own high-water mark: the ru_maxrss of a child starts from
    the memory of the process it was started by.
    """
    script = f"{PEAK}\n{code}\nprint(json.dumps(peak()))"
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments], check=True, stdout=subprocess.PIPE, text=True
    )
    return int(json.loads(done.stdout.splitlines()[-1]))


def writes(folder: Path, number: int = 200) -> list[float]:
    """Milliseconds of a small write and fsync."""
    times = []
    with (folder / "written").open("wb", buffering=0) as file:
        for _ in range(number):
            begun = time.perf_counter()
            file.write(b"x" * 4096)
            os.fsync(file.fileno())
            times.append(1000 * (time.perf_counter() - begun))
    return times
