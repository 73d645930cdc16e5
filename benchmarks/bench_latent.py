"""Learning a latent space of a collection."""

from __future__ import annotations

import shutil
import time
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp
from sklearn.decomposition import TruncatedSVD
from threadpoolctl import threadpool_limits

from harness import Figure, Timing, peak_memory, take_turns
from likewise import Index
from rows import Row, at_most

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from workspace import Workspace

METHOD = (
    "A space of 200 dimensions of the arXiv abstracts, tf-idf. likewise: learn_latent() of a "
    "finished index, from reading it to the new generation on disk: a sample, its decomposition, "
    "the places of all documents, files that are synced. scikit-learn: "
    "TruncatedSVD(200, n_iter=4).fit_transform of the same matrix as a float32 CSR that is in "
    "memory, all terms and all documents, nothing written; as it comes, and with one BLAS thread, "
    "as more of them wait by spinning where others are at work. CPU: of all threads together. "
    "Memory: the high-water mark of a process of its own, mapped files included."
)
PACKAGES = ("likewise", "scikit-learn", "scipy", "numpy")
ROUNDS = 3
DIMENSIONS = 200
ASKED = 5.0  # seconds
LEARNING = """
from likewise import Index
Index.open(sys.argv[1]).learn_latent(int(sys.argv[2]))
"""
PEERS = {"scikit-learn": None, "scikit-learn, 1 BLAS thread": 1}


def rows(workspace: Workspace) -> Iterator[Row]:
    folder = workspace.fresh("latent.idx")
    shutil.copytree(workspace.arxiv_index, folder)
    matrix = as_csr(folder)
    work: dict[str, Callable[[], object]] = {"likewise": partial(ours, folder)}
    work |= {name: partial(theirs, matrix, limit) for name, limit in PEERS.items()}
    cpu: dict[str, list[float]] = {name: [] for name in work}
    candidates = {name: partial(counted, cpu[name], one) for name, one in work.items()}
    timings = take_turns(candidates, workspace.rounds(ROUNDS))
    spent = {name: Timing(tuple(seconds)) for name, seconds in cpu.items()}
    name = f"{matrix.shape[0]:,} abstracts"
    yield Row(f"{name}, time", "s", timings["likewise"].scaled(1), goal=at_most(ASKED))
    for what, measured in (("time", timings), ("CPU", spent)):
        own = measured["likewise"].scaled(1)
        for peer in PEERS:
            yield Row(f"{name}, {what}", "s", own, peer, measured[peer].scaled(1))
    peak = peak_memory(LEARNING, str(folder), str(DIMENSIONS)) / 1e6
    yield Row(name, "MB of memory", Figure(peak, peak))


def counted(into: list[float], work: Callable[[], object]) -> None:
    began = time.process_time()
    work()
    into.append(time.process_time() - began)


def ours(folder: Path) -> None:
    Index.open(folder).learn_latent(DIMENSIONS)


def theirs(matrix: sp.csr_array, limit: int | None) -> None:
    with threadpool_limits(limit, user_api="blas"):
        TruncatedSVD(DIMENSIONS, n_iter=4, random_state=0).fit_transform(matrix)


def as_csr(folder: Path) -> sp.csr_array:
    corpus = Index.open(folder).corpus("tfidf")
    found = corpus.rows(np.arange(corpus.shape[0]))
    return sp.csr_array(
        (found.values.astype(np.float32), found.columns, found.starts), corpus.shape
    )
