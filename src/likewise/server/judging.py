"""Judgements, answered without the layers that other requests need.

A reviewer waits for each of them. This takes `POST /v1/indexes/{index}/sessions/{name}/judgements`
where it is as it should be; what is not goes on to the route, before anything is done: the route
says what is wrong. Both give the same answer.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
from msgspec import Meta

from likewise.errors import LikewiseError
from likewise.server import problems
from likewise.server.access import Role
from likewise.server.direct import Route, send_json
from likewise.server.problems import ProblemError
from likewise.server.routes.common import leaving
from likewise.server.stop import Stop
from likewise.server.together import Together, Waiting

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from likewise.server.routes.common import Parts

ADDRESS = re.compile(r"/v1/indexes/([^/]{1,300})/sessions/([^/]{1,200})/judgements")
NAME = re.compile(r"[^/\\\x00-\x1f\x7f]*[^\s./\\\x00-\x1f\x7f][^/\\\x00-\x1f\x7f]*")
Name = Annotated[str, Meta(max_length=200, pattern=rf"^{NAME.pattern}$")]
Word = Annotated[str, Meta(max_length=200, pattern=r"^[^;\x00-\x1f]+$")]
Words = Annotated[list[Word], Meta(max_length=100)]


class One(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """As `models.sessions.OneJudgement`."""

    id: Annotated[str, Meta(min_length=1, max_length=2_000)]
    label: Literal["relevant", "not", "unsure"] | None
    reasons: Words | None = None
    note: Annotated[str, Meta(max_length=100_000)] | None = None
    tags: Words | None = None
    stage: Literal["title/abstract", "full text"] | None = None


class Next(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """As `models.sessions.NextPage`."""

    reviewer: Name | None = None
    size: Annotated[int, Meta(ge=1, le=1_000)] | None = None
    again: bool = False
    random: bool = False
    explain: Annotated[int, Meta(ge=0, le=100)] = 0
    snippet: Annotated[int, Meta(ge=0, le=100_000)] = 300


class Asked(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """As `models.sessions.NewJudgements`."""

    judgements: Annotated[list[One], Meta(min_length=1, max_length=1_000)]
    reviewer: Name | None = None
    next: Next | None = None


ROUTE = Route("/indexes/{index}/sessions/{name}/judgements")
_decode = msgspec.json.Decoder(Asked).decode


class Judging:
    def __init__(self, app: ASGIApp, parts: Parts) -> None:
        self._app, self._parts = app, parts
        self._together = Together(parts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        place = ADDRESS.fullmatch(scope["path"]) if _is_post(scope) else None
        if place is None:
            await self._app(scope, receive, send)
            return
        first = await receive()  # the gate hands on bodies that are whole
        stop = Stop(self._parts.limits.seconds)
        try:
            asked = _understood(scope, place[2], first)
            served = self._parts.indexes[place[1]]
        except (msgspec.MsgspecError, UnicodeDecodeError, ProblemError):
            # The route says what is wrong.
            await self._app(scope, _again(first, receive), send)
            return
        scope["route"] = ROUTE
        with leaving(receive, stop):
            one = Waiting(served, place[2], scope["caller"], asked, stop)
            await self._answer(one, scope, receive, send)

    async def _answer(self, one: Waiting, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            body = await self._together.entered(one)
        except Exception as error:
            problem = self._problem(error)
            await problems.response(problem, scope["request_id"])(scope, receive, send)
            if isinstance(error, LikewiseError | ProblemError):
                return
            raise  # the gate logs it
        await send_json(body, send)

    def _problem(self, error: Exception) -> ProblemError:
        if isinstance(error, LikewiseError):
            return problems.of_error(error, self._parts.indexes.folders)
        return error if isinstance(error, ProblemError) else problems.unexpected()


def _is_post(scope: Scope) -> bool:
    return scope["type"] == "http" and str(scope["method"]) == "POST"


def _understood(scope: Scope, name: str, first: Message) -> Asked:
    """What is asked for, by somebody who may."""
    if not NAME.fullmatch(name) or scope["query_string"] or not scope["caller"].may(Role.review):
        raise msgspec.ValidationError("this is not as it should be")
    return _decode(first.get("body", b""))


def _again(first: Message, receive: Receive) -> Receive:
    """What was received, and then the rest."""
    waiting = [first]

    async def again() -> Message:
        return waiting.pop() if waiting else await receive()

    return again
