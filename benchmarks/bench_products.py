"""The two products that everything learns by."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from harness import take_turns
from likewise import Index, _core
from rows import Row, needs_cores, times
from scipy_peer import scipy_matrix

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from harness import Timing
    from likewise._core import CountArrays
    from likewise.corpus import Vectors
    from rows import Goal
    from workspace import Workspace

METHOD = (
    "One pass of scores(w) and of weighted_sum(a) over the arXiv abstracts, tf-idf, float32, "
    "beside X @ w and X.T @ a of the same matrix as a scipy float32 CSR (its transpose a view, or "
    "made beforehand); non-zeros times vectors a second. scipy has one thread; with more than two, "
    "ours are compared with our own single one. The roofline: how fast this machine reads memory "
    "(a float32 matrix of 256 columns times a vector), how many bytes a pass reads for each "
    "non-zero, and so the most that one vector could reach if nothing but that were to do. "
    "Gathering: scores of rows of 256 terms, drawn alike from so many that their weights fit into "
    "the nearest cache or into the next one; with more threads it is how far this machine scales. "
    "Cached: the scores of so few abstracts, again and again, that they stay in a core's cache."
)
PACKAGES = ("likewise", "scipy", "numpy")
ROUNDS = 25
BLOCKS = (1, 8, 32)
GOALS = {
    ("scores", 1, 2): times(2.5),
    ("weighted_sum", 1, 2): times(2),
    ("scores", 32, 2): times(2),
    ("weighted_sum", 32, 2): times(2),
}
SCALING = {("scores", 1): times(7), ("weighted_sum", 1): times(5)}  # of 16 cores
TABLE, NO_COUNTS, NO_LARGE = np.arange(256.0), np.zeros(0, np.uint8), np.zeros(0)
MANY = 16
ONE = "likewise, 1 thread"
UNIT = "G non-zeros/s"
READ = (1_000_000, 256)  # rows and columns that are read to measure memory
GATHERED = (32_768, 256)  # rows and entries a row that are read to measure gathering
FEW = 5000  # documents whose counts stay in a core's cache, a megabyte of them
CACHED = {"16 KB": 4096, "256 KB": 65_536}  # terms whose weights take so much


def rows(workspace: Workspace) -> list[Row]:
    open_corpus = {
        threads: Index.open(workspace.arxiv_index, threads=threads).corpus(weighting="tfidf")
        for threads in sorted({1, 2, os.cpu_count() or 1})
    }
    matrix = scipy_matrix(open_corpus[1])
    transposed = matrix.T.tocsr()
    found = roofline(open_corpus, matrix.nnz, workspace) + gathering(list(open_corpus), workspace)
    found.append(cached(open_corpus[1], workspace))
    for block in BLOCKS:
        rounds = workspace.rounds(ROUNDS if block < 32 else ROUNDS // 3)
        scores = {threads: each.scores for threads, each in open_corpus.items()}
        sums = {threads: each.weighted_sum for threads, each in open_corpus.items()}
        found += compare("scores", scores, {"scipy": matrix}, block, rounds)
        peers = {"scipy": matrix.T, "scipy, transposed": transposed}
        found += compare("weighted_sum", sums, peers, block, rounds)
    return found


def compare(
    name: str,
    ours: Mapping[int, Callable[[Vectors], Vectors]],
    theirs: Mapping[str, Any],
    block: int,
    rounds: int,
) -> list[Row]:
    first = next(iter(theirs.values()))
    vectors = np.random.default_rng(0).standard_normal((first.shape[1], block), np.float32)
    vectors = vectors[:, 0].copy() if block == 1 else vectors
    for product in ours.values():
        np.testing.assert_allclose(product(vectors), first @ vectors, rtol=1e-3, atol=1e-2)
    own = {threads: lambda p=product: p(vectors) for threads, product in ours.items()}
    others = {peer: lambda m=matrix: m @ vectors for peer, matrix in theirs.items()}
    timings = take_turns({**own, **others}, rounds)
    amount = first.nnz * block / 1e9
    work = f"{name}, {block} vector{'s' if block > 1 else ''}"
    found = []
    for threads in ours:
        label = f"{work}, {threads} thread{'s' if threads > 1 else ''}"
        if threads <= 2:
            goal = GOALS.get((name, block, threads))
            peers = {peer: timings[peer] for peer in theirs}
        else:
            goal = SCALING.get((name, block)) if threads >= MANY else None
            peers = {ONE: timings[1]}
        found += [row(label, amount, timings[threads], p, t, goal) for p, t in peers.items()]
    if max(ours) < MANY and (name, block) in SCALING:
        asked = SCALING[name, block]
        found.append(needs_cores(MANY, f"{work}, {MANY} threads", UNIT, asked, ONE))
    return found


def row(
    label: str, amount: float, ours: Timing, peer: str, theirs: Timing, goal: Goal | None
) -> Row:
    return Row(label, UNIT, ours.rate(amount), peer, theirs.rate(amount), goal, more=True)


def roofline(corpora: Mapping[int, Any], entries: int, workspace: Workspace) -> list[Row]:
    """How fast memory is read, and what that allows."""
    height, width = READ
    numbers = np.ones((workspace.documents(height), width), np.float32)
    ones = np.ones(width, np.float32)
    reads = {
        threads: lambda t=threads: _core.dense_dot(numbers, ones, t)  # type: ignore[misc]
        for threads in corpora
    }
    timings = take_turns(reads, workspace.rounds(ROUNDS // 3))
    sizes = {"scores": stored(corpora[1], "arrays"), "weighted_sum": stored(corpora[1], "inverted")}
    found = []
    for threads, timing in timings.items():
        label = f"{threads} thread{'s' if threads > 1 else ''}"
        speed = timing.rate(numbers.nbytes / 1e9)
        found.append(Row(f"reading memory, {label}", "GB/s", speed, more=True))
        for name, size in sizes.items():
            bound = timing.rate(numbers.nbytes / 1e9 * entries / size)
            work = f"{name}, bound by memory: {size / entries:.1f} bytes a non-zero, {label}"
            found.append(Row(work, UNIT, bound, more=True))
    return found


def gathering(threads: list[int], workspace: Workspace) -> list[Row]:
    """How fast a vector's numbers are brought together, where neither memory nor rows cost much."""
    height, length = workspace.documents(GATHERED[0]), GATHERED[1]
    works, draw = {}, np.random.default_rng(0)
    for size, terms in CACHED.items():
        columns = draw.integers(0, terms, height * length).astype(np.uint16)
        starts = np.arange(height + 1, dtype=np.uint32) * np.uint32(length)
        counts = counts_of(starts, np.zeros(height + 1, np.uint32), columns, NO_COUNTS, terms)
        vector = draw.standard_normal(terms, np.float32)
        for number in threads:
            label = f"gathering from {size}, {number} thread{'s' if number > 1 else ''}"
            works[label] = partial(counts.dot, vector, TABLE, NO_LARGE, number)
    timings = take_turns(works, workspace.rounds(ROUNDS))
    amount = height * length / 1e9
    return [Row(work, UNIT, timing.rate(amount), more=True) for work, timing in timings.items()]


