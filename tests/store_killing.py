"""Kills writers of an index with SIGKILL and looks at what they leave. Run by test_store_crash.

    python store_killing.py DIRECTORY SEED KILLS

Each writer is a fork of this process that is killed before a line of likewise.store chosen at
random among those that it would run, every second time one where files appear and disappear.
Afterwards the index must be as it was before or as it was to become, every checksum must hold,
and the next writer must work.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
from itertools import count
from pathlib import Path

from likewise import store
from store_documents import add_texts, check_whole, counts_in, texts_in, words

DELICATE = ("disk.py", "transaction.py", "manifest.py")
STORE = str(Path(store.__file__).parent)


def main(directory, seed, kills):
    rng = random.Random(seed)
    numbers = count()
    store.create(directory, {})
    model, killed = {}, 0
    while killed < kills:
        change, after = random_change(rng, model, numbers)
        lines = rehearse(directory, change)
        delicate = [number for number, file in lines if file in DELICATE]
        number = rng.choice(delicate) if rng.random() < 0.5 else rng.choice(lines)[0]
        if run_in_fork(lambda change=change: change(directory), die_at=number):
            killed += 1
        model = check(directory, [model, after])
        if rng.random() < 0.5:
            change, model = random_change(rng, model, numbers)
            change(directory)
            check(directory, [model])
            check_whole(directory)  # which includes that nothing is left lying about
    print(f"{killed} writers killed")


def random_change(rng, model, numbers):
    """Something to do to an index, and what it makes of the documents in the model."""
    kind = rng.choice(["add", "add", "add", "delete", "merge"])
    if kind == "add":
        old = rng.sample(sorted(model), min(len(model), 2))
        ids = [*old, *(f"new{next(numbers)}" for _ in range(6))]
        texts = {id: " ".join(rng.choices("abcdefghij", k=5)) for id in ids}
        batches = [dict(list(texts.items())[i : i + 3]) for i in range(0, len(texts), 3)]
        memory = rng.choice([1, 1 << 28])
        options = {"on_duplicate": "replace", "memory": memory}
        after = {id: text for id, text in model.items() if id not in texts} | texts
        return (lambda directory: add_texts(directory, *batches, **options)), after
    if kind == "delete":
        ids = rng.sample(sorted(model), min(len(model), 3))
        after = {id: text for id, text in model.items() if id not in ids}
        return (lambda directory: store.delete(directory, ids)), after
    return store.merge, model


def rehearse(directory, change):
    """The lines of the store that the change runs, found out on a copy: (number, file)."""
    copy = directory.with_name("rehearsal")
    shutil.copytree(directory, copy)
    counter = Lines()
    sys.settrace(counter.trace)
    try:
        change(copy)
    finally:
        sys.settrace(None)
        shutil.rmtree(copy)
    return list(enumerate(counter.files, start=1))


def run_in_fork(work, die_at):
    """Whether the fork was killed before it was done."""
    pid = os.fork()
    if pid == 0:
        sys.settrace(Lines(die_at).trace)
        work()
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status):
        return os.WTERMSIG(status) == signal.SIGKILL
    assert os.waitstatus_to_exitcode(status) == 0, "the writer failed by itself"
    return False


class Lines:
    """Counts the lines of the store that are run, and kills the process before one of them."""

    def __init__(self, die_at=0):
        self.files = []
        self.die_at = die_at

    def trace(self, frame, event, argument):
        return self.line if frame.f_code.co_filename.startswith(STORE) else None

    def line(self, frame, event, argument):
        self.files.append(Path(frame.f_code.co_filename).name)
        if len(self.files) == self.die_at:
            os.kill(os.getpid(), signal.SIGKILL)
        return self.line


def check(directory, allowed):
    """The documents there, which must be one of those allowed."""
    found = texts_in(directory)
    assert found in allowed, f"{found} is none of {allowed}"
    assert counts_in(directory) == {id: words(text) for id, text in found.items()}
    store.Snapshot.open(directory).verify()
    return found


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
