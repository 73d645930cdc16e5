"""How much is asked, how long it takes and what is there, for Prometheus.

Each application has a registry of its own: two of them in one process count apart.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from prometheus_client import CONTENT_TYPE_LATEST as MEDIA_TYPE
from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import generate_latest
from prometheus_client.registry import Collector

if TYPE_CHECKING:
    from collections.abc import Iterable

    from prometheus_client import Metric

    from likewise.server.indexes import ServedIndexes
    from likewise.server.jobs import Jobs

__all__ = ["MEDIA_TYPE", "Metrics"]
BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


class Metrics:
    """Requests by route, method and status, their times by route, and what is served now."""

    def __init__(self, indexes: ServedIndexes, jobs: Jobs) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "likewise_requests",
            "Requests answered.",
            ("route", "method", "status"),
            registry=self._registry,
        )
        self._times = Histogram(
            "likewise_request_seconds",
            "Seconds from a request to its answer.",
            ("route",),
            buckets=BOUNDS,
            registry=self._registry,
        )
        self._registry.register(_Gauges(indexes, jobs))
        self._known: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}

    def count(self, route: str, method: str, status: int, seconds: float) -> None:
        known = self._known.get((route, method, status))
        if known is None:  # looking for them takes longer than counting
            known = self._requests.labels(route, method, status), self._times.labels(route)
            self._known[route, method, status] = known
        requests, times = known
        requests.inc()
        times.observe(seconds)

    def text(self) -> bytes:
        """All of it, in Prometheus' text format."""
        return generate_latest(self._registry)


class _Gauges(Collector):
    """Values of the moment, looked up when somebody asks."""

    def __init__(self, indexes: ServedIndexes, jobs: Jobs) -> None:
        self._indexes, self._jobs = indexes, jobs

    def collect(self) -> Iterable[Metric]:
        documents = _gauge("documents", "Documents in an index.", "index")
        damaged = _gauge("damaged", "1 if the newest generation cannot be opened.", "index")
        for served in self._indexes:
            documents.add_metric([served.name], len(served.current))
            damaged.add_metric([served.name], served.problem is not None)
        waiting = _gauge("jobs_open", "Jobs that wait or run.")
        waiting.add_metric([], self._jobs.open)
        memory = _gauge("resident_bytes", "Memory that the process takes.")
        memory.add_metric([], _resident_bytes())
        return documents, damaged, waiting, memory

    def describe(self) -> Iterable[Metric]:
        return ()


def _gauge(name: str, about: str, *labels: str) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"likewise_{name}", about, labels=labels)


def _resident_bytes() -> int:
    """0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, IndexError, ValueError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