def cached(corpus: Any, workspace: Workspace) -> Row:
    """What the real rows allow if none has to come from memory."""
    matrix = corpus._segments[0].part.matrix
    arrays = matrix.arrays
    starts, more = (arrays[name][: workspace.documents(FEW) + 1] for name in ("starts", "more"))
    columns, counts = arrays["columns"], arrays["counts"][: more[-1]]
    bytes_each = 3 if columns.dtype == np.uint8 else 1
    columns = columns[: int(starts[-1]) * bytes_each + (bytes_each == 3)]
    few = counts_of(starts, more, columns, counts, matrix.width)
    vector = np.random.default_rng(0).standard_normal(matrix.width, np.float32)
    times = 20

    def work() -> None:
        for _ in range(times):
            few.dot(vector, TABLE, NO_LARGE)

    timing = take_turns({"cached": work}, workspace.rounds(ROUNDS))["cached"]
    return Row(
        "scores, cached, 1 thread", UNIT, timing.rate(times * int(starts[-1]) / 1e9), more=True
    )


def counts_of(starts: Any, more: Any, columns: Any, counts: Any, width: int) -> _core.Counts:
    """A matrix without large counts: there, if there are any, they count as nothing."""
    none = np.zeros(0, np.uint32)
    arrays: CountArrays = {
        "starts": starts,
        "more": more,
        "columns": columns,
        "counts": counts,
        "large_at": none,
        "large": none,
    }
    return _core.Counts(arrays, width, trusted=True)


def stored(corpus: Any, which: str) -> int:
    """Bytes of a corpus' matrices, by document or by term."""
    matrices = [segment.part.matrix for segment in corpus._segments]
    arrays = [m.arrays if which == "arrays" else m.inverted_arrays() for m in matrices]
    return sum(array.nbytes for each in arrays for array in each.values())
