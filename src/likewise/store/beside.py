"""Work that goes on beside the calling thread, piece after piece in the order given."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from likewise.engines.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

AHEAD = 4  # pieces that wait to be done


class Beside:
    """One thread for work that depends on its order; each piece tells what memory is taken by then.

    That is known so many pieces later, never sooner: what is decided by it may not depend on
    timing. The first piece is done at once, so that a small addition needs no thread.
    """

    def __init__(self) -> None:
        self._worker: Workers | None = None
        self._waiting: deque[Callable[[], int]] = deque()
        self._begun = False
        self.memory = 0

    def do(self, work: Callable[[], int]) -> None:
        self._waiting.append(self._started(work))
        if len(self._waiting) > AHEAD:
            self.memory = self._waiting.popleft()()

    def wait(self) -> None:
        """Return when all is done; what it took is not known any more."""
        while self._waiting:
            self._waiting.popleft()()
        self.memory = 0

    def stop(self) -> None:
        """Leave no thread behind."""
        if self._worker is not None:
            self._worker.shutdown(cancel_futures=True)

    def _started(self, work: Callable[[], int]) -> Callable[[], int]:
        """What waits for the result."""
        if not self._begun:
            self._begun = True
            taken = work()
            return lambda: taken
        if self._worker is None:
            self._worker = Workers(1)
        future: Future[int] = self._worker.submit(work)
        return future.result
