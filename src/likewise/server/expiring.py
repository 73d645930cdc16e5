"""Things kept for a while under names that cannot be guessed, bounded in number and in bytes."""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator


class Sized(Protocol):
    @property
    def size(self) -> int:
        """About how many bytes it takes now; 0 for what must not be dropped to save memory."""


T = TypeVar("T", bound=Sized)


class Expiring(Generic[T]):
    """Each thing is kept for `seconds` after it was last asked for.

    Where there are more than `most`, or than `most_bytes` in all, those asked for longest ago go
    first. The last one with a size stays, however large it is.
    """

    def __init__(self, prefix: str, seconds: float, most: int, most_bytes: int) -> None:
        self._prefix, self._seconds = prefix, seconds
        self._most, self._most_bytes = most, most_bytes
        self._things: OrderedDict[str, tuple[float, T]] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._things)

    def __iter__(self) -> Iterator[T]:
        with self._lock:
            return iter([thing for _, thing in self._things.values()])

    @property
    def size(self) -> int:
        """Bytes of all of them."""
        return sum(thing.size for thing in self)

    def put(self, thing: T) -> str:
        """Returns its name."""
        name = f"{self._prefix}-{secrets.token_urlsafe(16)}"
        with self._lock:
            self._things[name] = (time.monotonic(), thing)
            self._forget()
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

    def drop(self, name: str) -> None:
        """Keep this one no longer."""
        with self._lock:
            self._things.pop(name, None)

    def forget(self) -> None:
        """Drop what has expired, and what is too much: sizes may have changed."""
        with self._lock:
            self._forget()

    def _forget(self) -> None:
        limit = time.monotonic() - self._seconds
        while self._things and next(iter(self._things.values()))[0] < limit:
            self._things.popitem(last=False)
        while len(self._things) > self._most:
            self._things.popitem(last=False)
        sizes = {name: thing.size for name, (_, thing) in self._things.items() if thing.size}
        total = sum(sizes.values())
        for name in list(sizes)[:-1]:
            if total <= self._most_bytes:
                return
            del self._things[name]
            total -= sizes[name]
