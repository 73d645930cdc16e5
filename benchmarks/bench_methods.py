"""From examples to the ten best: what methods cost beside one SVM, and what more cores bring."""

from __future__ import annotations

import os
import random
from functools import partial
from typing import TYPE_CHECKING

from harness import Figure, Timing, peak_memory, stopwatch, take_turns
from likewise import Index
from problems import labelled
from rows import Row, at_most, needs_cores, times

if TYPE_CHECKING:
    from pathlib import Path

    from rows import Goal
    from workspace import Workspace

METHOD = (
    "index.like(ids of one arXiv category, method, k=10): learning, retrieval and titles; the time "
    "of all methods on the same examples, three categories of 1,000 or more abstracts. A ratio "
    "to ba of 0.25 is four times its time. Indexes without a latent space; a million: the 150,000 "
    "abstracts repeated under new ids. The first and the second answer: of an index that was just "
    "opened, whose files are in the system's memory, beside later ones. With more than two cores, "
    "likewise with all of them beside likewise with one. Memory: the high-water mark of a process "
    "that opens the million and answers once, mapped files included."
)
PACKAGES = ("likewise", "numpy")
SIZES, QUICK_SIZES = (1, 5, 20, 100, 300), (5, 20)
LARGE = 1000  # abstracts of a category, at least
CATEGORIES, ROUNDS, OPENED = 3, 3, 5
CORES = os.cpu_count() or 1
MILLION = {2: at_most(250), 16: at_most(80)}  # ms of auto, by cores
ANSWERING = """
from likewise import Index
Index.open(sys.argv[1]).like(sys.argv[3:], method=sys.argv[2], k=10)
"""


def rows(workspace: Workspace) -> list[Row]:
    quick = workspace.quick
    sets = {size: drawn(workspace.arxiv, size, quick) for size in QUICK_SIZES if quick} or {
        size: drawn(workspace.arxiv, size, quick) for size in SIZES
    }
    index = Index.open(workspace.arxiv_index)
    found = [row for size in sets for row in methods(index, sets[size], size, workspace)]
    largest, rounds = sets[max(sets)], workspace.rounds(ROUNDS)
    found += [
        scaling(workspace.arxiv_index, len(index), largest, method, rounds)
        for method in (("ba", "steady", "auto") if CORES > 2 else ("auto",))
    ]
    many = [["0/" + id for id in ids] for ids in sets[20]]
    return [*found, *at_scale(workspace, many)]


def drawn(source: Path, size: int, quick: bool) -> list[list[str]]:
    members: dict[str, list[str]] = {}
    for document in labelled(source):
        for category in document.cats:
            members.setdefault(category, []).append(document.id)
    least = 2 * size if quick else LARGE
    large = sorted(category for category, ids in members.items() if len(ids) >= least)
    draw = random.Random(size)
    chosen = draw.sample(large, min(1 if quick else CATEGORIES, len(large)))
    return [draw.sample(members[category], size) for category in chosen]


def measured(
    works: dict[str, tuple[Index, str]], sets: list[list[str]], rounds: int
) -> dict[str, Timing]:
    """The mean over the sets, round by round."""
    each = [
        take_turns(
            {name: partial(like, index, method, ids) for name, (index, method) in works.items()},
            rounds,
        )
        for ids in sets
    ]
    return {
        name: Timing(
            tuple(
                sum(one) / len(sets)
                for one in zip(*(timings[name].seconds for timings in each), strict=True)
            ),
            each[0][name].memory,
        )
        for name in works
    }


def like(index: Index, method: str, ids: list[str]) -> object:
    return index.like(ids, method=method, k=10)  # type: ignore[arg-type]


def methods(index: Index, sets: list[list[str]], size: int, workspace: Workspace) -> list[Row]:
    goals: dict[str, Goal | None] = {"auto": times(0.25), "steady": None, "1c": None}
    if size >= max(SIZES):
        goals["steady"] = times(0.67)
    works = {name: (index, name) for name in ("ba", *goals)}
    timings = measured(works, sets, workspace.rounds(ROUNDS))
    theirs = timings["ba"].scaled(1000)
    documents = f"{len(index):,} documents"
    return [
        Row(
            f"{name}, {size} example{'s' if size > 1 else ''}, {documents}",
            "ms",
            timings[name].scaled(1000),
            "likewise, ba",
            theirs,
            goal,
        )
        for name, goal in goals.items()
    ]


def scaling(path: Path, documents: int, sets: list[list[str]], method: str, rounds: int) -> Row:
    """All cores beside one; five times as fast is asked of auto on sixteen."""
    work = f"{method}, {len(sets[0])} examples, {documents:,} documents"
    goal, peer = times(5) if method == "auto" else None, "likewise, 1 thread"
    if CORES <= 2:
        return needs_cores(16, f"{work}, 16 threads", "ms", goal, peer)
    works = {str(n): (Index.open(path, threads=n), method) for n in (1, CORES)}
    timings = measured(works, sets, rounds)
    ours, alone = timings[str(CORES)].scaled(1000), timings["1"].scaled(1000)
    return Row(f"{work}, {CORES} threads", "ms", ours, peer, alone, goal if CORES >= 16 else None)


def at_scale(workspace: Workspace, sets: list[list[str]]) -> list[Row]:
    """A million documents: warm, and the first answer after opening."""
    path = workspace.million_index
    index = Index.open(path)
    works = {name: (index, name) for name in ("auto", "1c")}
    timings = measured(works, sets, workspace.rounds(ROUNDS))
    goals = {"auto": MILLION.get(CORES), "1c": at_most(20)}
    documents = f"{len(index):,} documents"
    found = [scaling(path, len(index), sets, "auto", workspace.rounds(ROUNDS))]
    found += [
        needs_cores(cores, f"auto, 20 examples, {documents}, {cores} cores", "ms", goal)
        for cores, goal in MILLION.items()
        if cores > CORES
    ]
    for name, timing in timings.items():
        work = f"{name}, 20 examples, {documents}, {CORES} cores"
        found.append(Row(work, "ms", timing.scaled(1000), goal=goals[name]))
        later = timing.scaled(1000)
        for which, taken in opened(path, name, (sets * OPENED)[: workspace.rounds(OPENED)]).items():
            work = f"{name}, 20 examples, {documents}, {which} answer"
            goal = times(0.33) if which == "first" else None
            found.append(Row(work, "ms", taken.scaled(1000), "a later one", later, goal))
        peak = peak_memory(ANSWERING, str(path), name, *sets[0]) / 1e6
        work = f"{name}, 20 examples, {documents}"
        found.append(Row(work, "MB of memory", Figure(peak, peak)))
    return found


def opened(path: Path, method: str, sets: list[list[str]]) -> dict[str, Timing]:
    """The first and the second answer of indexes that were just opened."""
    taken: dict[str, list[float]] = {"first": [], "second": []}
    for ids in sets:
        index = Index.open(path)
        for each in taken.values():
            each.append(stopwatch(partial(like, index, method, ids)))
    return {which: Timing(tuple(seconds)) for which, seconds in taken.items()}
