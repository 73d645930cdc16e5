"""Clusters of real processes for tests."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST = 60.0  # seconds until a process must have started


def dask(*command: str, **environment: str) -> subprocess.Popen[bytes]:
    """A process of Dask's command line."""
    return subprocess.Popen(
        [sys.executable, "-m", "dask", *command],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **environment},
    )


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextmanager
def scheduler(
    *workers: str, **environment: str
) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """The address of a scheduler, and its process and those of workers with these options."""
    port = free_port()
    address = f"tcp://127.0.0.1:{port}"
    with ExitStack() as stack:
        options = ("--host", "127.0.0.1", "--port", str(port), "--no-dashboard")
        processes = [dask("scheduler", *options, **environment)]
        stack.callback(_end, processes)
        wait_until(lambda: answers(port))
        for options in workers:
            given = options.split()
            processes.append(dask("worker", address, "--no-nanny", "--no-dashboard", *given))
        yield address, processes


def _end(processes: list[subprocess.Popen[bytes]]) -> None:
    for process in processes:
        process.kill()
    for process in processes:
        process.wait()


def answers(port: int) -> bool:
    with socket.socket() as one:
        return not one.connect_ex(("127.0.0.1", port))


def wait_until(there: Any, pause: float = 0.02) -> None:
    until = time.monotonic() + LONGEST
    while not there():
        assert time.monotonic() < until
        time.sleep(pause)


def kill(process: int) -> None:
    os.kill(process, signal.SIGKILL)
