"""So many at a time; of those who wait, whoever came first is next."""

from __future__ import annotations

import asyncio
import heapq
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


class FirstCome:
    """Unlike a semaphore's, its order is by when somebody came, which the caller says: who waited
    elsewhere before is not sent to the end of the queue.
    """

    def __init__(self, places: int) -> None:
        self._free = places
        self._waiting: list[tuple[int, asyncio.Future[None]]] = []  # a heap

    @asynccontextmanager
    async def place(self, came: int) -> AsyncIterator[None]:
        """`came` is a number of one's own, the lower the earlier."""
        await self._enter(came)
        try:
            yield
        finally:
            self._leave()

    async def _enter(self, came: int) -> None:
        if self._free:
            self._free -= 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (came, turn))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # the place was given in the same moment
                self._leave()
            raise

    def _leave(self) -> None:
        while self._waiting:
            _, turn = heapq.heappop(self._waiting)
            if not turn.done():  # somebody who has left
                turn.set_result(None)
                return
        self._free += 1
