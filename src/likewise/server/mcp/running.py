"""Running it: over standard input and output for one client, or over HTTP for several."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings

from likewise.server.access import Rate
from likewise.server.connections import Connection, Room
from likewise.server.gate import Gate
from likewise.server.indexes import ServedIndexes
from likewise.server.listening import CLOSING, Announced, listening
from likewise.server.mcp.toolbox import Toolbox
from likewise.server.mcp.tools import Server
from likewise.server.recent import RecentQueries
from likewise.server.running import logging_to_stderr
from likewise.server.tokens import Tokens

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from starlette.types import ASGIApp

    from likewise.server.settings import Settings

PATH = "/v1/mcp"


def server(
    paths: Sequence[Path], settings: Settings, *, write: bool = False, reviewer: str | None = None
) -> Server:
    """The tools for some indexes."""
    indexes = ServedIndexes(paths, settings.threads)
    learned = RecentQueries(settings.limits)
    for one in indexes:
        one.on_change = partial(learned.detach, one)
    database = settings.database
    return Server(Toolbox(indexes, learned, write=write, reviewer=reviewer, database=database))


def serve_stdio(tools: Server) -> None:
    """Answer whoever started the program, until that closes our input."""
    tools.run("stdio")


def serve_http(tools: Server, settings: Settings) -> None:
    """Answer clients at the address that the settings say, until interrupted."""
    config = uvicorn.Config(
        http_app(tools, settings),
        http=partial(Connection, room=Room(settings.limits)),  # type: ignore[arg-type]
        ws="none",
        host=settings.host,
        port=settings.port,
        log_config=logging_to_stderr("WARNING"),
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=CLOSING,
    )
    with listening(settings.host, settings.port) as sockets:
        Announced(config).run(sockets)


def http_app(tools: Server, settings: Settings) -> ASGIApp:
    """Each request stands alone; the gate asks for its name, origin and token, as for the API."""
    app = tools.streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        stateless_http=True,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    tokens = Tokens(settings.token_file) if settings.token_file else None
    return Gate(app, settings, tokens, Rate(settings.limits.rate))
