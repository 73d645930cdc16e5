"""How much is asked and how long it takes, in Prometheus' text format."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections import defaultdict
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """Requests by route, method and status, and their times by route."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str, int], int] = defaultdict(int)
        self._times: dict[str, list[int]] = defaultdict(lambda: [0] * (len(BOUNDS) + 1))
        self._sums: dict[str, float] = defaultdict(float)
        self._lock = Lock()

    def count(self, route: str, method: str, status: int, seconds: float) -> None:
        with self._lock:
            self._counts[route, method, status] += 1
            self._times[route][bisect_left(BOUNDS, seconds)] += 1
            self._sums[route] += seconds

    def text(self, gauges: Mapping[str, Mapping[str, float]]) -> str:
        """All of it; `gauges` are values of the moment by name and labels."""
        with self._lock:
            lines = [*self._requests(), *self._histogram()]
        for name, values in gauges.items():
            lines.append(f"# TYPE likewise_{name} gauge")
            lines += [f"likewise_{name}{labels} {value:g}" for labels, value in values.items()]
        return "\n".join(lines) + "\n"

    def _requests(self) -> list[str]:
        lines = ["# TYPE likewise_requests_total counter"]
        for (route, method, status), count in sorted(self._counts.items()):
            labels = f'route="{route}",method="{method}",status="{status}"'
            lines.append(f"likewise_requests_total{{{labels}}} {count}")
        return lines

    def _histogram(self) -> list[str]:
        name = "likewise_request_seconds"
        lines = [f"# TYPE {name} histogram"]
        for route, counts in sorted(self._times.items()):
            total = 0
            for bound, count in zip([*BOUNDS, "+Inf"], counts, strict=True):
                total += count
                lines.append(f'{name}_bucket{{route="{route}",le="{bound}"}} {total}')
            lines.append(f'{name}_sum{{route="{route}"}} {self._sums[route]:.6f}')
            lines.append(f'{name}_count{{route="{route}"}} {total}')
        return lines


def resident_bytes() -> int:
    """Memory that this process takes, 0 where nobody tells."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, IndexError, ValueError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
