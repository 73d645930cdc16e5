"""A worker process: takes connections, answers searches by words, and passes on the rest.

It is started by the main process, which sends it a `Task` and holds the pipe open: when the main
process ends, however that happens, so does the worker.
"""

from __future__ import annotations

import asyncio
import logging
import pickle
import socket
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, NamedTuple

import uvicorn
from anyio import to_thread

from likewise.server.compressing import Compressing
from likewise.server.connections import Room, quieten
from likewise.server.gate import Gate
from likewise.server.indexes import ServedIndexes
from likewise.server.listening import WAITING, configured
from likewise.server.memory import give_back, pass_over_modules, share_arenas
from likewise.server.metrics import Counts
from likewise.server.projects import ProjectFolder
from likewise.server.quick import Quick
from likewise.server.settings import Settings
from likewise.server.tokens import Tokens
from likewise.server.workers import sharing
from likewise.server.workers.forwarding import Forward

if TYPE_CHECKING:
    from starlette.types import ASGIApp

MAIN = "main"
NOTED = 1.0  # seconds between two notes of what was counted
TIDY = 10  # notes between two looks for free memory


class Task(NamedTuple):
    paths: list[Path]
    settings: Settings
    folder: Path
    sockets: list[int]
    """Descriptors that it has inherited."""
    logging: dict[str, Any]


def main() -> None:
    share_arenas()
    task: Task = pickle.load(sys.stdin.buffer)
    pass_over_modules()
    worker = _Worker(task)
    Thread(target=worker.end_with_main, daemon=True).start()
    with suppress(KeyboardInterrupt):
        worker.run([socket.socket(fileno=one) for one in task.sockets])


class _Worker(uvicorn.Server):
    def __init__(self, task: Task) -> None:
        self._folder = task.folder
        self._counts = Counts()
        self._tokens = Tokens(task.settings.token_file) if task.settings.token_file else None
        app = self._app(task)
        limits = task.settings.limits
        share = -(-limits.connections // task.settings.workers)
        config = configured(app, task.settings, Room(replace(limits, connections=share)))
        config.log_config, config.backlog, config.lifespan = task.logging, 1, "off"
        config.configure_logging()
        super().__init__(config)

    def end_with_main(self) -> None:
        sys.stdin.buffer.read()
        self.should_exit = True

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        quieten(asyncio.get_running_loop())
        # One connection is taken at a time, so that workers with nothing to do take the next;
        # but many may wait.
        for one in sockets or ():
            one.listen(WAITING)
        sharing.write(self._folder, self._counted())
        self._noting = asyncio.create_task(self._note())
        print("ready", flush=True)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await super().shutdown(sockets)
        self._noting.cancel()
        sharing.write(self._folder, self._counted())

    def _app(self, task: Task) -> ASGIApp:
        settings, limits = task.settings, task.settings.limits
        projects = ProjectFolder(settings.projects) if settings.projects else None
        logging.disable(logging.WARNING)  # the main process has said it
        indexes = ServedIndexes(task.paths, 1, projects)
        logging.disable(logging.NOTSET)
        app = Quick(Forward(task.folder / MAIN), indexes, limits)
        return Gate(
            Compressing(app),
            settings,
            self._tokens,
            sharing.SharedRate(limits.rate, task.folder / "rates"),
            self._counts,
            sharing.SharedRate(limits.refusals, task.folder / "refusals"),
        )

    async def _note(self) -> None:
        """Leave what was counted for the main process."""
        before = sharing.Counted()
        turns = 0
        while True:
            await asyncio.sleep(NOTED)
            turns += 1
            if (now := self._counted()) != before:
                await to_thread.run_sync(sharing.write, self._folder, now)
                before = now
            if turns % TIDY == 0:
                await to_thread.run_sync(give_back)

    def _counted(self) -> sharing.Counted:
        counted = self._counts.counted()
        if self._tokens is not None:
            counted.last_used = dict(self._tokens.last_used)
        return counted


if __name__ == "__main__":
    main()
