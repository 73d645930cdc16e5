"""Work that goes on beside the calling thread, piece after piece in the order given."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

    from likewise.engines.workers import Workers

AHEAD = 4  # pieces that wait to be done
LARGE = 1 << 20  # bytes of documents with which others are likely to come
ARRANGED = 4  # parts of a segment that are made at a time
STAGE_THREADS = 6  # of a stage of an addition, at most: more wait for each other
TITLE_THREADS = 2  # for the parts of titles: little work, after which more would wait


def stage_threads(threads: int) -> int:
    """How many threads share the work of one stage of an addition, of so many in all.

    Other stages go on beside it: where each had all threads, they would be in each other's way.
    """
    return min(max(threads // 2, 1), STAGE_THREADS)


def title_threads(threads: int) -> int:
    """How many share the work of finding parts of titles: a batch has some milliseconds of it."""
    return min(stage_threads(threads), TITLE_THREADS)


def compressing_threads(threads: int) -> int:
    """How many compress records: that is most of an addition's work, and all else ends before it
    where one of two threads does it.
    """
    return min(threads, STAGE_THREADS)


class Helpers:
    """Threads that help to write segments, one after another; each kind is started when needed.

    New ones for each segment would each keep memory that is free again for themselves.
    """

    def __init__(self, threads: int = 1) -> None:
        self.threads = threads
        self._pools: dict[str, Workers] = {}

    @property
    def collecting(self) -> Workers:
        """What belongs to records, in their order."""
        return self._pool("collecting", 1)

    @property
    def compressing(self) -> Workers:
        return self._pool("compressing", self.threads)

    @property
    def arranging(self) -> Workers:
        """Tables and matrices of a segment whose records are all there."""
        return self._pool("arranging", ARRANGED)

    def stop(self) -> None:
        """Leave no thread behind, and nothing to do."""
        for name in ("collecting", "compressing", "arranging"):  # the first has work for the others
            if name in self._pools:
                self._pools.pop(name).shutdown(cancel_futures=True)

    def _pool(self, name: str, threads: int) -> Workers:
        if name not in self._pools:
            from likewise.engines.workers import Workers  # which searches need not import

            self._pools[name] = Workers(threads)
        return self._pools[name]


class Beside:
    """One thread for work that depends on its order; each piece tells what memory is taken by then.

    That is known so many pieces later, never sooner: what is decided by it may not depend on
    timing. The first piece is done at once unless it is large, so that a small addition needs no
    thread.
    """

    def __init__(self, helpers: Helpers | None = None, ahead: int = AHEAD) -> None:
        """`helpers` have the thread, if others use it, too; `ahead` pieces may wait to be done."""
        self._helpers, self._ahead = helpers or Helpers(), ahead
        self._waiting: deque[Callable[[], int]] = deque()
        self._begun = False
        self.memory = 0

    def do(self, work: Callable[[], int], size: int = 0) -> None:
        """`size` is how many bytes of documents it is about."""
        self._waiting.append(self._started(work, at_once=not self._begun and size < LARGE))
        if len(self._waiting) > self._ahead:
            self.memory = self._waiting.popleft()()

    def wait(self) -> None:
        """Return when all is done; what it took is not known any more."""
        while self._waiting:
            self._waiting.popleft()()
        self.memory = 0

    def stop(self) -> None:
        """Leave no thread behind."""
        self._helpers.stop()

    def _started(self, work: Callable[[], int], *, at_once: bool) -> Callable[[], int]:
        """What waits for the result."""
        self._begun = True
        if at_once:
            taken = work()
            return lambda: taken
        future: Future[int] = self._helpers.collecting.submit(work)
        return future.result
