"""What a cluster costs over the local engine, and what a larger one would take by the model."""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cluster_costs import Counts, calls, counted, of_workers, tasks
from harness import Figure, Timing, take_turns
from likewise import Index
from likewise.engines.cluster import model
from likewise.engines.cluster.collection import at
from likewise.engines.local.corpus import LocalCorpus
from rows import Goal, Row, at_most

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from workspace import Workspace

METHOD = (
    "A million abstracts (150,000 repeated under new ids) in four shards, on a Dask cluster of "
    "four processes on this machine, beside the local engine with two threads and the same "
    "solvers, by passes (the peer). Warm. Bytes a pass: what Dask's workers counted as sent in a "
    "pass of scores and one of sums, and twice the query on its way to the first worker, as a "
    "share of 2 × terms × 8 × workers. Below: what the calculator of docs/cluster.md predicts, "
    "first for this machine, to compare with what was measured, then for clusters of 10 Gbit/s and "
    "0.2 ms there and back, by the constants measured here: those of calls and tasks are processor "
    "time of the process that has program and scheduler in it, and of workers (begin, answer), in "
    "calls to 1, 2 and 4 workers and graphs of 1, 4 and 16 tasks that do nothing. Passes and trips "
    "are counted. Indexing: processor time of workers without latent space, beside that of as many "
    "processes that index a part each at the same time, by one thread; all have imported likewise."
)
PACKAGES = ("likewise", "numpy", "dask", "distributed")
ROUNDS, BUILDS = 7, 3
PROCESSES, CORES = 4, 2
WORDS = "graph neural network"
PEER = "local, by passes"
OVERHEAD = Goal("ratio", "at least", 1 / 1.5)
THROUGHPUT = Goal("ratio", "at least", 0.8)
BUILDER = """
import sys, time
from likewise import Index
from likewise.store import shard_tasks
print("ready", flush=True)
sys.stdin.readline()
began = time.process_time()
Index.create(sys.argv[1], latent=0, threads=1).add(sys.argv[2])
print(time.process_time() - began)
"""
KNOWN = {
    "a search by words": model.SEARCH,
    "20 examples by ba": model.BA,
    "20 examples by auto": model.AUTO,
}
NETWORK = {"latency", "bandwidth"}


def rows(workspace: Workspace) -> list[Row]:
    path = workspace.fresh("cluster.idx")
    source = workspace.repeated(6_000 if workspace.quick else 1_000_000)
    Index.create(path, latent=0, titles=False, shards=PROCESSES, threads=CORES).add(source)
    source.unlink()
    with by_passes():
        found = measured(path, workspace.rounds(ROUNDS))
    return [*found, building(workspace, workspace.rounds(BUILDS))]


def measured(path: Path, rounds: int) -> list[Row]:
    one = Index.open(path, threads=CORES)
    many = Index.open(path, engine="cluster", address=f"local:{PROCESSES}")
    examples = [hit.id for hit in one.search(WORDS, 20)]
    assert [hit.id for hit in many.search(WORDS, 20)] == examples
    best = {hit.id for hit in one.like(examples, method="ba", k=20)}
    assert len({hit.id for hit in many.like(examples, method="ba", k=20)} & best) >= 19
    works = {
        "a search by words": lambda index: index.search(WORDS),
        "20 examples by ba": lambda index: index.like(examples, method="ba"),
        "20 examples by auto": lambda index: index.like(examples),
    }
    goals = {"20 examples by ba": OVERHEAD, "20 examples by auto": OVERHEAD}
    timings = {
        work: take_turns({"cluster": lambda d=do: d(many), PEER: lambda d=do: d(one)}, rounds)
        for work, do in works.items()
    }
    found = [
        Row(work, "ms", timing["cluster"].scaled(1000), PEER, timing[PEER].scaled(1000),
            goals.get(work))
        for work, timing in timings.items()
    ]  # fmt: skip
    return [*found, *of_passes(one, many, rounds), *predicted(one, many, works, timings, rounds)]


def building(workspace: Workspace, rounds: int) -> Row:
    """The processor time of workers, beside that of as many local builders at the same time."""
    engine = at(f"local:{PROCESSES}")
    address = engine.cluster.client.scheduler.address
    parts = workspace.divided(workspace.arxiv, PROCESSES)
    here, there = [], []
    for _ in range(rounds + 1):  # workers import likewise in the first, which is left out
        here.append(at_once(parts, [workspace.fresh(f"part{i}.idx") for i in range(PROCESSES)]))
        many = Index.create(workspace.fresh("built.idx"), latent=0, shards=PROCESSES)
        before = of_workers(engine.cluster)
        many.add(workspace.arxiv, cluster=address)
        there.append(of_workers(engine.cluster) - before)
    ours, theirs = Timing(tuple(there[1:])), Timing(tuple(here[1:]))
    work = f"indexing, {len(many) // PROCESSES:,} documents a shard, processor time"
    peer = f"{PROCESSES} local builders at once"
    return Row(work, "s", ours.scaled(1), peer, theirs.scaled(1), THROUGHPUT)


def at_once(sources: list[Path], targets: list[Path]) -> float:
    """The processor time of builders of one thread each, which begin together."""
    running = [
        subprocess.Popen([sys.executable, "-c", BUILDER, target, source], stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE, text=True)
        for source, target in zip(sources, targets, strict=True)
    ]  # fmt: skip
    for process in running:
        process.stdout.readline()  # it has imported likewise
    for process in running:
        process.stdin.write("\n")
        process.stdin.flush()
    return sum(float(process.communicate()[0]) for process in running)


