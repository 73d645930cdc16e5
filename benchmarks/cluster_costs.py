"""What calls to workers and tasks cost, in the processor time of those who do it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from likewise.engines.cluster import work
from likewise.engines.cluster.tasks import Batch, Cluster, answered

if TYPE_CHECKING:
    from collections.abc import Callable

CALLED, SENT = (1, 2, 4), (1, 4, 16)  # workers of a call, tasks of a graph


class Line(NamedTuple):
    """Seconds of a process by the number of those who are asked."""

    start: float
    each: float
    theirs: float  # of each that is asked


def calls(cluster: Cluster, times: int) -> Line:
    """To workers that have nothing to answer."""

    def ask(count: int) -> None:
        options: dict[str, Any] = {"workers": workers[:count], "asynchronous": True}
        cluster._awaited(lambda: cluster.client.run(answered, [], **options))

    workers = cluster.workers
    return _line(cluster, ask, [count for count in CALLED if count <= len(workers)], times)


def tasks(cluster: Cluster, times: int) -> Line:
    """In graphs whose results stay where they are."""

    def send(count: int) -> None:
        batch = Batch(cluster)
        for i in range(count):
            batch.add("nothing", work.itself, i)
        cluster._settled(list(batch.send().values()))

    return _line(cluster, send, list(SENT), times)


def _line(cluster: Cluster, do: Callable[[int], None], counts: list[int], times: int) -> Line:
    """The least of a few rounds, each of so many times, for each count."""
    own, theirs = [], []
    for count in counts:
        do(count)
        rounds = []
        for _ in range(3):
            before = time.process_time(), of_workers(cluster)
            for _ in range(times):
                do(count)
            after = time.process_time(), of_workers(cluster)
            rounds.append([(b - a) / times for a, b in zip(before, after, strict=True)])
        own.append(min(each[0] for each in rounds))
        theirs.append(min(each[1] for each in rounds) / count)
    each, start = np.polyfit(counts, own, 1)
    return Line(max(float(start), 0.0), max(float(each), 0.0), float(np.median(theirs)))


def of_workers(cluster: Cluster) -> float:
    """Processor time that all workers have used so far."""
    return sum(cluster.client.run(time.process_time).values())


class Counts(NamedTuple):
    """What was asked of a cluster."""

    passes: int
    trips: int  # calls, and graphs that read no rows


PASSES = ("likewise-scores-", "likewise-sums-", "likewise-fused-")


def counted(do: Callable[[], Any]) -> Counts:
    """How many passes and how many round trips a piece of work takes."""
    passes, trips = 0, 0
    send, called = Cluster.send, Cluster._called

    def sending(self: Cluster, graph: dict[Any, Any], *args: Any, **options: Any) -> Any:
        nonlocal passes, trips
        read = any(key.startswith(PASSES) for key in graph)
        passes, trips = passes + read, trips + (not read)
        return send(self, graph, *args, **options)

    def calling(self: Cluster, *args: Any) -> Any:
        nonlocal trips
        trips += 1
        return called(self, *args)

    Cluster.send, Cluster._called = sending, calling  # type: ignore[method-assign]
    try:
        do()
    finally:
        Cluster.send, Cluster._called = send, called  # type: ignore[method-assign]
    return Counts(passes, trips)
