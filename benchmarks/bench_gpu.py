"""The engine `gpu`: `python benchmarks/bench_gpu.py ABSTRACTS.jsonl.gz`, on a machine with a card.

Prints a table with the card, its driver and the date. Two corpora are made of the given abstracts.
Of counts, in memory: the first part of each document's words and the second part of another's, a
different one each time, until there are enough documents. An index: the same by sentences.
"""

from __future__ import annotations

import argparse
import datetime
import gzip
import json
import os
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import cupy
import numpy as np

from likewise import Index
from likewise.corpus import Stored
from likewise.engines import engine_of, turn
from likewise.engines.stack import Stack, View
from likewise.search.auto import Given, breadth_of, choose
from likewise.search.looking import nearest
from likewise.search.methods import METHODS, Options, square_length, without_unused
from likewise.search.rounds import carry_out
from likewise.solvers.blocks import Blocks, Rest
from likewise.store.packing import unpacked
from likewise.views import LATENT, TITLES, WORDS, latent, titles
from likewise.weighting import WEIGHTINGS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from likewise.corpus import Corpus

TOPIC = "graphene nanoribbons transport"  # the examples are the best for these
EXAMPLES = 20
TOGETHER = 64
SEGMENT = 240_000  # documents of a segment, as in an index of so many abstracts
STEP = 7919  # between a document and its partners: a prime
GOALS = {
    "scores, float32": 1.5e-3,
    "weighted_sum, float32": 2.5e-3,
    "ba": 0.2,
    "auto": 0.2,
    "together": 3.0,
    "latent": 1.0,
    "pr": 1.0,
    "p@k": 1.0,
    "load": 1.0,
}


class Row(NamedTuple):
    work: str
    seconds: float
    goal: float | None = None
    local: float | None = None

    def __str__(self) -> str:
        goal = "" if self.goal is None else f"≤ {_time(self.goal)}"
        local = (
            "" if self.local is None else f"{_time(self.local)} ({self.local / self.seconds:.1f} ×)"
        )
        return f"| {self.work} | {_time(self.seconds)} | {goal} | {local} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("abstracts", type=Path)
    parser.add_argument("--documents", type=int, default=10_000_000)
    parser.add_argument("--indexed", type=int, default=1_000_000)
    options = parser.parse_args()
    with gzip.open(options.abstracts, "rt", encoding="utf-8") as lines:
        documents = [json.loads(line) for line in lines]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for row in chain(
            counted(documents, Path(folder), options.documents),
            indexed(documents, Path(folder), options.indexed),
        ):
            print(row, file=sys.stderr, flush=True)  # while it runs
            rows.append(row)
    properties = cupy.cuda.runtime.getDeviceProperties(0)
    driver = cupy.cuda.runtime.driverGetVersion()
    print(
        f"{properties['name'].decode()}, CUDA {driver // 1000}.{driver % 1000 // 10}, "
        f"CuPy {cupy.__version__}, {os.cpu_count()} cores, {datetime.date.today()}"
    )
    print("| work | time | asked | local engine, all cores |\n|---|---|---|---|")
    print("\n".join(map(str, rows)))


def counted(documents: list[Any], folder: Path, wanted: int) -> Iterator[Row]:
    """Products and learners over a corpus of counts."""
    path = written(documents, folder / "few.jsonl")
    index = Index.create(folder / "few.idx")
    index.add(path)
    corpus = mixed(index, wanted)
    size, terms = corpus.shape
    name = f"{size / 1e6:g}M documents"
    random = np.random.default_rng(0)
    for kind in (np.float32, np.float64):
        w = cupy.asarray(random.normal(size=terms).astype(kind))
        a = cupy.asarray(random.normal(size=size).astype(kind))
        for work, product, vector in (
            ("scores", corpus.scores, w),
            ("weighted_sum", corpus.weighted_sum, a),
        ):
            label = f"{work}, {kind.__name__}"
            yield Row(f"{label}, {name}", on_card(partial(product, vector)), GOALS.get(label))
    blocks = examples_of(index, size)
    for method in ("ba", "steady", "pr", "p@k"):
        label = f"{method}, {EXAMPLES} examples, top 10, {name}"
        yield Row(label, clock(partial(learned_top, corpus, blocks, method)), GOALS.get(method))
    views = [mixed(index, wanted, view) for view in (TITLES, LATENT)]
    auto = partial(auto_top, corpus, views, blocks)
    yield Row(f"auto, {EXAMPLES} examples, top 10, {name}", clock(auto), GOALS["auto"])
    for method, work in (
        ("auto", auto),
        ("ba", partial(learned_top, corpus, blocks, "ba")),
    ):
        label = f"{TOGETHER} of {method} together, {name}"
        yield Row(label, clock(partial(together, work), 1), GOALS["together"])


