"""How long queries take on a cluster: a calculator, for sizing one before it is there.

A pass reads every document's row once. Between passes there are round trips, in which each shard
computes a few steps over its vectors and answers with a few numbers. The constants are what
`benchmarks/run.py cluster` measures; the network is yours.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from likewise.engines.cluster.tasks import FAN_IN


@dataclass(frozen=True)
class Constants:
    """What one core, one program and one network do."""

    entry: float = 1.1e-9  # seconds that a core takes for an entry of a row, in a pass
    step: float = 2e-9  # seconds that a core takes for a document, in a step over vectors
    trip: float = 4e-3  # seconds of a round trip, however many answer
    call: float = 3e-4  # seconds that it takes more for each worker that is asked
    task: float = 1.5e-3  # seconds that a pass takes more for each worker: scheduling its tasks
    bandwidth: float = 1.25e9  # bytes a second from machine to machine: 10 Gbit/s


@dataclass(frozen=True)
class Work:
    """What a query takes, however many documents there are."""

    passes: int
    trips: int  # between passes
    steps: int  # over vectors, in all trips


SEARCH = Work(passes=0, trips=1, steps=0)
AUTO = Work(passes=2, trips=7, steps=10)
BA = Work(passes=10, trips=25, steps=100)


@dataclass(frozen=True)
class Size:
    """A collection, and who computes: `cores` are those that workers share, if they are fewer."""

    documents: int
    workers: int
    terms: int
    entries: float = 57.0  # different terms of a document
    cores: int | None = None

    @property
    def at_once(self) -> int:
        return min(self.workers, self.cores or self.workers)


def terms_of(documents: int, known: int = 113_000, among: int = 150_000, power: float = 0.6) -> int:
    """About how many terms there are, by Heaps' law, from those of a smaller collection."""
    return round(known * math.pow(documents / among, power))


def seconds(work: Work, size: Size, constants: Constants | None = None) -> float:
    """One query, with nothing else going on."""
    c = constants or Constants()
    share = size.documents / size.at_once
    reading = share * size.entries * c.entry
    looking = work.steps * share * c.step
    trips = (work.trips + work.passes) * (c.trip + c.call * size.workers)
    passing = reading + wire_seconds(size, c) + c.task * size.workers
    return work.passes * passing + trips + looking


def wire_seconds(size: Size, constants: Constants) -> float:
    """A query to all workers, and a sum from all: those who have it pass it on, sums in a tree."""
    one = 8 * size.terms / constants.bandwidth
    out = math.ceil(math.log2(size.workers + 1))
    back = math.ceil(math.log(max(size.workers, 2), FAN_IN)) * min(FAN_IN - 1, size.workers)
    return (out + back) / 2 * one  # a pass is one way or the other


def bytes_of(size: Size) -> int:
    """What travels, of vectors over terms, in a pass of scores and one of sums."""
    return 2 * 8 * size.terms * size.workers


def table(
    documents: tuple[int, ...] = (10**7, 10**8, 10**9),
    workers: tuple[int, ...] = (16, 64, 256),
    constants: Constants | None = None,
    entries: float = 57.0,
) -> list[tuple[int, int, float, float, float]]:
    """Documents, workers, and the seconds of a search by words, of `auto` and of `ba`."""
    found = []
    for n in documents:
        for count in workers:
            size = Size(n, count, terms_of(n), entries)
            search, auto, ba = (seconds(work, size, constants) for work in (SEARCH, AUTO, BA))
            found.append((n, count, search, auto, ba))
    return found


if __name__ == "__main__":
    print("documents workers search auto ba (seconds)")
    for n, count, *predicted in table():
        print(f"{n:13,} {count:4}", *(f"{each:8.2f}" for each in predicted))