def of_passes(one: Index, many: Index, rounds: int) -> list[Row]:
    corpora: dict[str, Any] = {"cluster": many.corpus("tfidf"), PEER: one.corpus("tfidf")}
    w, a = vectors(corpora)
    found = []
    for work, do in passes(corpora, w, a).items():
        timing = take_turns({name: lambda n=name, d=do: d(n) for name in corpora}, rounds)
        ours, theirs = timing["cluster"].scaled(1000), timing[PEER].scaled(1000)
        found.append(Row(work, "ms", ours, PEER, theirs))
    terms = corpora["cluster"].shape[1]
    before = sent(many)
    for do in passes(corpora, w, a).values():
        do("cluster")
    counted = sent(many) - before + 2 * 8 * terms
    share = counted / (2 * 8 * terms * PROCESSES)
    found.append(
        Row("bytes a pass, of what is allowed", "share", Figure(share, share), goal=at_most(1.2))
    )
    return found


def vectors(corpora: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    rng = np.random.default_rng(0)
    documents, terms = corpora[PEER].shape
    w, a = rng.normal(size=terms), rng.normal(size=documents)
    given = [{name: c.arrays.vector(each) for name, c in corpora.items()} for each in (w, a)]
    for name, corpus in corpora.items():  # the first time, it is brought to the workers
        corpus.arrays.host(corpus.weighted_sum(given[1][name]))
    return given[0], given[1]


def passes(corpora: dict[str, Any], w: dict[str, Any], a: dict[str, Any]) -> dict[str, Any]:
    def scores(name: str) -> float:
        corpus = corpora[name]
        return float(corpus.arrays.xp.max(corpus.scores(w[name])))

    def sums(name: str) -> Any:
        corpus = corpora[name]
        return corpus.arrays.host(corpus.weighted_sum(a[name]))

    return {"a pass of scores, and the highest": scores, "a pass of weighted_sum": sums}


def sent(index: Index) -> int:
    """Bytes that workers have sent to each other and to the scheduler."""
    client = index.searcher._engine.cluster.client
    return sum(client.run(_outgoing).values())


def _outgoing(dask_worker: Any) -> int:
    return int(dask_worker.transfer_outgoing_bytes_total)


def constants(one: Index, many: Index, searched: float, rounds: int) -> model.Constants:
    """Of a core, of this process, which has the scheduler in it, and of workers."""
    corpus, entries = one.corpus("tfidf"), one.searcher.entries
    w, a = np.ones(corpus.shape[1]), np.ones(corpus.shape[0])
    both = take_turns({"pass": lambda: (corpus.scores(w), corpus.weighted_sum(a))}, rounds)["pass"]
    steps = take_turns({"step": lambda: np.maximum(a, 0.5)}, rounds)["step"]
    cluster = many.searcher._engine.cluster
    called, sent = calls(cluster, 20 * rounds), tasks(cluster, 10 * rounds)
    return model.Constants(
        entry=CORES * both.best / 2 / entries,
        step=CORES * steps.best / len(a),
        word=CORES * searched / len(a),
        trip=called.start,
        call=called.each,
        answer=called.theirs,
        graph=sent.start,
        task=sent.each,
        begin=sent.theirs,
        latency=0.0,
    )


def predicted(
    one: Index, many: Index, works: dict[str, Any], timings: dict[str, dict[str, Timing]],
    rounds: int,
) -> list[Row]:  # fmt: skip
    each = one.searcher.entries / len(one)
    known = constants(one, many, timings["a search by words"][PEER].best, rounds)
    here = model.Size(len(one), PROCESSES, one.manifest.terms, each, CORES)
    taken = {work: work_of(work, counted(lambda d=do: d(many))) for work, do in works.items()}
    for work, asked in taken.items():
        if not asked.words:
            taken[work] = replace(asked, own=own(asked, here, known, timings[work][PEER].best))
    found = []
    for work, asked in taken.items():
        seconds = 1000 * model.seconds(asked, here, known)
        actual = timings[work]["cluster"].scaled(1000)
        found.append(
            Row(f"{work}, by the model", "ms", Figure(seconds, seconds), "measured", actual)
        )
        found.append(_figure(f"{work}: passes", "times", asked.passes))
        found.append(_figure(f"{work}: trips", "times", asked.trips))
        found.append(_figure(f"{work}: the program itself", "ms", 1000 * asked.own))
    for field in fields(known):
        if field.name not in NETWORK:
            label = f"constant of the model: {field.name}"
            found.append(_figure(label, "ns", 1e9 * getattr(known, field.name)))
    far = replace(known, latency=model.Constants.latency)
    given = {"constants": far, "entries": each, "works": tuple(taken.values())}
    for documents, workers, seconds_of in model.table(**given):
        for work, value in zip(works, seconds_of, strict=True):
            label = f"{work}, {documents:,} documents on {workers} workers, by the model"
            found.append(_figure(label, "s", value))
    return found


def work_of(name: str, found: Counts) -> model.Work:
    """With the steps over vectors that the calculator knows of."""
    known = KNOWN[name]
    return replace(known, passes=found.passes, trips=max(found.trips - found.passes, 0))


def own(work: model.Work, here: model.Size, known: model.Constants, locally: float) -> float:
    """What the program does itself: what the local engine takes beside its passes and steps."""
    share = here.documents / here.at_once
    return max(
        locally - share * (work.passes * here.entries * known.entry + work.steps * known.step), 0.0
    )


def _figure(label: str, unit: str, value: float) -> Row:
    return Row(label, unit, Figure(value, value))


@contextmanager
def by_passes() -> Iterator[None]:
    """The local engine without visits to rows, as engines of several machines have none."""
    kept = LocalCorpus.has_rows
    LocalCorpus.has_rows = False
    try:
        yield
    finally:
        LocalCorpus.has_rows = kept
