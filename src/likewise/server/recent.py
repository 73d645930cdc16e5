"""Queries that searches have learned, kept for a while so that they can be run again."""

from __future__ import annotations

import zlib
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import TYPE_CHECKING

import msgspec

from likewise.search.bound import LearnedQuery
from likewise.search.query import Query
from likewise.server.expiring import Expiring

if TYPE_CHECKING:
    from likewise.server.indexes import ServedIndex
    from likewise.server.settings import Limits

MOST = 1_000  # queries
FAST = 1  # level of compression: half the bytes in some milliseconds


class _Recent:
    """A query as it was learned or, when its generation is past, as it would be saved."""

    def __init__(self, home: str, query: LearnedQuery) -> None:
        self.home = home
        self._kept: LearnedQuery | bytes = query

    @property
    def query(self) -> Query | LearnedQuery:
        kept = self._kept
        if isinstance(kept, LearnedQuery):
            return kept
        return msgspec.json.decode(zlib.decompress(kept), type=Query)

    @property
    def size(self) -> int:
        if isinstance(self._kept, bytes):
            return len(self._kept)
        solution = self._kept.solution
        return int(2 * (solution.w.nbytes + solution.weights.nbytes))

    def is_of_older_than(self, current: object) -> bool:
        """Whether it holds a generation whose snapshot is not the current one."""
        kept = self._kept
        return isinstance(kept, LearnedQuery) and kept.generation.snapshot is not current

    def detach(self) -> None:
        """Hold nothing of a generation."""
        kept = self._kept
        if isinstance(kept, LearnedQuery):
            self._kept = zlib.compress(msgspec.json.encode(kept.portable), FAST)


class RecentQueries:
    """A query of the current generation is kept as it is, and runs at once. One of an older
    generation is kept as compressed text, so that it holds no snapshot, no corpus and no file; it
    is bound again when it runs.

    That takes a while for each, and where an index changes all the time more may be learned than
    one worker can do. So whoever adds a query does one of those that wait, and they stay few.
    """

    def __init__(self, limits: Limits) -> None:
        self._queries: Expiring[_Recent] = Expiring("q", limits.keep, MOST, limits.query_bytes)
        self._worker = ThreadPoolExecutor(1, "queries")
        self._detaching = Lock()

    def __len__(self) -> int:
        return len(self._queries)

    @property
    def size(self) -> int:
        """Bytes that they take."""
        return self._queries.size

    def put(self, served: ServedIndex, query: LearnedQuery) -> str:
        """Returns the query's id."""
        name = self._queries.put(_Recent(served.name, query))
        self._detach_one(served)
        return name

    def get(self, served: ServedIndex, id: str) -> Query | LearnedQuery | None:
        recent = self._queries.get(id)
        return recent.query if recent is not None and recent.home == served.name else None

    def detach(self, served: ServedIndex) -> None:
        """Let go of older generations of an index, soon: naming a query's terms takes a while."""
        self._worker.submit(self._detach, served)

    def forget(self) -> None:
        """Drop what has expired."""
        self._queries.forget()

    def close(self) -> None:
        self._worker.shutdown(cancel_futures=True)

    def _detach(self, served: ServedIndex) -> None:
        while self._detach_one(served):
            pass
        self._queries.forget()

    def _detach_one(self, served: ServedIndex) -> bool:
        """Detach the one that was asked for longest ago; False if there is none to detach."""
        with self._detaching:
            current, name = served.snapshot, served.name
            old = (r for r in self._queries if r.home == name and r.is_of_older_than(current))
            first = next(old, None)
            if first is not None:
                first.detach()
            return first is not None
