"""Measuring side by side: candidates take turns, so that a noisy machine hits all alike."""

from __future__ import annotations

import gc
import math
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from memory_use import HighWater

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Work = Callable[[], object]

T = TypeVar("T")

REPORT = f"""
sys.path.insert(0, {str(Path(__file__).resolve().parent)!r})
from memory_use import ever
print(ever())
"""


class Figure(NamedTuple):
    """What a table shows of some repeated runs; `memory` are the most MB that were held."""

    median: float
    best: float
    memory: float | None = None


class Timing(NamedTuple):
    seconds: tuple[float, ...]
    memory: float | None = None
    """The most MB that this process held when it was done first, whatever else was in it."""

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    @property
    def best(self) -> float:
        return min(self.seconds)

    def scaled(self, factor: float) -> Figure:
        """Times in another unit: 1000 for milliseconds."""
        return Figure(factor * self.median, factor * self.best, self.memory)

    def rate(self, amount: float) -> Figure:
        """How much of the amount was done in a second."""
        return Figure(amount / self.median, amount / self.best, self.memory)


class Latencies(NamedTuple):
    """Seconds for each query, round by round."""

    rounds: tuple[tuple[float, ...], ...]
    memory: float | None = None

    def quantile(self, share: float, factor: float = 1) -> Figure:
        """The quantile over the queries of a round: of the middle round, and of the best."""
        found = [factor * quantile(seconds, share) for seconds in self.rounds]
        return Figure(statistics.median(found), min(found), self.memory)


def take_turns(
    candidates: Mapping[str, Work],
    rounds: int,
    before: Callable[[str], object] | None = None,
    warm_up: bool = True,
) -> dict[str, Timing]:
    """Each candidate's times over some rounds; `before` runs ahead of each, untimed."""
    seconds: dict[str, list[float]] = {name: [] for name in candidates}
    memory: dict[str, float | None] = {}
    for number in range(rounds + warm_up):
        for name, work in candidates.items():
            if before is not None:
                before(name)
            held = HighWater()
            elapsed = stopwatch(work)
            memory.setdefault(name, held.megabytes)
            if number >= warm_up:
                seconds[name].append(elapsed)
    return {name: Timing(tuple(times), memory[name]) for name, times in seconds.items()}


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
    memory: dict[str, float | None] = {}
    for number in range(rounds + 1):
        for name, answer in engines.items():
            gc.collect()
            held = HighWater()
            seconds = tuple(_latency(answer, query) for query in queries)
            memory.setdefault(name, held.megabytes)
            if number:
                found[name].append(seconds)
    return {name: Latencies(tuple(times), memory[name]) for name, times in found.items()}


def _latency(answer: Callable[[T], object], query: T) -> float:
    start = time.perf_counter()
    answer(query)
    return time.perf_counter() - start


def quantile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least this share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def peak_memory(code: str, *arguments: str) -> int:
    """The most memory, in bytes, that a Python process held while it ran this code."""
    script = f"import json, sys\n{code}\n{REPORT}"
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments], check=True, stdout=subprocess.PIPE, text=True
    )
    return int(done.stdout.splitlines()[-1])


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
