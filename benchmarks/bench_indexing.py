"""From JSON lines to a finished index: beside peers, on one core and on all."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import time
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

import peers
from at_once import at_once
from harness import Figure, Timing, peak_memory, take_turns
from likewise import Index
from likewise.search.open_index import cores
from rows import Row, at_most, needs_cores, times
from workspace import size_on_disk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from workspace import Workspace

METHOD = (
    "JSON lines in the page cache to a finished index on disk, MB of input a second, on all cores. "
    "All defaults: words, parts of titles and a latent space of 128 dimensions; without latent "
    "space: Index.create(latent=0), which does about what the peers do. tantivy: one writer thread "
    "beside the thread that decodes and adds; bm25s: PyStemmer, index saved; scikit-learn: "
    "TfidfVectorizer().fit_transform, in memory and without stemming. All decode with msgspec. "
    "One core: threads=1 and the process bound to one core. Each core an index of its own: as many "
    "processes as there are cores, each bound to one, index the same file at once, all of them "
    "together, after the turns of the others; nothing waits for anything else there, so beside one "
    "core it is about what further cores can gain on this machine. Processor time: what the thread "
    "that adds takes of it where sixteen are asked for, beside that of all; it goes on alone, so "
    "the ratio is the most that further cores can gain. Parts of titles: what of the time without "
    "latent space goes away with Index.create(titles=False). Memory: the high-water mark of a "
    "process of its own. Peers that are not installed are left out."
)
PACKAGES = ("likewise", "tantivy", "scikit-learn", "bm25s")
PEERS = {"tantivy": "tantivy", "scikit-learn": "sklearn", "bm25s": "bm25s"}  # and their modules
BARE, WHOLE, PLAIN = "without latent space", "all defaults", "without titles"
OPTIONS: dict[str, dict[str, object]] = {
    BARE: {"latent": 0},
    WHOLE: {},
    PLAIN: {"latent": 0, "titles": False},
}
GOALS = {
    BARE: {"tantivy": times(5), "scikit-learn": times(8), "bm25s": None},
    WHOLE: {"tantivy": times(2)},
}
MANY_CORES, SCALING = 16, times(6)
MANY: dict[str, object] = {"threads": MANY_CORES}
ROUNDS = {"20 Newsgroups": 5, "arXiv abstracts": 3}
INDEXING = """
import shutil
from likewise import Index
def index(target, source, options):
    Index.create(target, **json.loads(options)).add(source)
