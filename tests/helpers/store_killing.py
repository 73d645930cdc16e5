"""Kills writers of an index with SIGKILL and looks at what they leave. Run by test_store_crash.

    python store_killing.py DIRECTORY SEED KILLS

Each writer is a fork of this process that is killed before a certain line of likewise.store: first
before every line at which the files are not what they were a line earlier, since what else there
was is gone with the process; then before lines chosen at random, of other changes. Afterwards the
index must be as it was before or as it was to become, every checksum must hold, and the next
writer must work and leave nothing lying about.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
from collections import Counter
from pathlib import Path

from helpers.store_documents import PLAIN, add_texts, check_whole, counts_in, texts_in, words
from likewise import store
from likewise.store.upgrading import upgrade

STORE = str(Path(store.__file__).parent)
DATA = Path(__file__).parents[1] / "data"
IDS = [f"id{number}" for number in range(15)]
EIGHTH = {"eighth": "a c"}


def main(directory, seed, kills):
    rng = random.Random(seed)
    directory.mkdir()
    kill_first_writers(rng, directory / "created")
    base = directory / "base"
    model = prepare(rng, base)
    for make in (add, delete, merge, reindex):
        change, after = make(rng, model)
        for moment in changing(base, change):
            kill(base, change, moment, [model, after])
    kill_small_additions(directory / "small")
    kill_upgrades(directory / "old")
    for _ in range(kills):
        change, after = rng.choice([add, add, delete, merge, reindex])(rng, model)
        lines = rehearse(base, change, Lines())
        line, times = rng.choice(list(lines.seen.items()))
        kill(base, change, (line, rng.randint(1, times)), [model, after])


def kill_small_additions(base):
    """The eighth small addition merges all of them, in the same step."""
    store.create(base, {})
    texts = {f"small{number}": f"a b{number}" for number in range(7)}
    for id, text in texts.items():
        add_texts(base, {id: text})
    for moment in changing(base, eighth):
        kill(base, eighth, moment, [texts, texts | EIGHTH])
    assert len(store.Snapshot.open(base).segments) == 7


def kill_upgrades(base):
    """The index is of the old format or of the new one, and holds the same."""
    shutil.copytree(DATA / "specimen-v2-views.idx", base)
    texts, counts = texts_in(base), counts_in(base)
    for moment in changing(base, upgrade):
        trial = base.with_name("trial")
        shutil.copytree(base, trial)
        run_in_fork(lambda trial=trial: upgrade(trial), moment)
        store.Snapshot.open(trial).verify()
        assert (texts_in(trial), counts_in(trial)) == (texts, counts)
        upgrade(trial)
        assert (texts_in(trial), counts_in(trial)) == (texts, counts)
        check_whole(trial)
        shutil.rmtree(trial)


def eighth(path):
    add_texts(path, EIGHTH, on_duplicate="replace")


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


def reindex(rng, model):
    memory = rng.choice([1, 1 << 28])
    return lambda path: store.reindex(path, PLAIN, memory=memory), model


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


def kill_first_writers(rng, directory):
    """Who makes an index and is killed can do just the same again, until there is something."""
    fill, texts = add(rng, {})

    def make(path):
        store.create(path, {})
        fill(path)

    for moment in changing(directory, make):
        run_in_fork(lambda: make(directory), moment)
        if (directory / "manifest.json").exists():
            check(directory, [{}, texts])
        if not (directory / "manifest.json").exists() or not texts_in(directory):
            make(directory)
        check(directory, [texts])
        check_whole(directory)
        shutil.rmtree(directory)


def changing(directory, change):
    """The moments at which the files are not what they were a line earlier."""
    return rehearse(directory, change, Watch(rehearsal(directory))).moments


def rehearse(directory, change, lines):
    """Run a change on a copy and have its lines looked at."""
    copy = rehearsal(directory)
    if directory.exists():
        shutil.copytree(directory, copy)
    sys.settrace(lines.trace)
    try:
        change(copy)
    finally:
        sys.settrace(None)
        shutil.rmtree(copy)
    return lines


def rehearsal(directory):
    return directory.with_name("rehearsal")


def run_in_fork(work, moment):
    """Run this in another process, which is killed at that moment."""
    pid = os.fork()
    if pid == 0:
        sys.settrace(Death(moment).trace)
        work()
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL, "the writer was not killed"


class Lines:
    """Counts how often lines of the store are run."""

    def __init__(self):
        self.seen = Counter()

    def trace(self, frame, event, argument):
        return self.line if frame.f_code.co_filename.startswith(STORE) else None

    def line(self, frame, event, argument):
        line = (frame.f_code.co_filename, frame.f_lineno)
        self.seen[line] += 1
        self.reach((line, self.seen[line]))
        return self.line

    def reach(self, moment):
        """Nothing happens."""


class Watch(Lines):
    """Collects moments: a line and the n-th time it is run."""

    def __init__(self, directory):
        super().__init__()
        self.moments = []
        self._folders = [str(directory), str(directory / "segments")]
        self._files = None

    def reach(self, moment):
        files = [file for folder in self._folders for file in files_in(folder)]
        if files != self._files:
            self._files = files
            self.moments.append(moment)


class Death(Lines):
    def __init__(self, moment):
        super().__init__()
        self._moment = moment

    def reach(self, moment):
        if moment == self._moment:
            os.kill(os.getpid(), signal.SIGKILL)


def files_in(folder):
    """Which files there are, and how long: no file of an index is ever written over."""
    try:
        with os.scandir(folder) as entries:
            return sorted((entry.name, entry.inode(), entry.stat().st_size) for entry in entries)
    except FileNotFoundError:
        return []


def check(directory, allowed):
    """The documents there must be one of those allowed, and their vectors must fit them."""
    found = texts_in(directory)
    assert found in allowed, f"{found} is none of {allowed}"
    assert counts_in(directory) == {id: words(text) for id, text in found.items()}
    store.Snapshot.open(directory).verify()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
