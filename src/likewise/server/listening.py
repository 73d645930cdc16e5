"""Where a server listens: the address is taken first, so that a port in use is a plain error."""

from __future__ import annotations

import errno
import logging
import socket
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import uvicorn

from likewise.errors import LikewiseError
from likewise.server.connections import Connection

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.types import ASGIApp

    from likewise.server.connections import Room
    from likewise.server.settings import Settings

log = logging.getLogger("likewise.server")
WAITING = 2048  # connections that may wait to be taken
CLOSING = 10  # seconds for requests that are under way when the server is stopped


@contextmanager
def listening(host: str, port: int) -> Iterator[list[socket.socket]]:
    """Sockets at every address of the host, or at the first if any port will do."""
    with ExitStack() as closing:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
            places = list(dict.fromkeys((family, address) for family, *_, address in found))
            sockets = _opened(places if port else places[:1], closing)
        except OSError as error:
            raise LikewiseError(_refused(host, port, error)) from error
        yield sockets


def _opened(places: list[tuple[Any, Any]], closing: ExitStack) -> list[socket.socket]:
    made: list[socket.socket] = []
    for family, address in places:
        try:
            one = socket.create_server(address, family=family, backlog=WAITING)
        except OSError as error:
            if error.errno == errno.EADDRNOTAVAIL and made:  # as ::1 without IPv6
                continue
            raise
        made.append(closing.enter_context(one))
    return made


def _refused(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} of {host} is in use: give another by --port, or 0 for any free one"
    if error.errno in (errno.EACCES, errno.EPERM):
        return f"port {port} of {host} may not be used: give one above 1023 by --port"
    return f"cannot listen at {host}, port {port}: {(error.strerror or str(error)).lower()}"


def address_of(listening: Any) -> str:
    """What to open in a browser."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def configured(
    app: ASGIApp, settings: Settings, room: Room, logging: dict[str, Any] | None = None
) -> uvicorn.Config:
    """How uvicorn serves an application here."""
    return uvicorn.Config(
        app,
        http=partial(Connection, room=room),  # type: ignore[arg-type]
        # Not uvloop: while searches keep it busy, it leaves some connections waiting for seconds.
        loop="asyncio",
        ws="none",
        host=settings.host,
        port=settings.port,
        log_config=logging,
        access_log=False,  # the gate's own says less: no query strings
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=CLOSING,
    )


class Server(uvicorn.Server):
    def address(self) -> str:
        if not self.started:
            raise LikewiseError(f"the server did not start at {self.config.host}")
        return address_of(self.servers[0].sockets[0])


class Announced(Server):
    """Says where it listens."""

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        if self.started:
            log.info("serving at %s; Ctrl-C stops it", self.address())
