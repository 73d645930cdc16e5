"""How long queries take on a cluster: a calculator, for sizing one before it is there.

A pass reads every document's row once. Between passes there are round trips, in which each shard
computes a few steps over its vectors and answers with a few numbers. What the program and the
scheduler do for each worker is done one after another; what workers do, all do at the same time.
The program itself learns from a sample, which does not grow with the collection.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from likewise.engines.cluster.tasks import FAN_IN


@dataclass(frozen=True)
class Constants:
    """What one core, one program and one network do, in seconds.

    `benchmarks/run.py cluster` measures all but the network, which is yours. Of reading: by passes
    of the local engine, and by its searches. Of calls and tasks: the processor time of the process
    that has the program and the scheduler in it, and that of workers, in calls to 1, 2 and 4 of
    them that do nothing, and in graphs of 1, 4 and 16 tasks that do nothing; a line through these
    has what each costs at its start, and what more for each. So it is not counted that machines
    are busy with something else.
    """

    entry: float = 1.15e-9  # of a core, for an entry of a row, in a pass
    step: float = 1.2e-9  # of a core, for a document, in a step over vectors
    word: float = 8e-9  # of a core, for a document, in a search by words
    trip: float = 4.3e-4  # of program and scheduler, for a call, whoever is asked
    call: float = 2.4e-4  # of both, for each worker that is asked
    answer: float = 5.6e-4  # of a worker that is asked
    graph: float = 3.2e-3  # of program and scheduler, for the tasks of a pass, however many
    task: float = 6.1e-4  # of both, for each task
    begin: float = 2e-3  # of a worker, for each task
    latency: float = 2e-4  # of the network, there and back
    bandwidth: float = 1.25e9  # bytes a second from machine to machine: 10 Gbit/s


@dataclass(frozen=True)
class Work:
    """What a query takes, however many documents there are."""

    passes: int
    trips: int  # between passes
    steps: int  # over vectors, in all trips
    own: float = 0.0  # seconds of the program itself, with what it knows of a sample
    words: bool = False  # a search by words instead of passes


SEARCH = Work(passes=0, trips=1, steps=0, words=True)
AUTO = Work(passes=1, trips=7, steps=10, own=0.05)
BA = Work(passes=4, trips=6, steps=100, own=0.1)


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

    @property
    def levels(self) -> int:
        """Of the tree in which sums are added up."""
        return math.ceil(math.log(max(self.workers, 2), FAN_IN))


def terms_of(documents: int, known: int = 113_000, among: int = 150_000, power: float = 0.6) -> int:
    """About how many terms there are, by Heaps' law, from those of a smaller collection."""
    return round(known * math.pow(documents / among, power))


def seconds(work: Work, size: Size, constants: Constants | None = None) -> float:
    """One query, with nothing else going on."""
    c = constants or Constants()
    share = size.documents / size.at_once
    reading = work.passes * share * size.entries * c.entry + work.words * share * c.word
    looking = work.steps * share * c.step
    return (
        work.own
        + reading
        + looking
        + work.passes * (graph_seconds(size, c) + wire_seconds(size, c))
        + (work.trips + work.passes) * trip_seconds(size, c)
    )


def trip_seconds(size: Size, constants: Constants) -> float:
    """A call to all workers, by way of the scheduler, and their answers."""
    c = constants
    own = c.answer * size.workers / size.at_once
    return c.trip + c.call * size.workers + own + 2 * c.latency


def graph_seconds(size: Size, constants: Constants) -> float:
    """The tasks of a pass: one a worker and, every other pass, those that add up in a tree."""
    c = constants
    sums = size.workers / (FAN_IN - 1) / 2
    own = c.begin * (size.workers / size.at_once + size.levels / 2)
    return c.graph + c.task * (size.workers + sums) + own + c.latency * (1 + size.levels)


def wire_seconds(size: Size, constants: Constants) -> float:
    """A query to all workers, and a sum from all: those who have it pass it on, sums in a tree."""
    one = 8 * size.terms / constants.bandwidth
    out = math.ceil(math.log2(size.workers + 1))
    back = size.levels * min(FAN_IN - 1, size.workers)
    return (out + back) / 2 * one  # a pass is one way or the other


def bytes_of(size: Size) -> int:
    """What travels, of vectors over terms, in a pass of scores and one of sums."""
    return 2 * 8 * size.terms * size.workers


def table(
    documents: tuple[int, ...] = (10**7, 10**8, 10**9),
    workers: tuple[int, ...] = (16, 64, 256),
    constants: Constants | None = None,
    entries: float = 57.0,
    works: tuple[Work, ...] = (SEARCH, AUTO, BA),
) -> list[tuple[int, int, list[float]]]:
    """Documents, workers, and the seconds of a search by words, of `auto` and of `ba`."""
    found = []
    for n in documents:
        for count in workers:
            size = Size(n, count, terms_of(n), entries)
            found.append((n, count, [seconds(work, size, constants) for work in works]))
    return found


if __name__ == "__main__":
    print("documents workers search auto ba (seconds)")
    for n, count, predicted in table():
        print(f"{n:13,} {count:4}", *(f"{each:8.2f}" for each in predicted))
