"""What a cluster costs over the local engine, and what a larger one would take by the model."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from harness import Figure, Timing, take_turns
from likewise import Index
from likewise.engines.cluster import model
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
    "first for this machine, to compare with what was measured, then for clusters of 10 Gbit/s by "
    "the constants measured here."
)
PACKAGES = ("likewise", "numpy", "dask", "distributed")
ROUNDS = 7
PROCESSES, CORES = 4, 2
WORDS = "graph neural network"
PEER = "local, by passes"
OVERHEAD = Goal("ratio", "at least", 1 / 1.5)


def rows(workspace: Workspace) -> list[Row]:
    path = workspace.fresh("cluster.idx")
    source = workspace.repeated(6_000 if workspace.quick else 1_000_000)
    Index.create(path, latent=0, titles=False, shards=PROCESSES, threads=CORES).add(source)
    source.unlink()
    with by_passes():
        return measured(path, workspace.rounds(ROUNDS))


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
    return [*found, *of_passes(one, many, rounds), *predicted(one, many, timings, rounds)]


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


def constants(one: Index, many: Index, rounds: int) -> model.Constants:
    """Of a core and of a round trip, on this machine."""
    corpus, entries = one.corpus("tfidf"), one.searcher.entries
    w, a = np.ones(corpus.shape[1]), np.ones(corpus.shape[0])
    both = take_turns({"pass": lambda: (corpus.scores(w), corpus.weighted_sum(a))}, rounds)["pass"]
    steps = take_turns({"step": lambda: np.maximum(a, 0.5)}, rounds)["step"]
    there: Any = many.corpus("tfidf")
    look = take_turns({"trip": lambda: there.exact(np.array([0]), _one_term())}, 3 * rounds)["trip"]
    every = take_turns({"trip": lambda: there.top(_one_term(), 1)}, 3 * rounds)["trip"]
    call = max(every.best - look.best, 0.0) / max(PROCESSES - 1, 1)
    highest = there.arrays.xp.max
    kept = take_turns({"pass": lambda: float(highest(there.scores(_one_term())))}, rounds)["pass"]
    return model.Constants(
        entry=CORES * both.best / 2 / entries,
        step=CORES * steps.best / len(a),
        trip=max(look.best - call, 0.0),
        call=call,
        task=max(kept.best - every.best, 0.0) / PROCESSES,
    )


def _one_term() -> Any:
    from likewise.corpus import SparseVector

    return SparseVector(np.array([0], np.int32), np.array([1.0]))


def predicted(
    one: Index, many: Index, timings: dict[str, dict[str, Timing]], rounds: int
) -> list[Row]:
    found, each = [], one.searcher.entries / len(one)
    known = constants(one, many, rounds)
    here = model.Size(len(one), PROCESSES, one.manifest.terms, each, CORES)
    works = {"a search by words": model.SEARCH, "20 examples by auto": model.AUTO,
             "20 examples by ba": model.BA}  # fmt: skip
    for work, asked in works.items():
        seconds = 1000 * model.seconds(asked, here, known)
        actual = timings[work]["cluster"].scaled(1000)
        found.append(
            Row(f"{work}, by the model", "ms", Figure(seconds, seconds), "measured", actual)
        )
    for name in ("entry", "step", "trip", "call", "task"):
        value = 1e9 * getattr(known, name)
        found.append(Row(f"constant of the model: {name}", "ns", Figure(value, value)))
    for documents, workers, *seconds in model.table(constants=known, entries=each):
        for work, value in zip(works, (seconds[0], seconds[1], seconds[2]), strict=True):
            label = f"{work}, {documents:,} documents on {workers} workers, by the model"
            found.append(Row(label, "s", Figure(value, value)))
    return found


@contextmanager
def by_passes() -> Iterator[None]:
    """The local engine without visits to rows, as engines of several machines have none."""
    kept = LocalCorpus.has_rows
    LocalCorpus.has_rows = False
    try:
        yield
    finally:
        LocalCorpus.has_rows = kept
