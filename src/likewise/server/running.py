"""Running the server: until it is stopped, or beside a program."""

from __future__ import annotations

import webbrowser
from contextlib import contextmanager
from dataclasses import replace
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import uvicorn

from likewise.server.app import create_app
from likewise.server.connections import Room
from likewise.server.listening import Announced, Server, configured, listening
from likewise.server.memory import pass_over_modules
from likewise.server.settings import Settings
from likewise.server.workers.supervising import serve_by_workers

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator, Sequence
    from pathlib import Path

LEVELS = {"uvicorn": "INFO", "likewise": "INFO"}


def serve(
    paths: Sequence[Path], settings: Settings, *, log: bool = True, show: bool = False
) -> None:
    """Serve indexes at the address that the settings say, until interrupted; `show` the page."""
    with listening(settings.host, settings.port) as sockets:
        pass_over_modules()
        if settings.workers > 1:
            logs = logging_to_stderr("WARNING"), logging_to_stderr("INFO" if log else "WARNING")
            serve_by_workers(paths, settings, sockets, logs, show=show)
            return
        config = _config(paths, settings, logging_to_stderr("INFO" if log else "WARNING"))
        (_Shown(config) if show else Announced(config)).run(sockets)


@contextmanager
def started(
    paths: Sequence[Path],
    settings: Settings | None = None,
    sockets: Sequence[socket.socket] | None = None,
) -> Iterator[str]:
    """Serve in a thread while the block runs: yields the address.

    That is where `sockets` listen, as those of `likewise serve` do, or else any free port.
    """
    server = _Beside(_config(paths, replace(settings or Settings(), port=0), None))
    thread = Thread(target=server.run, args=(sockets,), daemon=True)
    thread.start()
    server.ready.wait()
    try:
        yield server.address()
    finally:
        server.should_exit = True
        thread.join()


class _Shown(Announced):
    """Opens the page in a browser, if there is one, when it listens."""

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        if self.started:
            Thread(target=webbrowser.open, args=(self.address(),), daemon=True).start()


class _Beside(Server):
    """Sets `ready` when it listens, or when it has failed to."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = Event()

    def run(self, sockets: Any = None) -> None:
        try:
            super().run(sockets)
        finally:
            self.ready.set()

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        self.ready.set()


def _config(
    paths: Sequence[Path], settings: Settings, logging: dict[str, Any] | None
) -> uvicorn.Config:
    return configured(create_app(paths, settings), settings, Room(settings.limits), logging)


def logging_to_stderr(access: str) -> dict[str, Any]:
    """Everything on standard error, one line an event; `access` is the level for requests."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(message)s"}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
        "loggers": {
            "likewise.access": {"level": access},
            **{
                name: {"handlers": ["stderr"], "level": level, "propagate": False}
                for name, level in LEVELS.items()
            },
        },
    }
