"""Connections that are slow, endless or too many: each has limits before any token is looked at.

A proxy in front of the server does this as well; these limits are for when there is none, and for
one that passes everything on.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from typing import TYPE_CHECKING, Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from likewise.server.bodies import body_of

if TYPE_CHECKING:
    from likewise.server.settings import Limits

HEAD_BYTES = 256 << 10  # of a request line and its headers: a few thousand ids to delete fit
HEAD_LINES = 200
STALLED = 30.0  # seconds in which a client must read something of its answer
QUIET = 60.0  # seconds between lines in the log that say the same
NO_DESCRIPTORS = "socket.accept() out of system resource"
TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\n"
BUSY = b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 5\r\n"
NO_MORE = b"content-length: 0\r\nconnection: close\r\n\r\n"
log = logging.getLogger("likewise.server")


class Room:
    """How many connections there may be, and which of them wait for a request to be whole."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._most = min(limits.connections, _descriptors() // 2)  # the rest is for the indexes
        self._waiting: dict[Connection, None] = {}  # the one that waits longest first
        self._dropped = Occasional("%d connections were dropped: there are too many at a time")

    def wait(self, connection: Connection) -> None:
        self._waiting[connection] = None

    def go_on(self, connection: Connection) -> None:
        self._waiting.pop(connection, None)

    def make(self, open_now: int) -> bool:
        """Whether one more may come: one that is idle, or half a request, makes room for it."""
        if open_now <= self._most:
            return True
        self._dropped.say()
        oldest = next(iter(self._waiting), None)
        if oldest is None:
            return False
        oldest.drop()
        return True


def _descriptors() -> int:
    """How many files and connections the process may have open."""
    try:
        import resource
    except ImportError:  # not on this system
        return 1024
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return 1 << 20 if most == resource.RLIM_INFINITY else most


class Occasional:
    """A line for the log that is written at most once a minute, with how often it was meant."""

    def __init__(self, line: str) -> None:
        self._line, self._count, self._next = line, 0, 0.0

    def say(self) -> None:
        self._count += 1
        now = time.monotonic()
        if now >= self._next:
            log.warning(self._line, self._count)
            self._count, self._next = 0, now + QUIET


class Connection(HttpToolsProtocol):
    """Uvicorn's protocol with limits for a request's head, for its time and for slow readers."""

    def __init__(self, *arguments: Any, room: Room, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._room = room
        self._in_head, self._head_bytes, self._head_lines = True, 0, 0
        self._timer: asyncio.TimerHandle | None = None
        self._writing: asyncio.TimerHandle | None = None

    # What comes in

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        _send_at_once(transport)
        if not self._room.make(len(self.connections)):
            self._refuse(BUSY)
            return
        self._room.wait(self)
        self._allow(self._room.limits.head_seconds)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return  # it was refused: what else it sends is of no interest
        if self._in_head:
            self._head_bytes += len(data)
            if self._timer is None:  # the first of another request on this connection
                self._room.wait(self)
                self._allow(self._room.limits.head_seconds)
        super().data_received(data)
        if self._in_head and self._head_bytes > HEAD_BYTES:
            self._refuse(TOO_LARGE)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._head_lines = 0

    def on_header(self, name: bytes, value: bytes) -> None:
        """Also those behind a body, which is why they are counted here."""
        self._head_lines += 1
        if self._head_lines > HEAD_LINES:
            raise ValueError("too many headers")
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._in_head, self._head_bytes = False, 0
        self._room.go_on(self)
        path = self.url.partition(b"?")[0].decode("ascii", "replace")
        self._allow(
            body_of(path, self._room.limits).seconds + 1
        )  # the gate has its own, and says so
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._in_head = True
        self._allow(None)
        super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if not self.pipeline and not self.transport.is_closing():
            self._room.wait(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._room.go_on(self)
        self._allow(None)
        self._watch_writing(None)
        super().connection_lost(exc)

    # What goes out

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch_writing(self.transport.get_write_buffer_size())

    def resume_writing(self) -> None:
        self._watch_writing(None)
        super().resume_writing()

    def _watch_writing(self, left: int | None) -> None:
        """Look after a while whether less is left to send than now; None for no more looks."""
        if self._writing is not None:
            self._writing.cancel()
        self._writing = None if left is None else self.loop.call_later(STALLED, self._look, left)

    def _look(self, left: int) -> None:
        now = self.transport.get_write_buffer_size()
        if now >= left:
            self.drop()
        else:
            self._watch_writing(now)

    # How it ends

    def _allow(self, seconds: float | None) -> None:
        """End the connection after so many seconds; None for no limit."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = (
            None if seconds is None else self.loop.call_later(seconds, self._refuse, TOO_SLOW)
        )

    def _refuse(self, status: bytes) -> None:
        """Say why where no answer has begun, and close."""
        self._room.go_on(self)
        self._allow(None)
        if self.transport.is_closing():
            return
        if self.cycle is None or self.cycle.response_complete:
            self.transport.write(status + NO_MORE)
        self.transport.close()

    def drop(self) -> None:
        """End it without a word, and without waiting until what was written is read."""
        self._room.go_on(self)
        self.transport.abort()


def _send_at_once(transport: asyncio.Transport) -> None:
    """An answer's body follows its head without waiting until the client confirms that, which may
    take 40 ms. asyncio sees to it only where a socket names its protocol.
    """
    made: socket.socket | None = transport.get_extra_info("socket")
    if made is not None and made.family in (socket.AF_INET, socket.AF_INET6):
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def quieten(loop: asyncio.AbstractEventLoop) -> None:
    """Write one line a minute when descriptors run out, not thousands of tracebacks a second."""
    none_left = Occasional("no file descriptors are left (%d times): raise ulimit -n")

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        if context.get("message") == NO_DESCRIPTORS:
            none_left.say()
        else:
            loop.default_exception_handler(context)

    loop.set_exception_handler(handle)
