"""What routes share: the parts of the server, and who is asking."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeVar

from anyio import CapacityLimiter, Semaphore, to_thread
from fastapi import Depends, Path, Request
from starlette.types import Receive

from likewise.server.access import ANYONE, Caller, Role, names_of
from likewise.server.causes import Cause
from likewise.server.indexes import ServedIndex, ServedIndexes
from likewise.server.jobs import Jobs
from likewise.server.problems import ProblemError, documented
from likewise.server.reviews import Reviews
from likewise.server.routes.queueing import Queues
from likewise.server.search import Searches
from likewise.server.settings import Limits
from likewise.server.stop import Stop
from likewise.server.tokens import Tokens
from likewise.server.uploads import Uploads

T = TypeVar("T")
ALWAYS = documented(400, 401, 403, 413, 415, 421, 422, 429, 500)  # any route may answer so
INDEX = documented(404)


TURNS = 16  # threads for what may have to wait for its turn, so that searches need not
PDFS = 2  # that are in memory at a time
BULKS = 4  # requests that send documents as lines at a time: each has a file


@dataclass(frozen=True)
class Parts:
    """What a server consists of."""

    indexes: ServedIndexes
    searches: Searches
    jobs: Jobs
    reviews: Reviews
    uploads: Uploads
    limits: Limits
    tokens: Tokens | None = None
    queues: Queues = field(default_factory=Queues)
    turns: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(TURNS))
    files: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(PDFS))
    bulks: Semaphore = field(default_factory=lambda: Semaphore(BULKS))


async def parts_of(request: Request) -> Parts:
    parts: Parts = request.app.state.parts
    return parts


TheParts = Annotated[Parts, Depends(parts_of)]


async def stopping(request: Request, parts: TheParts) -> AsyncIterator[Stop]:
    """What ends the work for this request: its time is up, or its client leaves."""
    stop = Stop(parts.limits.seconds)
    with leaving(request.receive, stop):
        yield stop


@contextmanager
def leaving(receive: Receive, stop: Stop) -> Iterator[None]:
    """While it lasts, that the client leaves ends the work."""
    watching = asyncio.create_task(_watch(receive, stop))
    try:
        yield
    finally:
        watching.cancel()


async def _watch(receive: Receive, stop: Stop) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    stop.leave()


TheStop = Annotated[Stop, Depends(stopping)]


async def in_turn(parts: Parts, work: Callable[[], T]) -> T:
    """Run changes of an index or a session, which may wait for others, in threads of their own."""
    return await to_thread.run_sync(work, limiter=parts.turns)


async def served_index(
    parts: TheParts, index: Annotated[str, Path(max_length=300, examples=["papers"])]
) -> ServedIndex:
    return parts.indexes[index]


TheIndex = Annotated[ServedIndex, Depends(served_index)]


async def caller(request: Request) -> Caller:
    found: Caller = request.scope.get("caller", ANYONE)
    return found


TheCaller = Annotated[Caller, Depends(caller)]


async def owner(request: Request) -> str:
    """Whose work it is: the name of a token, or an address."""
    return str(request.scope.get("client_key", ""))


TheOwner = Annotated[str, Depends(owner)]


def at_least(role: Role) -> Any:
    """A dependency that refuses callers who may not do this."""

    async def check(found: TheCaller) -> None:
        if not found.may(role):
            yours = ", ".join(names_of(found.role))
            raise ProblemError(
                Cause.not_allowed, f"this needs a token of role {role.name}, yours is for {yours}"
            )

    return Depends(check)
