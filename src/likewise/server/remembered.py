"""Things that are kept for a while and then forgotten: learned queries, jobs."""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class Remembered(Generic[T]):
    """The last few things, none for longer than `seconds` after it was last asked for."""

    def __init__(self, prefix: str, seconds: float, most: int) -> None:
        self._prefix, self._seconds, self._most = prefix, seconds, most
        self._things: OrderedDict[str, tuple[float, T]] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._things)

    def put(self, thing: T) -> str:
        """The name to ask for it by, which nobody can guess."""
        name = f"{self._prefix}-{secrets.token_urlsafe(16)}"
        with self._lock:
            self._forget()
            self._things[name] = (time.monotonic(), thing)
            while len(self._things) > self._most:
                self._things.popitem(last=False)
        return name

    def get(self, name: str) -> T | None:
        with self._lock:
            self._forget()
            found = self._things.get(name)
            if found is None:
                return None
            self._things[name] = (time.monotonic(), found[1])
            self._things.move_to_end(name)
            return found[1]

    def _forget(self) -> None:
        """The one asked for longest ago comes first."""
        limit = time.monotonic() - self._seconds
        while self._things and next(iter(self._things.values()))[0] < limit:
            self._things.popitem(last=False)
