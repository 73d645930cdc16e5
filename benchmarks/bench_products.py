"""The two products that everything learns by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from harness import take_turns
from likewise import Index
from rows import Row, times
from scipy_peer import scipy_matrix

if TYPE_CHECKING:
    from collections.abc import Callable

    from likewise.corpus import Vectors
    from workspace import Workspace

METHOD = (
    "One pass of scores(w) and of weighted_sum(a) over the arXiv abstracts, tf-idf, float32, "
    "beside X @ w and X.T @ a of the same matrix as a scipy float32 CSR; non-zeros times vectors "
    "a second. scipy has one thread."
)
PACKAGES = ("likewise", "scipy", "numpy")
ROUNDS = 25
BLOCKS = (1, 8, 32)


def rows(workspace: Workspace) -> list[Row]:
    matrix = scipy_matrix(Index.open(workspace.arxiv_index).corpus(weighting="tfidf"))
    found = []
    for threads in (1, 2):
        corpus = Index.open(workspace.arxiv_index, threads=threads).corpus(weighting="tfidf")
        for block in BLOCKS:
            rounds = workspace.rounds(ROUNDS if block < 32 else ROUNDS // 3)
            setting = (block, threads, rounds)
            found.append(compare("scores", corpus.scores, matrix, *setting))
            found.append(compare("weighted_sum", corpus.weighted_sum, matrix.T, *setting))
    return found


def compare(
    name: str,
    ours: Callable[[Vectors], Vectors],
    theirs: Any,
    block: int,
    threads: int,
    rounds: int,
) -> Row:
    vectors = np.random.default_rng(0).standard_normal((theirs.shape[1], block), np.float32)
    vectors = vectors[:, 0].copy() if block == 1 else vectors
    np.testing.assert_allclose(ours(vectors), theirs @ vectors, rtol=1e-3, atol=1e-2)
    timings = take_turns(
        {"likewise": lambda: ours(vectors), "scipy": lambda: theirs @ vectors}, rounds
    )
    amount = theirs.nnz * block / 1e9
    work = f"{name}, {block} vector{'s' if block > 1 else ''}, {threads} thread"
    goal = times(2) if block == 1 and threads == 2 else None
    return Row(
        work + ("s" if threads > 1 else ""),
        "G non-zeros/s",
        timings["likewise"].rate(amount),
        "scipy",
        timings["scipy"].rate(amount),
        goal,
        more=True,
    )
