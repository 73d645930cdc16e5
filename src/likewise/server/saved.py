"""Queries that are kept by name."""

from __future__ import annotations

import time
from threading import Lock
from typing import NamedTuple

from likewise.query import Query
from likewise.server.problems import ProblemError


class Saved(NamedTuple):
    name: str
    query: Query
    created: float


class SavedQueries:
    """Kept while the server runs."""

    def __init__(self) -> None:
        self._saved: dict[tuple[str, str], Saved] = {}
        self._lock = Lock()

    def put(self, index: str, name: str, query: Query, *, replace: bool) -> Saved:
        with self._lock:
            if (index, name) in self._saved and not replace:
                raise ProblemError(
                    409, f"there is a query {name!r} already: say replace to replace it"
                )
            saved = self._saved[index, name] = Saved(name, query, time.time())
        return saved

    def get(self, index: str, name: str) -> Saved | None:
        return self._saved.get((index, name))

    def list(self, index: str) -> list[Saved]:
        return [saved for (of, _), saved in list(self._saved.items()) if of == index]

    def delete(self, index: str, name: str) -> bool:
        with self._lock:
            return self._saved.pop((index, name), None) is not None
