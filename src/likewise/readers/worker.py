"""The process that reads files for another: it takes tasks on standard input, one after another.

It may not use more than so much memory, nor more than so much time without a result, and it ends
when the process that started it is gone.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING

from likewise.errors import LikewiseError, sentence
from likewise.readers.batch import Batch
from likewise.readers.formats import FORMATS
from likewise.readers.problems import Problems
from likewise.readers.wire import Done, Part, Task, receive, send

if TYPE_CHECKING:
    from collections.abc import Callable

MEMORY = 2 << 30  # bytes
SECONDS = 60  # of computing, until the next result must be there


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started it decides
    _watch(os.getppid())
    _limit_memory()
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    with open(os.devnull, "wb") as nowhere:  # noqa: PTH123 - by descriptor
        os.dup2(nowhere.fileno(), 1)  # what libraries print would be taken for an answer
        os.dup2(nowhere.fileno(), 2)
    write = _writer(answers.fileno())
    while True:
        try:
            task = receive(_exactly, Task)
        except EOFError:
            return
        _read(task, write)


def _read(task: Task, write: Callable[[bytes], None]) -> None:
    problems = Problems(strict=task.strict)
    limit_time()
    try:
        for batch in FORMATS[task.format].load()(task.source(), task.read_options(), problems):
            assert isinstance(batch, Batch)  # vectors are read elsewhere
            send(write, Part.of(batch))
            limit_time()
        error = None
    except LikewiseError as failure:
        error = str(failure)
    except MemoryError:
        error = f"{task.name} takes more than {MEMORY >> 30} GB of memory to read: leave it out"
    except BaseException as failure:  # of whatever a library raises; some have no base but this
        kind = type(failure).__name__
        error = f"{task.name} cannot be read as {task.format}: {sentence(failure) or kind}"
    send(write, Done.of(problems, error))


def limit_time(seconds: int = SECONDS) -> None:
    """The system ends the process when it has computed so long from now on."""
    import resource

    used = int(time.process_time()) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (used + seconds, resource.RLIM_INFINITY))


def _limit_memory() -> None:
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    allowed = MEMORY if most == resource.RLIM_INFINITY else min(MEMORY, most)
    resource.setrlimit(resource.RLIMIT_DATA, (allowed, most))


def _watch(parent: int) -> None:
    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _exactly(size: int) -> bytes:
    parts = []
    while size:
        part = sys.stdin.buffer.read(size)
        if not part:
            raise EOFError
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _writer(descriptor: int) -> Callable[[bytes], None]:
    def write(data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]

    return write
