"""How often a client may ask: a bucket that fills evenly and holds two seconds' worth."""

from __future__ import annotations

import math
import time
from collections import OrderedDict

CLIENTS = 10_000  # remembered at most; the one not seen for longest is forgotten first


class Rate:
    def __init__(self, a_second: float) -> None:
        self._a_second = a_second
        self._most = max(1.0, 2 * a_second)
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, client: str) -> float:
        """0 if a request may pass, otherwise in how many whole seconds it may."""
        if not self._a_second:
            return 0.0
        now = time.monotonic()
        level, at = self._buckets.get(client, (self._most, now))
        level = min(self._most, level + (now - at) * self._a_second)
        passes = level >= 1
        self._buckets[client] = (level - passes, now)
        self._buckets.move_to_end(client)
        if len(self._buckets) > CLIENTS:
            self._buckets.popitem(last=False)
        return 0.0 if passes else math.ceil((1 - level) / self._a_second)
