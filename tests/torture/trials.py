"""What a kind of trial has to say: how much was tried, and what did not stand."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass
class Tally:
    """Counts by what was tried; `failures` say how each can be seen again."""

    tried: dict[str, int] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    def count(self, what: str, times: int = 1) -> None:
        self.tried[what] = self.tried.get(what, 0) + times

    def require(self, truth: bool, otherwise: str) -> None:
        if not truth:
            self.failures.append(otherwise)


class Clock:
    """True until so many seconds have passed; the first round is always made."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds
        self._first = True

    def __call__(self) -> bool:
        first, self._first = self._first, False
        return first or time.monotonic() < self._end


class Outcome:
    """How a child process ended, and what it wrote."""

    def __init__(self, status: int, said: bytes) -> None:
        self.said = said
        self.signal = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        self.code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else -1

    def __str__(self) -> str:
        how = f"signal {self.signal}" if self.signal else f"exit status {self.code}"
        return f"{how}, {self.said[-300:].decode(errors='replace')!r}"


def in_child(work: Callable[[int], None], *, patience: float = 120.0) -> Outcome:
    """Run `work(descriptor)` in a fork; a fork that hangs is ended by SIGALRM."""
    ours, theirs = os.pipe()
    child = os.fork()
    if not child:
        code = 1
        try:
            os.close(ours)
            signal.alarm(int(patience) + 1)
            work(theirs)
            code = 0
        except BaseException as error:  # the parent is told whatever it is
            os.write(theirs, f"{type(error).__name__}: {error}".encode()[:4000])
        finally:
            os._exit(code)
    os.close(theirs)
    return ended(child, ours)


def ended(child: int, pipe: int) -> Outcome:
    """Wait for a fork, reading what it writes."""
    said = bytearray()
    while piece := os.read(pipe, 1 << 16):
        said += piece
    os.close(pipe)
    return Outcome(os.waitpid(child, 0)[1], bytes(said))