def together(work: Callable[[], object]) -> None:
    """The same work many times, asked for by as many threads at once."""

    def one(_: int) -> None:
        with turn("gpu"):
            work()

    with ThreadPoolExecutor(TOGETHER) as pool:
        list(pool.map(one, range(TOGETHER)))


def auto_top(words: Corpus, views: list[Corpus], blocks: Blocks) -> object:
    """What `auto` does in an index, without looking up documents."""
    liked, size = blocks.positives, words.shape[0]
    given = Given(len(liked), size, size, (TITLES, LATENT), speed=words.speed)
    plan = choose(replace(given, breadth=breadth_of(nearest(words, liked, liked)[0])))
    there = dict(zip((WORDS, TITLES, LATENT), (words, *views), strict=True))
    stack = Stack([View(name, there[name], factor) for name, factor in plan.factors.items()])
    plan = plan.scaled(square_length(stack, blocks))
    solution = carry_out(stack, blocks, plan, without_unused(plan.method, plan.options(Options())))
    return stack.top(solution.w, 10)


def learned_top(corpus: Corpus, blocks: Blocks, method: str) -> object:
    solution = METHODS[method].solve(corpus, blocks, Options(), None)
    return corpus.top(solution.w, 10)


def indexed(documents: list[Any], folder: Path, wanted: int) -> Iterator[Row]:
    """From an index on disk to the first ten hits, beside the local engine."""
    path = written(mixtures(documents, wanted), folder / "many.jsonl")
    made = Index.create(folder / "many.idx")
    made.add(path)
    name = f"{len(made) / 1e6:g}M documents"
    Index.open(made.path, engine="gpu").search(TOPIC, 1)  # compiles the kernels
    load = clock(lambda: Index.open(made.path, engine="gpu").search(TOPIC, 1))
    yield Row(f"an index from the page cache, {name}", load, GOALS["load"])
    local, there = Index.open(made.path), Index.open(made.path, engine="gpu")
    liked = [hit.id for hit in local.search(TOPIC, EXAMPLES)]
    for method in ("auto", "ba", "steady", "rocchio", "pr", "p@k", "r@k", "rank"):
        mine, theirs = (
            clock(partial(index.like, liked, k=10, method=method)) for index in (there, local)
        )
        yield Row(f"{method}, {EXAMPLES} examples, top 10, {name}", mine, local=theirs)
    mine, theirs = (clock(partial(latent_space, index), 1) for index in (there, local))
    yield Row(
        f"a latent space of {latent.DIMENSIONS} dimensions, {name}", mine, GOALS["latent"], theirs
    )


def latent_space(index: Index) -> None:
    """Learn the space and make all documents' vectors, without writing them to disk."""
    rows = index.searcher._collection
    model = latent.learn(rows, len(index), threads=index.threads)
    for _ in latent.Folding(model).blocks(rows, len(index), latent.PRECISION):
        pass


