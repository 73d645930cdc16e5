"""The same work by as many processes as there are cores, each bound to one.

Nothing in it waits for anything else, so that many cores can gain no more on this machine.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

BOUND = """
import json, os, sys
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {int(sys.argv.pop(1))})
"""
WAIT = """
print("ready", flush=True)
sys.stdin.readline()
"""


def at_once(prepare: str, work: str, arguments: Sequence[Sequence[str]]) -> float:
    """Seconds until all have done their work, once all are prepared; a list of arguments each."""
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else range(1 << 10)
    script = BOUND + prepare + WAIT + work
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(core), *own],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for core, own in zip(cores, arguments, strict=False)
    ]
    for process in processes:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()
    began = time.perf_counter()
    for process in processes:
        process.stdin.write(b"\n")
        process.stdin.flush()
    codes = [process.wait() for process in processes]
    elapsed = time.perf_counter() - began
    if any(codes):
        raise RuntimeError(f"processes ended with {codes}")
    return elapsed
