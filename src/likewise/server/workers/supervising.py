"""The main process: starts workers, puts others in the place of those that end, and ends them."""

from __future__ import annotations

import asyncio
import logging
import os
import pickle
import socket
import subprocess
import sys
import tempfile
import time
import webbrowser
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import uvicorn
from anyio import to_thread

from likewise.errors import LikewiseError
from likewise.server.app import create_app
from likewise.server.connections import Room
from likewise.server.listening import CLOSING, WAITING, address_of, configured
from likewise.server.workers import reading

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from likewise.server.settings import Limits, Settings

KEPT = 3600  # seconds for which a connection of a worker may be idle: it closes them before
LOOK = 0.2  # seconds between looks whether all workers run
AGAIN = 1.0  # seconds at least between a worker's start and the next one's in its place
log = logging.getLogger("likewise.server")


def serve_by_workers(
    paths: Sequence[Path],
    settings: Settings,
    sockets: Sequence[socket.socket],
    logs: tuple[dict[str, Any], dict[str, Any]],
    *,
    show: bool = False,
) -> None:
    """Serve until interrupted; `logs` are the logging of the main process and of workers."""
    with tempfile.TemporaryDirectory(prefix="likewise-", ignore_cleanup_errors=True) as made:
        folder = Path(made)
        app = create_app(paths, settings, folder)
        crew = Crew(
            reading.Task(list(paths), settings, folder, [one.fileno() for one in sockets], logs[1]),
            settings.workers,
        )
        config = configured(app, settings, _Unbounded(settings.limits), logs[0])
        config.timeout_keep_alive = KEPT
        with socket.socket(socket.AF_UNIX) as inner:
            inner.bind(str(folder / reading.MAIN))
            inner.listen(WAITING)
            _Main(config, crew, address_of(sockets[0]), show=show).run([inner])
        if crew.failed:
            raise LikewiseError(crew.failed)


class _Unbounded(Room):
    """All connections are those of workers, which have their own limits."""

    def __init__(self, limits: Limits) -> None:
        super().__init__(limits)
        self._most = sys.maxsize


class Crew:
    """The worker processes."""

    def __init__(self, task: reading.Task, number: int) -> None:
        self._task = task
        self._workers: list[_Worker | None] = [None] * number
        self.failed = ""

    def __iter__(self) -> Iterator[int]:
        """The processes' numbers."""
        return (one.process.pid for one in self._workers if one is not None)

    def start(self) -> None:
        """Start all, and return when they take connections."""
        self._workers = [_Worker(self._task) for _ in self._workers]
        for one in self._workers:
            assert one is not None
            if not one.ready():
                self.failed = "a worker did not start: the lines above say why"
                raise LikewiseError(self.failed)

    def replace(self) -> None:
        """Start those again that have ended."""
        for place, one in enumerate(self._workers):
            if one is None or one.process.poll() is None or time.monotonic() < one.began + AGAIN:
                continue
            log.error(
                "worker %d ended (%d): another takes its place",
                one.process.pid,
                one.process.returncode,
            )
            one.close()
            self._workers[place] = _Worker(self._task)

    def end(self) -> None:
        """End all: they finish what is under way."""
        working = [one for one in self._workers if one is not None]
        for one in working:
            one.process.terminate()
        end = time.monotonic() + CLOSING + 1
        for one in working:
            with suppress(subprocess.TimeoutExpired):
                one.process.wait(max(0.0, end - time.monotonic()))
            one.close()


class _Worker:
    def __init__(self, task: reading.Task) -> None:
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            [sys.executable, "-c", f"from {reading.__name__} import main; main()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=task.sockets,
        )
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):
            self.process.stdin.write(pickle.dumps(task))
            self.process.stdin.flush()  # it stays open for as long as the main process lives

    def ready(self) -> bool:
        """Wait until it takes connections; False if it has ended."""
        assert self.process.stdout is not None
        return bool(self.process.stdout.readline())

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()


class _Main(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, crew: Crew, address: str, *, show: bool) -> None:
        super().__init__(config)
        self._crew, self._address, self._show = crew, address, show
        self._watching: asyncio.Task[None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if not self.started:
            return
        try:
            await to_thread.run_sync(self._crew.start)
        except LikewiseError:
            self.should_exit = True
            return
        self._watching = asyncio.create_task(self._watch())
        number = len(list(self._crew))
        log.info("serving at %s by %d workers; Ctrl-C stops it", self._address, number)
        if self._show:
            Thread(target=webbrowser.open, args=(self._address,), daemon=True).start()

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(LOOK)
            if any(map(_has_ended, self._crew)):
                await asyncio.sleep(LOOK)  # where all are being stopped, we are as well
                if self.should_exit:
                    return
                await to_thread.run_sync(self._crew.replace)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self._watching is not None:
            self._watching.cancel()
        await to_thread.run_sync(self._crew.end)
        await super().shutdown(sockets)


def _has_ended(process: int) -> bool:
    try:
        return os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:  # it was waited for already
        return True
