"""Whether an answer can still come, by what a scheduler says of its workers.

Dask itself waits: five minutes for a worker that is silent, and for ever where all have stopped to
take tasks, or what one had cannot be had again. Somebody who asks is told before.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from likewise.errors import ClusterError

if TYPE_CHECKING:
    from collections.abc import Mapping

    Told = Mapping[str, Mapping[str, Any]]

SECONDS = 10.0  # without a worker that takes tasks, or without a scheduler, until it is an error
SILENT = 30.0  # seconds without a sign of a worker; it gives one at least every few seconds
STUCK = 120.0  # seconds without an answer in which no worker has a task; large ones take a while
ACTIVE = frozenset({"ready", "executing", "long-running", "fetch", "flight"})  # states of tasks


def no_workers(address: str) -> ClusterError:
    return ClusterError(
        f"the cluster at {address} has lost all its workers: start some with "
        f"`dask worker {address}`"
    )


class Watch:
    """Of the workers at an address."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._heard: dict[str, tuple[float, float]] = {}

    def look(self, workers: Told, since: dict[str, float]) -> None:
        """Raise a ClusterError if what is asked for can hardly come any more.

        `since` belongs to the question: what is so, and was at all looks before, since when.
        """
        now = time.monotonic()
        if _lasts("none", not workers, since, now) > SECONDS:
            raise no_workers(self._address)
        paused = bool(workers) and all(each["status"] == "paused" for each in workers.values())
        if _lasts("paused", paused, since, now) > SECONDS:
            raise ClusterError(
                f"all workers of the cluster at {self._address} have paused, as they use more "
                "memory than Dask gives them, mapped files among it: start them with "
                "`--memory-limit 0`, or with more, or start more of them"
            )
        self._refuse_silent(workers, now)
        if _lasts("stuck", not any(map(_busy, workers.values())), since, now) > STUCK:
            raise ClusterError(
                f"the cluster at {self._address} has nothing to do, and does not answer: workers "
                "may have too little memory; ask again"
            )

    def _refuse_silent(self, workers: Told, now: float) -> None:
        """By our clock: since when a sign of a worker that we have seen is no other one."""
        heard = {}
        for worker, told in workers.items():
            sign, since = self._heard.get(worker, (None, now))
            heard[worker] = told["last_seen"], since if sign == told["last_seen"] else now
        self._heard = heard
        for worker, (_, since) in heard.items():
            if now - since > SILENT:
                raise ClusterError(
                    f"worker {worker} of the cluster at {self._address} is there and has not "
                    f"been heard of for {now - since:.0f} s: see whether its machine is "
                    "overloaded, or end it, and ask again"
                )


def _lasts(what: str, true: bool, since: dict[str, float], now: float) -> float:
    """For how many seconds something has been true; -1 if it is not."""
    if not true:
        since.pop(what, None)
        return -1.0
    return now - since.setdefault(what, now)


def _busy(worker: Mapping[str, Any]) -> bool:
    """Whether a worker computes a task, is about to, or fetches something for one."""
    counts = worker["metrics"].get("task_counts", {})
    return any(n for state, n in counts.items() if state in ACTIVE)