def mixed(index: Index, wanted: int, view: str = WORDS) -> Corpus:
    """A corpus on the card of mixtures of an index' documents, in a view of counts or bytes."""
    copies, cores = -(-wanted // len(index)), os.cpu_count() or 1
    generation, (segment,) = index.searcher, index.searcher.snapshot.segments
    together = [
        range(i, min(i + SEGMENT // len(index), copies))
        for i in range(0, copies, SEGMENT // len(index))
    ]
    if view == LATENT:
        whole = segment.stored_view(LATENT, latent.DIMENSIONS)
        every = [repeated(whole, len(run)) for run in together]
        found = engine_of("gpu").collection(every, whole.width, cores)
        return found.corpus(WEIGHTINGS["raw"])
    width = generation._width(view)
    if view == TITLES:
        stored, weighting = segment.stored_sparse_view(TITLES, width), titles.WEIGHTING
    else:
        stored, weighting = segment.stored(), WEIGHTINGS["tfidf"]
    rows = unpacked(stored.rows)
    every = [
        Stored(joined([mixture(rows, i) for i in run]), width, trusted=True) for run in together
    ]
    found = engine_of("gpu").collection(every, width, cores)
    counts = np.bincount(every[0].rows["columns"], minlength=width)
    col = weighting.columns(counts * copies // len(together[0]), copies * len(index))
    return found.corpus(weighting, col)


def repeated(stored: Stored, times: int) -> Stored:
    factors = None if stored.factors is None else np.tile(stored.factors, times)
    return stored._replace(rows=np.tile(stored.rows, (times, 1)), factors=factors)


def joined(parts: list[Any]) -> Any:
    """Rows of counts, one part after another."""
    found = {}
    for name, of in (("starts", "columns"), ("more", "counts")):
        found[of] = np.concatenate([part[of] for part in parts])
        lengths = [np.diff(part[name].astype(np.int64)) for part in parts]
        found[name] = np.append(0, np.cumsum(np.concatenate(lengths))).astype(np.uint32)
    before = np.cumsum([0, *(len(part["counts"]) for part in parts)])
    large = [part["large_at"] + first for part, first in zip(parts, before, strict=False)]
    found["large_at"] = np.concatenate(large).astype(parts[0]["large_at"].dtype)
    found["large"] = np.concatenate([part["large"] for part in parts])
    return found


def mixture(rows: Any, number: int) -> Any:
    """Each document's first half of the words that it has once, and another's second half."""
    if number == 0:
        return rows
    starts, often = rows["starts"].astype(np.int64), np.diff(rows["more"].astype(np.int64))
    first, once = starts[:-1], np.diff(starts) - often
    partner = np.roll(np.arange(len(once)), number * STEP % len(once))
    half = once // 2
    pieces = [
        (first, half),
        ((first + half)[partner], (once - half)[partner]),
        (first + once, often),
    ]
    ends = np.concatenate([[0], np.cumsum(sum(lengths for _, lengths in pieces))])
    columns, into = np.empty(ends[-1], np.uint32), ends[:-1].copy()
    for begin, lengths in pieces:
        columns[ranges(into, lengths)] = rows["columns"][ranges(begin, lengths)]
        into += lengths
    return {**rows, "starts": ends.astype(np.uint32), "columns": columns}


def ranges(starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    return np.repeat(starts - (np.cumsum(lengths) - lengths), lengths) + np.arange(lengths.sum())


def mixtures(documents: list[Any], wanted: int) -> Iterator[dict[str, str]]:
    sentences = [document["text"].split(". ") for document in documents]
    for number in range(wanted):
        copy, i = divmod(number, len(documents))
        j = (i + copy * STEP) % len(documents)
        mine, other = sentences[i], sentences[j]
        text = ". ".join(mine[: len(mine) // 2] + other[len(other) // 2 :])
        yield {"id": str(number), "title": documents[i if copy % 2 else j]["title"], "text": text}


def examples_of(index: Index, size: int) -> Blocks:
    ids = [hit.id for hit in index.search(TOPIC, EXAMPLES)]
    place = {id: number for number, id in enumerate(index.ids())}
    liked = np.sort([place[id] for id in ids])
    return Blocks(liked, Rest(size, liked))


def written(documents: Any, path: Path) -> Path:
    with path.open("w", encoding="utf-8") as out:
        out.writelines(json.dumps(document) + "\n" for document in documents)
    return path


def on_card(work: Callable[[], object], rounds: int = 15) -> float:
    """The median of the card's own clock."""
    work()
    seconds = []
    for _ in range(rounds):
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record()
        work()
        end.record()
        end.synchronize()
        seconds.append(cupy.cuda.get_elapsed_time(begin, end) / 1e3)
    return float(np.median(seconds))


def clock(work: Callable[[], object], rounds: int = 5) -> float:
    """The median by the clock, after a first time."""
    work()
    seconds = []
    for _ in range(rounds):
        cupy.cuda.Device().synchronize()
        began = time.perf_counter()
        work()
        cupy.cuda.Device().synchronize()
        seconds.append(time.perf_counter() - began)
    return float(np.median(seconds))


def _time(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 0.1 else f"{1e3 * seconds:.3g} ms"


if __name__ == "__main__":
    main()
