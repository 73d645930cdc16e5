"""Kills writers of an index with SIGKILL and looks at what they leave. Run by test_store_crash.

    python store_killing.py DIRECTORY SEED KILLS

Each writer is a fork of this process that is killed before a certain line of likewise.store: first
before every line where files appear and disappear, then before lines chosen at random among all
that are run. Afterwards the index must be as it was before or as it was to become, every checksum
must hold, and the next writer must work and leave nothing lying about.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
from collections import Counter
from pathlib import Path

from likewise import store
from store_documents import add_texts, check_whole, counts_in, texts_in, words

STORE = str(Path(store.__file__).parent)
DELICATE = tuple(f"{STORE}/{name}.py" for name in ("disk", "transaction"))
IDS = [f"id{number}" for number in range(15)]


def main(directory, seed, kills):
    rng = random.Random(seed)
    directory.mkdir()
    kill_create(rng, directory / "created")
    base = directory / "base"
    model = prepare(rng, base)
    for make in (add, delete, merge):
        change, after = make(rng, model)
        for moment in delicate(rng, rehearse(base, change)):
            kill(base, change, moment, [model, after])
    for _ in range(kills):
        change, after = rng.choice([add, add, delete, merge])(rng, model)
        line, times = rng.choice(list(rehearse(base, change).items()))
        kill(base, change, (line, rng.randint(1, times)), [model, after])


def prepare(rng, base):
    """An index of some segments, with deletions."""
    store.create(base, {})
    model = {}
    for _ in range(3):
        change, model = add(rng, model)
        change(base)
    return model


def add(rng, model):
    """Something to do to an index, and what it makes of the documents in the model."""
    texts = {id: " ".join(rng.choices("abcdefghij", k=5)) for id in rng.sample(IDS, 6)}
    batches = [dict(list(texts.items())[i : i + 4]) for i in range(0, len(texts), 4)]
    memory = rng.choice([1, 1 << 28])
    after = {id: text for id, text in model.items() if id not in texts} | texts
    return lambda path: add_texts(path, *batches, on_duplicate="replace", memory=memory), after


def delete(rng, model):
    ids = rng.sample(sorted(model), 3)
    after = {id: text for id, text in model.items() if id not in ids}
    return lambda path: store.delete(path, ids, ignore_missing=True), after


def merge(rng, model):
    return store.merge, model


def kill(base, change, moment, allowed):
    """Kill a writer at this moment, look at the index, and do the same again to the end."""
    trial = base.with_name("trial")
    shutil.copytree(base, trial)
    run_in_fork(lambda: change(trial), moment)
    check(trial, allowed)
    change(trial)
    check(trial, allowed[-1:])
    check_whole(trial)
    shutil.rmtree(trial)


def kill_create(rng, directory):
    for moment in delicate(rng, rehearse(directory, create)):
        run_in_fork(lambda: create(directory), moment)
        if not (directory / "manifest.json").exists():
            create(directory)
        check(directory, [{}])
        shutil.rmtree(directory)


def create(directory):
    store.create(directory, {})


def rehearse(directory, change):
    """How often a change runs each line of the store, found out on a copy."""
    copy = directory.with_name("rehearsal")
    if directory.exists():
        shutil.copytree(directory, copy)
    counter = Lines()
    sys.settrace(counter.trace)
    try:
        change(copy)
    finally:
        sys.settrace(None)
        shutil.rmtree(copy)
    return counter.seen


def delicate(rng, lines):
    """Each line of the delicate files, and one of the times that it is run."""
    chosen = [(line, times) for line, times in lines.items() if line[0] in DELICATE]
    return [(line, rng.randint(1, times)) for line, times in chosen]


def run_in_fork(work, moment):
    """Run this in another process, which is killed at that moment."""
    pid = os.fork()
    if pid == 0:
        sys.settrace(Lines(moment).trace)
        work()
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL, "the writer was not killed"


class Lines:
    """Counts how often lines of the store are run; kills the process before one's n-th time."""

    def __init__(self, moment=None):
        self.seen = Counter()
        self.moment = moment

    def trace(self, frame, event, argument):
        return self.line if frame.f_code.co_filename.startswith(STORE) else None

    def line(self, frame, event, argument):
        line = (frame.f_code.co_filename, frame.f_lineno)
        self.seen[line] += 1
        if (line, self.seen[line]) == self.moment:
            os.kill(os.getpid(), signal.SIGKILL)
        return self.line


def check(directory, allowed):
    """The documents there must be one of those allowed, and their vectors must fit them."""
    found = texts_in(directory)
    assert found in allowed, f"{found} is none of {allowed}"
    assert counts_in(directory) == {id: words(text) for id, text in found.items()}
    store.Snapshot.open(directory).verify()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
