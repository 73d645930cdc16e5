"""Files read by other processes, several at once, their documents in the order of the files.

A library that reads a hostile file may crash, hang or eat memory: then its process ends, the file
is named, and reading goes on. Processes are started anew and not by `fork` or `multiprocessing`,
so that programs need no guard around their main part; they end with this one.
"""

from __future__ import annotations

import select
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from queue import Empty, Full, Queue
from threading import Event, local
from time import monotonic
from typing import TYPE_CHECKING, Self

from likewise.engines.cores import cores
from likewise.errors import InputError
from likewise.readers.wire import Done, Message, Part, Task, receive, send
from likewise.readers.worker import SECONDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from likewise.readers.batch import Batch
    from likewise.readers.options import ReadOptions
    from likewise.readers.problems import Problems
    from likewise.readers.streams import Source

SILENCE = 10 * SECONDS  # to wait for an answer: the machine may be busy with other things
AHEAD = 4  # batches of a file that wait to be taken
MOST = 32  # processes
TICK = 0.2  # seconds between looks whether reading was given up
PROGRAM = "import sys; sys.path[:] = {path!r}; from likewise.readers.worker import main; main()"


class Readers:
    """Processes that read files; they are started when there is something to read."""

    def __init__(self, processes: int | None = None) -> None:
        self.processes = min(processes or cores(), MOST)
        self._threads: ThreadPoolExecutor | None = None
        self._mine = local()
        self._started: list[_Process] = []
        self._given_up = Event()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._given_up.set()
        for process in list(self._started):
            process.end()
        if self._threads is not None:
            self._threads.shutdown(cancel_futures=True)
        for process in self._started:  # one may have been started meanwhile
            process.end()

    def begin(self, source: Source, options: ReadOptions, problems: Problems) -> Reading:
        """Begin to read a source; what it holds is asked of the result."""
        if self._threads is None:
            self._threads = ThreadPoolExecutor(self.processes, "likewise-reader")
        reading = Reading(source, self._given_up)
        task = Task.of(source, options, bool(problems.strict))
        self._threads.submit(self._read, task, reading)
        return reading

    def _read(self, task: Task, reading: Reading) -> None:
        if self._given_up.is_set():
            return
        process: _Process | None = getattr(self._mine, "process", None)
        try:
            if process is None:
                process = self._mine.process = _Process()
                self._started.append(process)
            for message in process.answers(task):
                reading.put(message)
        except BaseException as error:
            self._mine.process = None
            reading.put(Done(error=f"{task.name} {_why(process, error)}"))
            if process is not None:
                process.end()


class Reading:
    """A source that another process reads."""

    def __init__(self, source: Source, given_up: Event) -> None:
        self.source = source
        self._messages: Queue[Message] = Queue(AHEAD)
        self._given_up = given_up

    def put(self, message: Message) -> None:
        while not self._given_up.is_set():
            with suppress(Full):
                self._messages.put(message, timeout=TICK)
                return

    def batches(self, problems: Problems) -> Iterator[Batch]:
        """The batches, as they come; then the problems, and an error if it failed."""
        while True:
            try:
                message = self._messages.get(timeout=TICK)
            except Empty:
                continue
            if isinstance(message, Part):
                yield message.batch()
                continue
            message.report_to(problems)
            if message.error is not None:
                raise InputError(message.error)
            return


class _Process:
    """One process and the pipes to it."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM.format(path=[str(place) for place in sys.path])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input, self._output = self._process.stdin, self._process.stdout

    def answers(self, task: Task) -> Iterator[Message]:
        send(self._write, task)
        while True:
            message: Message = receive(self._exactly, Message)
            yield message
            if isinstance(message, Done):
                return

    def _write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[self._input.write(rest) or 0 :]

    def _exactly(self, size: int) -> bytes:
        """So many bytes of an answer; TimeoutError if nothing comes for long."""
        data = bytearray()
        deadline = monotonic() + SILENCE
        while len(data) < size:
            ready, _, _ = select.select([self._output], [], [], max(deadline - monotonic(), 0))
            if not ready:
                raise TimeoutError
            part = self._output.read(min(size - len(data), 1 << 20))
            if not part:
                raise EOFError
            data += part
        return bytes(data)

    def status(self) -> int:
        """How the process ended; it is given a moment to."""
        try:
            return self._process.wait(5)
        except subprocess.TimeoutExpired:
            return 0

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._input, self._output):
            with suppress(OSError):
                pipe.close()


def _why(process: _Process | None, error: BaseException) -> str:
    """Why there is no answer, to follow the name of the file."""
    if process is None:
        return f"cannot be read: no process could be started ({error})"
    if isinstance(error, TimeoutError):
        return f"takes more than {SILENCE} seconds to read: leave it out"
    status = process.status()
    if status == -signal.SIGXCPU:
        return f"takes more than {SECONDS} seconds of computing to read: leave it out"
    if status == -signal.SIGKILL:
        return "cannot be read: the process that read it was killed, perhaps for want of memory"
    if status < 0:
        return f"cannot be read: what reads it crashed ({signal.Signals(-status).name})"
    return "cannot be read: what reads it ended without an answer"