"""
INDEX = "index(*sys.argv[1:])"
WARM_UP = "index(*sys.argv[1:]); shutil.rmtree(sys.argv[1])"


def rows(workspace: Workspace) -> list[Row]:
    collections = {"20 Newsgroups": workspace.news, "arXiv abstracts": workspace.arxiv}
    return [row for name, source in collections.items() for row in compare(workspace, name, source)]


def compare(workspace: Workspace, name: str, source: Path) -> Iterator[Row]:
    targets: dict[str, Path] = {}

    def ours(options: dict[str, object], target: Path) -> None:
        Index.create(target, **options).add(source)  # type: ignore[arg-type]

    work: dict[str, Callable[[Path], object]] = {
        what: partial(ours, options) for what, options in OPTIONS.items()
    }
    for what in (BARE, WHOLE):
        work[f"{what}, one core"] = partial(on_one_core, partial(ours, OPTIONS[what]))
    work |= {peer: theirs for peer, theirs in peers_of(source).items() if is_there(peer)}
    for number, what in enumerate(work):
        targets[what] = workspace.directory / f"indexing-{number}"
    source.read_bytes()
    timings = take_turns(
        {what: partial(one, targets[what]) for what, one in work.items()},
        workspace.rounds(ROUNDS[name]),
        before=lambda what: clear(workspace, targets[what]),
        warm_up=False,
    )
    megabytes = source.stat().st_size / 1e6
    speeds = {what: timing.rate(megabytes) for what, timing in timings.items()}
    for what, goals in GOALS.items():
        for peer, goal in goals.items():
            if peer in speeds:
                work_of = f"{name}, {what}"
                yield Row(work_of, "MB/s", speeds[what], peer, speeds[peer], goal, more=True)
        alone = speeds[f"{what}, one core"]
        goal = SCALING if cores() >= MANY_CORES else None
        work_of = f"{name}, {what}, {cores()} cores"
        yield Row(work_of, "MB/s", speeds[what], "itself on one core", alone, goal, more=True)
        apart = each_its_own(workspace, source, OPTIONS[what], workspace.rounds(ROUNDS[name]))
        peer = "each core an index of its own"
        yield Row(work_of, "MB/s", speeds[what], peer, apart, more=True)
        if goal is None:
            larger = f"{name}, {what}, {MANY_CORES} cores"
            yield needs_cores(MANY_CORES, larger, "MB/s", SCALING, "itself on one core")
        yield calling_thread(f"{name}, {what}", partial(ours, OPTIONS[what] | MANY), workspace)
        yield Row(f"{name}, {what}", "MB of memory", fixed(memory(workspace, source, what) / 1e6))
    with_titles, without = timings[BARE], timings[PLAIN]
    share = Figure(
        100 * (1 - without.median / with_titles.median), 100 * (1 - without.best / with_titles.best)
    )
    yield Row(f"{name}, parts of titles", "% of the time", share, goal=at_most(10))
    yield from sizes(name, megabytes, {what: size_on_disk(path) for what, path in targets.items()})


def each_its_own(
    workspace: Workspace, source: Path, options: dict[str, object], rounds: int
) -> Figure:
    """Megabytes a second of all cores together, each of which makes an index for itself."""
    targets = [workspace.directory / f"indexing-apart-{number}" for number in range(cores())]
    given = json.dumps(options | {"threads": 1})
    each = [[str(target), str(source), given] for target in targets]
    seconds = []
    for _ in range(rounds):
        seconds.append(at_once(f"{INDEXING}\n{WARM_UP}", INDEX, each))
        for target in targets:
            clear(workspace, target)
    return Timing(tuple(seconds)).rate(len(targets) * source.stat().st_size / 1e6)


def calling_thread(work: str, index: Callable[[Path], object], workspace: Workspace) -> Row:
    """How much of all processor time one thread takes, however many help it."""
    target = workspace.fresh("indexing-alone")
    alone, everything = time.thread_time(), time.process_time()
    index(target)
    alone, everything = time.thread_time() - alone, time.process_time() - everything
    workspace.fresh("indexing-alone")
    return Row(f"{work}, processor time", "s", fixed(alone), "all threads", fixed(everything))


def sizes(name: str, megabytes: float, found: dict[str, int]) -> Iterator[Row]:
    work, ours = f"{name}, {BARE}, size on disk", fixed(found[BARE] / 1e6)
    yield Row(work, "MB", ours, "the JSON lines", fixed(megabytes))
    for peer, said in (("tantivy", "tantivy"), ("bm25s", "bm25s, without the documents")):
        if peer in found:
            yield Row(work, "MB", ours, said, fixed(found[peer] / 1e6))


def peers_of(source: Path) -> dict[str, Callable[[Path], object]]:
    return {
        "tantivy": lambda target: peers.tantivy_index(source, target),
        "scikit-learn": lambda target: peers.sklearn_matrix(source),
        "bm25s": lambda target: peers.bm25s_index(source).save(target),
    }


def is_there(peer: str) -> bool:
    found = importlib.util.find_spec(PEERS[peer]) is not None
    if not found:
        print(f"{peer} is not installed: its rows are left out", file=sys.stderr)
    return found


def on_one_core(work: Callable[[Path], object], target: Path) -> None:
    with one_core():
        work(target)


@contextmanager
def one_core() -> Iterator[None]:
    """Bind this thread, and those that it starts, to one core, where the system can."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    every = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(every)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, every)


def memory(workspace: Workspace, source: Path, what: str) -> int:
    target = workspace.fresh("indexing-memory")
    return peak_memory(f"{INDEXING}\n{INDEX}", str(target), str(source), json.dumps(OPTIONS[what]))


def clear(workspace: Workspace, target: Path) -> None:
    """Remove the index of the last round, and write out what is still to be written."""
    workspace.fresh(target.name)
    os.sync()


def fixed(value: float) -> Figure:
    return Figure(value, value)
