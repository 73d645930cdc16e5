"""What routes of one session share: its name, who asks, and work in its turn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, TypeVar

from fastapi import Depends, Path, Query

from likewise.reviews import Session
from likewise.server.access import Caller
from likewise.server.indexes import ServedIndex
from likewise.server.models.base import Name
from likewise.server.reviews import Turn
from likewise.server.routes.common import (
    Parts,
    TheCaller,
    TheIndex,
    TheParts,
    TheStop,
    in_turn,
)
from likewise.server.stop import Stop

T = TypeVar("T")
TheName = Annotated[Name, Path(examples=["soft robots"])]
Reviewer = Annotated[Name | None, Query(description="Who asks; a token's name goes before.")]


@dataclass(frozen=True)
class SessionTurn:
    """The session that was asked for."""

    parts: Parts
    served: ServedIndex
    caller: Caller
    name: str
    stop: Stop

    async def do(self, work: Callable[[Session], T], reviewer: str | None = None) -> T:
        """Work in the session as one turn, in the hands of the token's name or the reviewer."""
        async with self.parts.queues.of(self.served.name, self.name):
            return await in_turn(self.parts, lambda: self.now(work, reviewer))

    def now(self, work: Callable[[Session], T], reviewer: str | None = None) -> T:
        """The same in the thread at hand."""
        asked = Turn(self.name, self.caller, reviewer, self.stop)
        return self.parts.reviews.turn(self.served, asked, work)


async def session_turn(
    parts: TheParts, served: TheIndex, caller: TheCaller, name: TheName, stop: TheStop
) -> SessionTurn:
    return SessionTurn(parts, served, caller, name, stop)


TheTurn = Annotated[SessionTurn, Depends(session_turn)]
