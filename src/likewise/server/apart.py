"""Merging in a process of its own: what holds the interpreter for long makes searches wait.

`python -m likewise.server.apart PATH THREADS` merges, at a low priority, and ends when the server
that began it does: nothing has changed then. An error goes to its standard output.
"""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import msgspec

from likewise import errors
from likewise.engines import DEFAULT
from likewise.errors import LikewiseError, StoreError

if TYPE_CHECKING:
    from likewise.index import Index

LARGE = 32 << 20  # bytes of an index for which a process is worth starting
POLITE = 10  # how much less of the processors it gets
NOT_STARTED, FAILED, LEFT = 1, 3, 4  # what a process that ends says


def merge(index: Index) -> None:
    """As `Index.merge`."""
    small = index.info().bytes_on_disk < LARGE
    if small or index.engine != DEFAULT or not sys.executable:
        index.merge()
        return
    command = [sys.executable, "-m", __name__, str(index.path), str(index.threads)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        said = process.stdout.read() if process.stdout else b""
    if process.returncode == NOT_STARTED:  # as where modules are found in another way here
        index.merge()
        return
    if process.returncode == FAILED:
        kind, sentence = msgspec.json.decode(said, type=tuple[str, str])
        raise getattr(errors, kind)(sentence)
    if process.returncode:
        raise StoreError(f"merging {index.path} ended before it was done: try again")
    index.see_change()


def main() -> int:
    path, threads = Path(sys.argv[1]), int(sys.argv[2])
    with suppress(OSError, AttributeError):  # not on every system
        os.nice(POLITE)
    Thread(target=_follow, daemon=True).start()
    from likewise.store import merging

    warnings.simplefilter("ignore")  # the index says what was left undone
    try:
        merging.merge(path, threads=threads)
    except LikewiseError as error:
        sys.stdout.buffer.write(msgspec.json.encode((type(error).__name__, str(error))))
        return FAILED
    return 0


def _follow() -> None:
    """End with the server: it holds the other end of standard input, and writes nothing."""
    os.read(0, 1)
    os._exit(LEFT)


if __name__ == "__main__":
    sys.exit(main())
