"""Too little of something: memory, descriptors, disk, threads.

A change fails with an error and leaves the index as it was, or it works; a search fails with an
error or gives the right answer. Nothing crashes.
"""

from __future__ import annotations

import errno
import os
import random
import resource
from typing import TYPE_CHECKING

from likewise.errors import LikewiseError
from torture.changes import KINDS as CHANGES
from torture.changes import after, copy, found, make, start, workload
from torture.trials import Clock, Tally, in_child

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NOBODY = 65534  # limits on processes do not hold for root
KINDS = {
    "memory": (resource.RLIMIT_AS, lambda rng: (rng.randint(0, 300) << 20) + _taken()),
    "descriptors": (resource.RLIMIT_NOFILE, lambda rng: rng.randint(4, 24)),
    "disk": (resource.RLIMIT_FSIZE, lambda rng: rng.choice((0, 100, 5000, 50_000))),
    "threads": (resource.RLIMIT_NPROC, lambda rng: rng.randint(0, 2)),
}


def run(folder: Path, seconds: float, seed: int) -> Tally:
    tally, clock, rng = Tally(), Clock(seconds), random.Random(seed)
    base = folder / "base.idx"
    state = start(base)
    path = folder / "limited.idx"
    _import_everything(folder / "once.idx")
    while clock() and not tally.failures:
        seed += 1
        change = next(workload(seed, state))
        kind = rng.choice(list(KINDS))
        limit = KINDS[kind][1](rng)
        copy(base, path)
        if kind == "threads":
            _give_away(folder)
        outcome = in_child(_limited(kind, limit, lambda c=change: make(c, path)))
        told = f"seed {seed}: {change.kind} with {kind} limited to {limit:,}"
        tally.count(f"changes with too little {kind}, or just enough")
        tally.require(not outcome.signal and outcome.code == 0, f"{told}: {outcome}")
        there, wanted = found(path), (state, after(change, state))
        tally.require(there in wanted, f"{told}: neither as before nor after")
    return tally


def _limited(kind: str, limit: int, change: Callable[[], None]) -> Callable[[int], None]:
    def work(_: int) -> None:
        if kind == "threads" and os.getuid() == 0:
            os.setuid(NOBODY)
        resource.setrlimit(KINDS[kind][0], (limit, limit))
        try:
            change()
        except (LikewiseError, MemoryError):
            return
        except OSError as error:
            if error.errno not in (errno.ENOMEM, errno.EMFILE):
                raise

    return work


def _import_everything(path: Path) -> None:
    """Or another user, who may not read every module, would have to."""
    state = start(path)
    done: set[str] = set()
    for change in workload(0, state):
        make(change, path)
        done.add(change.kind)
        if len(done) == len(set(CHANGES)):
            return


def _give_away(folder: Path) -> None:
    if os.getuid() == 0:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, NOBODY, NOBODY)


def _taken() -> int:
    """The memory that this process has mapped, which a fork begins with."""
    with open("/proc/self/statm") as file:  # noqa: PTH123
        return int(file.read().split()[0]) * resource.getpagesize()
