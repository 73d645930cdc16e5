"""Measuring side by side: candidates take turns, so that a noisy machine hits all alike."""

from __future__ import annotations

import gc
import json
import statistics
import subprocess
import sys
import time
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Work = Callable[[], object]

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


def quantile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least this share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -int(-share * len(ordered) // 1) - 1)]


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
