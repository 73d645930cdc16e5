"""Requests passed on to the main process, and its answers passed back as they come."""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import httptools

from likewise.server.causes import Cause
from likewise.server.problems import ProblemError, response

if TYPE_CHECKING:
    from pathlib import Path

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

CLIENT = b"x-likewise-client"
# Of a connection, not of a request; the date is said again, and bodies are cut up anew.
HOP_BY_HOP = {b"connection", b"keep-alive", b"transfer-encoding", b"upgrade", b"te", b"date"}
OWN = {CLIENT, b"x-request-id", b"content-length", b"expect"}
READ = 256 << 10
IDLE = 60.0  # seconds for which a connection is kept: the main process keeps them for longer
log = logging.getLogger("likewise.server")


class Forward:
    """An ASGI application that asks the main process."""

    def __init__(self, place: Path) -> None:
        self._place = str(place)
        self._idle: list[tuple[float, asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        scope["forwarded"] = True  # and counted there
        answer = _Answer()
        try:
            reader, writer = await self._connection()
        except OSError:
            gone = ProblemError(Cause.busy, "the server is being stopped", {"Retry-After": "5"})
            await response(gone, scope.get("request_id", ""))(scope, receive, send)
            return
        left = asyncio.create_task(self._ask(scope, receive, writer))
        try:
            await _answered(reader, answer, left, send)
        finally:
            left.cancel()
            with suppress(asyncio.CancelledError, ConnectionError):
                await left
            if answer.complete and answer.parser.should_keep_alive():
                self._idle.append((time.monotonic(), reader, writer))
            else:
                writer.close()  # the main process sees that nobody waits

    async def _connection(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        while self._idle:
            since, reader, writer = self._idle.pop()
            if not reader.at_eof() and time.monotonic() - since < IDLE:
                return reader, writer
            writer.close()
        return await asyncio.open_unix_connection(self._place, limit=READ)

    async def _ask(self, scope: Scope, receive: Receive, writer: asyncio.StreamWriter) -> None:
        """Send a request, and end when the client has left."""
        with suppress(ConnectionError):  # it may be refused before it is sent
            await _send_request(scope, receive, writer)
        while (await receive())["type"] != "http.disconnect":
            pass


async def _send_request(scope: Scope, receive: Receive, writer: asyncio.StreamWriter) -> None:
    message = await receive()
    if not message.get("more_body", False):
        body = message.get("body", b"")
        writer.write(_head(scope, len(body)) + body)
        await writer.drain()
        return
    writer.write(_head(scope, None))
    more = True
    while more:
        if body := message.get("body", b""):
            writer.write(b"%x\r\n%b\r\n" % (len(body), body))
            await writer.drain()
        more = message.get("more_body", False)
        if more and (message := await receive())["type"] == "http.disconnect":
            raise ConnectionError("the client left")
    writer.write(b"0\r\n\r\n")
    await writer.drain()


def _head(scope: Scope, size: int | None) -> bytes:
    """The request line and headers; a body of unknown size comes in parts."""
    query = scope["query_string"]
    address = scope["raw_path"].split(b"?")[0] + (b"?" + query if query else b"")
    lines = [b"%b %b HTTP/1.1" % (scope["method"].encode(), address)]
    dropped = HOP_BY_HOP | OWN
    lines += [b"%b: %b" % one for one in scope["headers"] if one[0].lower() not in dropped]
    lines.append(b"x-request-id: %b" % scope["request_id"].encode())
    lines.append(b"%b: %b" % (CLIENT, str((scope.get("client") or ("",))[0]).encode()))
    if size is None:
        lines.append(b"transfer-encoding: chunked")
    elif size:
        lines.append(b"content-length: %d" % size)
    return b"\r\n".join([*lines, b"", b""])


class _Answer:
    """What the parser finds."""

    def __init__(self) -> None:
        self.parser = httptools.HttpResponseParser(self)
        self.headers: list[tuple[bytes, bytes]] = []
        self.messages: list[Message] = []
        self.complete = False

    def on_header(self, name: bytes, value: bytes) -> None:
        if name.lower() not in HOP_BY_HOP:
            self.headers.append((name.lower(), value))

    def on_headers_complete(self) -> None:
        status = self.parser.get_status_code()
        if status >= 200:
            self.messages.append(
                {"type": "http.response.start", "status": status, "headers": self.headers}
            )
        self.headers = []

    def on_body(self, body: bytes) -> None:
        self.messages.append({"type": "http.response.body", "body": body, "more_body": True})

    def on_message_complete(self) -> None:
        if self.parser.get_status_code() >= 200:
            self.complete = True


async def _answered(
    reader: asyncio.StreamReader, answer: _Answer, left: asyncio.Task[None], send: Send
) -> None:
    """Send the answer as it comes, until it is whole or the client has left."""
    while not answer.complete:
        reading = asyncio.create_task(reader.read(READ))
        await asyncio.wait((reading, left), return_when=asyncio.FIRST_COMPLETED)
        if not reading.done():
            reading.cancel()
            return
        data = reading.result()
        if not data:
            raise ConnectionError("the main process ended in the middle of an answer")
        answer.parser.feed_data(data)
        messages, answer.messages = answer.messages, []
        for message in messages:
            await send(message)
    await send({"type": "http.response.body", "body": b"", "more_body": False})


class Behind:
    """The main process' side: who asks is who asked the worker, which alone can connect here."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            named = [value for name, value in scope["headers"] if name == CLIENT]
            headers = [one for one in scope["headers"] if one[0] != CLIENT]
            client = (named[0].decode("latin-1"), 0) if named and named[0] else None
            scope = {**scope, "headers": headers, "client": client}
        await self._app(scope, receive, send)
