"""Writers that are killed with SIGKILL at any moment.

Afterwards the index and the review are as after the last change that was answered, or as after the
one under way; every checksum holds; and the next writer works and leaves no file lying about.
"""

from __future__ import annotations

import os
import random
import signal
import time
import traceback
from itertools import islice
from typing import TYPE_CHECKING

from likewise.store.manifest import read_manifest
from torture.changes import EMPTY, State, after, found, make, start, workload
from torture.trials import Clock, Tally

if TYPE_CHECKING:
    from pathlib import Path

AT_ONCE = 40  # changes that a writer makes unless it is killed


def run(folder: Path, seconds: float, seed: int) -> Tally:
    tally, rng, clock = Tally(), random.Random(seed), Clock(seconds)
    path, state, each = folder / "killed.idx", EMPTY, 1.0
    while clock():
        if state is EMPTY or len(state.texts) > 2000:
            path = folder / f"killed{seed}.idx"
            state = start(path)
        seed += 1
        before = time.monotonic()
        answered, whole = _killed(path, state, seed, rng.uniform(0, each))
        if whole:  # it was too late
            each = max(0.2, min(each, time.monotonic() - before))
        state = _check(tally, path, state, seed, answered)
        tally.count("writers killed at random moments")
        tally.count("changes answered before that, all there afterwards", answered)
        if tally.failures:
            break
    return tally


def _killed(path: Path, state: State, seed: int, moment: float) -> tuple[int, bool]:
    """How many changes were answered before the writer was killed, and whether it was done."""
    ours, theirs = os.pipe()
    child = os.fork()
    if not child:
        code = 1
        try:
            for change in islice(workload(seed, state), AT_ONCE):
                make(change, path)
                os.write(theirs, b".")
            code = 0
        except BaseException:  # a fork must not clean up what is the parent's
            traceback.print_exc()
        finally:
            os._exit(code)
    os.close(theirs)
    time.sleep(moment)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    answered = 0
    while piece := os.read(ours, 4096):
        answered += len(piece)
    os.close(ours)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status):
        raise RuntimeError(f"the writer of seed {seed} failed by itself")
    return answered, os.WIFEXITED(status)


def _check(tally: Tally, path: Path, state: State, seed: int, answered: int) -> State:
    changes = list(islice(workload(seed, state), answered + 1))
    for change in changes[:-1]:
        state = after(change, state)
    under_way = after(changes[-1], state)
    there = found(path)
    told = f"seed {seed} after {answered} changes, killed in {changes[-1].kind!r}"
    tally.require(there in (state, under_way), f"{told}: the index is neither as before nor after")
    _next_writer(tally, path, told)
    return there


def _next_writer(tally: Tally, path: Path, told: str) -> None:
    """It works, and what a killed one has left is gone."""
    from torture.changes import Change

    make(Change("merge"), path)
    manifest = read_manifest(path)
    lying = {f"segments/{file.name}" for file in (path / "segments").iterdir()}
    tally.require(lying == manifest.files, f"{told}: left over {sorted(lying - manifest.files)}")
