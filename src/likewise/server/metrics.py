"""How much is asked, how long it takes and what is there, for Prometheus.

Each application has a registry of its own: two of them in one process count apart.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections import Counter
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from prometheus_client import CONTENT_TYPE_LATEST as MEDIA_TYPE
from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.exposition import generate_latest
from prometheus_client.registry import Collector

from likewise.server.workers.sharing import Counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from prometheus_client import Metric

    from likewise.server.indexes import ServedIndexes
    from likewise.server.jobs import Jobs

__all__ = ["MEDIA_TYPE", "Counts", "Metrics"]
BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
LABELS = [*map(str, BOUNDS), "+Inf"]


class Counts:
    """Requests by route, method and status, and their times by route; of one event loop."""

    def __init__(self) -> None:
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._times: dict[str, list[int]] = {}
        self._seconds: Counter[str] = Counter()

    def count(self, route: str, method: str, status: int, seconds: float) -> None:
        self._requests[route, method, status] += 1
        self._buckets(route)[bisect_left(BOUNDS, seconds)] += 1
        self._seconds[route] += seconds  # type: ignore[assignment]  # a Counter holds any number

    def counted(self) -> Counted:
        """As other processes read it."""
        requests = [(*which, count) for which, count in self._requests.items()]
        times = [(route, n, float(self._seconds[route])) for route, n in self._times.items()]
        return Counted(requests, times)

    def add(self, other: Counted) -> None:
        for route, method, status, count in other.requests:
            self._requests[route, method, status] += count
        for route, counts, seconds in other.times:
            own = self._buckets(route)
            own[:] = [a + b for a, b in zip(own, counts, strict=True)]
            self._seconds[route] += seconds  # type: ignore[assignment]

    def families(self) -> Iterable[Metric]:
        labels = ("route", "method", "status")
        requests = CounterMetricFamily("likewise_requests", "Requests answered.", labels=labels)
        for (route, method, status), count in self._requests.items():
            requests.add_metric([route, method, str(status)], count)
        about = "Seconds from a request to its answer."
        times = HistogramMetricFamily("likewise_request_seconds", about, labels=("route",))
        for route, counts in self._times.items():
            buckets = list(zip(LABELS, accumulate(counts), strict=True))
            times.add_metric([route], buckets, float(self._seconds[route]))
        return requests, times

    def _buckets(self, route: str) -> list[int]:
        return self._times.setdefault(route, [0] * len(LABELS))


class Metrics(Counts):
    """And what is served now. `others` are what workers have counted, `workers` who they are."""

    def __init__(self, indexes: ServedIndexes, jobs: Jobs) -> None:
        super().__init__()
        self.others: Callable[[], Iterable[Counted]] = tuple
        self.workers: Callable[[], Iterable[int]] = tuple
        self._registry = CollectorRegistry()
        self._registry.register(_Families(self, indexes, jobs))

    def text(self) -> bytes:
        """All of it, in Prometheus' text format."""
        return generate_latest(self._registry)

    def over_all(self) -> Counts:
        """What this process and its workers have counted."""
        total = Counts()
        for one in (self.counted(), *self.others()):
            total.add(one)
        return total


class _Families(Collector):
    """What was counted, and values of the moment, looked up when somebody asks."""

    def __init__(self, metrics: Metrics, indexes: ServedIndexes, jobs: Jobs) -> None:
        self._metrics, self._indexes, self._jobs = metrics, indexes, jobs

    def collect(self) -> Iterable[Metric]:
        documents = _gauge("documents", "Documents in an index.", "index")
        damaged = _gauge("damaged", "1 if the newest generation cannot be opened.", "index")
        for served in self._indexes:
            documents.add_metric([served.name], len(served.current))
            damaged.add_metric([served.name], served.problem is not None)
        waiting = _gauge("jobs_open", "Jobs that wait or run.")
        waiting.add_metric([], self._jobs.open)
        memory = _gauge("resident_bytes", "Memory that the process takes, and its workers.")
        memory.add_metric([], sum(map(_resident_bytes, (os.getpid(), *self._metrics.workers()))))
        yield from self._metrics.over_all().families()
        yield from (documents, damaged, waiting, memory)

    def describe(self) -> Iterable[Metric]:
        return ()


def _gauge(name: str, about: str, *labels: str) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"likewise_{name}", about, labels=labels)


def _resident_bytes(process: int) -> int:
    """0 where the system does not tell."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except (OSError, IndexError, ValueError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
