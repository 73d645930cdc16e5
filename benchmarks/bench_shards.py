"""What an index in shards costs on one machine, beside the same documents in one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from harness import Figure, peak_memory, stopwatch, take_turns
from likewise import Index
from rows import Row, times

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Timing
    from workspace import Workspace

METHOD = (
    "The arXiv abstracts in 4 and in 16 shards, beside an index without shards (the peer), no "
    "latent space in either: making them from JSON lines (each once), opening them and the first "
    "search by words, a search, one pass of scores(w) and of weighted_sum(a) in double precision, "
    "SVM_ba from 20 examples. All with two threads; the same ids are found. Also: documents a "
    "second and core that a Dask cluster of two processes, started before, builds into 4 "
    "shards, joining them included, beside those of the local builder with two threads. Memory: "
    "the high-water mark of a process that makes the index."
)
PACKAGES = ("likewise", "numpy", "dask", "distributed")
ROUNDS = 15
BUILDS = 3
SHARDS = (4, 16)
WORDS = "graph neural network"
THREADS = 2
PEER = "no shards"
INDEXING = """
from likewise import Index
settings = json.loads(sys.argv[3])
Index.create(sys.argv[1], latent=0, **settings).add(sys.argv[2])
"""


def rows(workspace: Workspace) -> list[Row]:
    made: dict[str, Index] = {}
    seconds: dict[str, float] = {}
    for count in (None, *SHARDS):
        name = "one" if count is None else f"{count} shards"
        made[name], seconds[name] = build(workspace.fresh(f"{name}.idx"), workspace.arxiv, count)
    found = [
        Row(f"indexing, {name}", "s", once(seconds[name]), PEER, once(seconds["one"]))
        for name in made
        if name != "one"
    ]
    memory = {count: once(peak(workspace, count) / 1e6) for count in (None, *SHARDS)}
    found += [
        Row(f"indexing, {count} shards", "MB of memory", memory[count], PEER, memory[None])
        for count in SHARDS
    ]
    for work, timings in measured(made, workspace.rounds(ROUNDS)).items():
        for name, timing in timings.items():
            if name != "one":
                found.append(compared(work, name, timing, timings["one"]))
    return [*found, by_cluster(workspace)]


def by_cluster(workspace: Workspace) -> Row:
    """The same work by processes of a cluster and by threads, in turns."""
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=THREADS, threads_per_worker=1, dashboard_address="127.0.0.1:0"
    ) as cluster:

        def built(address: str | None) -> int:
            shards = None if address is None else SHARDS[0]
            path = workspace.fresh("built.idx")
            index = Index.create(path, latent=0, shards=shards, threads=THREADS)
            return index.add(workspace.arxiv, cluster=address).documents

        documents = built(cluster.scheduler_address)  # warm
        timings = take_turns(
            {
                "cluster": lambda: built(cluster.scheduler_address),
                "local": lambda: built(None),
            },
            workspace.rounds(BUILDS),
        )
    ours, theirs = (timings[name].rate(documents / THREADS) for name in ("cluster", "local"))
    work, unit = "building 4 shards by a cluster", "documents/s a core"
    return Row(work, unit, ours, "local builder", theirs, times(0.8), more=True)


def build(path: Path, source: Path, shards: int | None) -> tuple[Index, float]:
    index = Index.create(path, latent=0, shards=shards, threads=THREADS)
    return index, stopwatch(lambda: index.add(source))


def peak(workspace: Workspace, shards: int | None) -> int:
    settings = json.dumps({"shards": shards, "threads": THREADS})
    target = workspace.fresh("memory.idx")
    return peak_memory(INDEXING, str(target), str(workspace.arxiv), settings)


def measured(indexes: dict[str, Index], rounds: int) -> dict[str, dict[str, Timing]]:
    whole = indexes["one"]
    examples = [hit.id for hit in whole.search(WORDS, 20)]
    best = [hit.id for hit in whole.like(examples, method="ba", k=20)]
    corpora = {name: index.corpus("tfidf") for name, index in indexes.items()}
    documents, terms = corpora["one"].shape
    rng = np.random.default_rng(0)
    w, a = rng.normal(size=terms), rng.normal(size=documents)
    for index in indexes.values():
        assert [hit.id for hit in index.search(WORDS, 20)] == examples
        assert len({hit.id for hit in index.like(examples, method="ba", k=20)} & {*best}) >= 19
    works = {
        "opening and a first search": lambda name: Index.open(
            indexes[name].path, threads=THREADS
        ).search(WORDS),
        "a search by words": lambda name: indexes[name].search(WORDS),
        "a pass of scores": lambda name: corpora[name].scores(w),
        "a pass of weighted_sum": lambda name: corpora[name].weighted_sum(a),
        "20 examples by ba": lambda name: indexes[name].like(examples, method="ba"),
    }
    return {
        work: take_turns({name: lambda n=name, d=do: d(n) for name in indexes}, rounds)
        for work, do in works.items()
    }


def compared(work: str, name: str, ours: Timing, theirs: Timing) -> Row:
    return Row(f"{work}, {name}", "ms", ours.scaled(1000), PEER, theirs.scaled(1000))


def once(seconds: float) -> Figure:
    return Figure(seconds, seconds)
