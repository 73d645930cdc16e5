"""The same work by as many processes as there are cores, each bound to one.

Nothing in it waits for anything else, so that many cores can gain no more on this machine.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

BOUND = """
import json, os, sys
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {int(sys.argv.pop(1))})
"""
READY, GO = b"ready\n", b"go\n"
WAIT = f"""
print({READY.decode().strip()!r}, flush=True)
if sys.stdin.buffer.readline() != {GO!r}:
    sys.exit("nobody waits for it any more")
"""


def at_once(prepare: str, work: str, arguments: Sequence[Sequence[str]]) -> float:
    """Seconds until all have done their work, once all are prepared; a list of arguments each."""
    script = BOUND + prepare + WAIT + work
    with ExitStack() as stack:
        processes = [
            stack.enter_context(_started(script, core, own))
            for core, own in zip(_cores(), arguments, strict=False)
        ]
        stack.callback(lambda: [process.kill() for process in processes])  # those that are left
        for process in processes:
            if process.stdout is None or process.stdout.readline() != READY:
                raise RuntimeError(f"a process ended with {process.wait()} before its work")
        began = time.perf_counter()
        for process in processes:
            if process.stdin is not None:
                process.stdin.write(GO)
                process.stdin.flush()
        codes = [process.wait() for process in processes]
        elapsed = time.perf_counter() - began
        if any(codes):
            raise RuntimeError(f"processes ended with {codes}")
        return elapsed


def _started(script: str, core: int, arguments: Sequence[str]) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", script, str(core), *arguments]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def _cores() -> Iterable[int]:
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return range(os.cpu_count() or 1)
