"""Requests of one session wait for each other before they take a thread, in the order they came."""

from __future__ import annotations

from asyncio import Lock
from weakref import WeakValueDictionary


class Queues:
    """A lock for each session that somebody asks for, gone when nobody does."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[tuple[str, str], Lock] = WeakValueDictionary()

    def of(self, index: str, session: str) -> Lock:
        lock = self._locks.get((index, session))
        if lock is None:
            lock = self._locks[index, session] = Lock()
        return lock
