"""Power failures: a writer is recorded, and its disk is laid out as it may be after each moment.

Whatever was not synced may be lost, torn or reordered (see disk.py). From the first answer on, the
index and the review must be as after the last change that was answered, or the one under way.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from itertools import islice
from pathlib import Path

from likewise.errors import LikewiseError
from torture.changes import State, after, found, make, start, workload
from torture.disk import MODES, Answer, Recorded, lay_out
from torture.trials import Clock, Tally, in_child

CHANGES = 25
HERE = Path(__file__).parent


def run(folder: Path, seconds: float, seed: int) -> Tally:
    tally, clock, rng = Tally(), Clock(seconds), random.Random(seed)
    library = folder / "recorder.so"
    compiler = os.environ.get("CC", "cc")
    command = [compiler, "-O1", "-shared", "-fPIC", "-o", str(library), str(HERE / "recorder.c")]
    subprocess.run([*command, "-ldl"], check=True)
    recorded = None
    while clock() and not tally.failures:
        if recorded is None or rng.random() < 0.01:
            seed += 1
            recorded, states = _recorded(folder, library, seed)
            tally.count("writers recorded, each of 25 changes")
        _fail(tally, folder, recorded, states, seed, rng)
    return tally


def _recorded(folder: Path, library: Path, seed: int) -> tuple[Recorded, list[State]]:
    root, log = folder / f"recorded{seed}", folder / f"log{seed}"
    root.mkdir()
    environment = {
        "LD_PRELOAD": str(library),
        "RECORD_BELOW": str(root),
        "RECORD_TO": str(log),
        "PYTHONPATH": os.pathsep.join([str(HERE.parent), *filter(None, sys.path)]),
    }
    subprocess.run(
        [sys.executable, "-m", "torture.torn", str(root), str(seed)],
        env=os.environ | environment,
        check=True,
    )
    recorded = Recorded.read(log, str(root / "answers"))
    shutil.rmtree(root)
    log.unlink()
    states = [start(folder / f"again{seed}.idx")]
    for change in islice(workload(seed, states[0]), CHANGES):
        states.append(after(change, states[-1]))
    shutil.rmtree(folder / f"again{seed}.idx")
    return recorded, states


def _fail(
    tally: Tally,
    folder: Path,
    recorded: Recorded,
    states: list[State],
    seed: int,
    rng: random.Random,
) -> None:
    at, mode = rng.randint(0, len(recorded.operations)), rng.choice(MODES)
    answered = sum(isinstance(each, Answer) for each in recorded.operations[:at])
    disk = folder / "disk"
    shutil.rmtree(disk, ignore_errors=True)
    disk.mkdir()
    drawn = random.Random(rng.random())
    files = recorded.after_failure(at, mode, drawn)
    lay_out(files, str(folder / f"recorded{seed}"), disk)
    expected = states[max(answered - 1, 0) : answered + 1]

    def look(_: int) -> None:
        try:
            there = found(disk / "torn.idx")
        except LikewiseError:
            if answered:
                raise
            return
        if answered and there not in expected:
            raise AssertionError("neither as before nor as after the change under way")

    told = f"seed {seed}, failure before operation {at} ({mode} of the rest is there)"
    outcome = in_child(look)
    tally.count("power failures")
    tally.require(outcome.code == 0, f"{told}, {answered} answered: {outcome}")


def _writer(root: Path, seed: int) -> None:
    if "TORTURE_WITHOUT_SYNC" in os.environ:  # to see that this trial can fail
        os.fsync = lambda _descriptor: None
    answers = os.open(root / "answers", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    path = root / "torn.idx"
    state = start(path)
    os.write(answers, b".")
    for change in islice(workload(seed, state), CHANGES):
        make(change, path)
        os.write(answers, b".")


if __name__ == "__main__":
    _writer(Path(sys.argv[1]), int(sys.argv[2]))
