"""Answers compressed by gzip for clients that accept it: JSON, text and the page's files.

What is small, compressed already or sent bit by bit, as events are, stays as it is. A long answer
is compressed in a thread, so that others need not wait.
"""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING

from anyio import to_thread
from starlette.datastructures import Headers, MutableHeaders

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LEAST = 1_000  # bytes: below, it does not pay
INLINE = 64 << 10  # bytes that are compressed in the event loop
LEVEL = 4
GZIP = 16 + zlib.MAX_WBITS
TYPES = re.compile(r"text/(?!event-stream)|[\w/.+-]*(json|javascript|xml|csv|x-research|svg)")
NONE = re.compile(r"q=0(\.0*)?")


class Compressing:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        asked = _accepted(scope) if scope["type"] == "http" else b""
        accepted = asked and accepts(asked.decode("latin-1"))
        await self._app(scope, receive, _Compressed(send) if accepted else send)


def _accepted(scope: Scope) -> bytes:
    named = (value for name, value in scope["headers"] if name == b"accept-encoding")
    found: bytes = next(named, b"")
    return found


def accepts(header: str) -> bool:
    """Whether gzip may be sent: it is named, or everything is, and not with weight 0."""
    given = {}
    for part in header.lower().split(","):
        name, _, weight = (one.strip() for one in part.partition(";"))
        given[name] = not NONE.fullmatch(weight.replace(" ", ""))
    return given.get("gzip", given.get("*", False))


class _Compressed:
    """Holds the head of an answer back until its first part says whether compressing pays."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._head: Message | None = None
        self._packer: zlib._Compress | None = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._head = message
            return
        if message["type"] != "http.response.body":
            await self._send(message)
            return
        body, more = message.get("body", b""), message.get("more_body", False)
        head, self._head = self._head, None
        if head is not None:
            if _pays(head, len(body), more=more):
                self._packer = zlib.compressobj(LEVEL, zlib.DEFLATED, GZIP)
            if self._packer is None:
                await self._send(head)
        if self._packer is not None:
            body = await self._packed(body, last=not more)
            if head is not None:
                await self._send(_relabelled(head, None if more else len(body)))
        await self._send({"type": "http.response.body", "body": body, "more_body": more})

    async def _packed(self, body: bytes, *, last: bool) -> bytes:
        packer = self._packer
        assert packer is not None

        def work() -> bytes:
            return packer.compress(body) + (packer.flush() if last else b"")

        return work() if len(body) <= INLINE else await to_thread.run_sync(work)


def _pays(head: Message, size: int, *, more: bool) -> bool:
    headers = Headers(raw=head["headers"])
    return (
        (more or size >= LEAST)
        and head["status"] not in (204, 206, 304)
        and "content-encoding" not in headers
        and TYPES.match(headers.get("content-type", "")) is not None
    )


def _relabelled(head: Message, size: int | None) -> Message:
    """The head for the compressed body, whose length may not be known yet."""
    changed: Message = {**head, "headers": list(head["headers"])}
    headers = MutableHeaders(raw=changed["headers"])
    headers["Content-Encoding"] = "gzip"
    headers.add_vary_header("Accept-Encoding")
    if size is None:
        del headers["Content-Length"]
    else:
        headers["Content-Length"] = str(size)
    if (tag := headers.get("etag", "")).startswith('"'):
        headers["ETag"] = f"W/{tag}"  # the same content in other bytes
    return changed
