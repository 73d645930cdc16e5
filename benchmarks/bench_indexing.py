"""From JSON lines to a finished index."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

import peers
from harness import Figure, take_turns
from likewise import Index
from rows import Row, times
from workspace import size_on_disk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from workspace import Workspace

METHOD = (
    "JSON lines in the page cache to a finished index on disk, all defaults, MB of input a second; "
    "3 × tantivy is asked for and 5 × is the goal after that. tantivy: one writer thread beside "
    "the thread that decodes and adds; bm25s: PyStemmer, index saved; scikit-learn: "
    "TfidfVectorizer().fit_transform, in memory and without stemming. All decode with msgspec."
)
PACKAGES = ("likewise", "tantivy", "scikit-learn", "bm25s")
GOALS = {"tantivy": times(3), "scikit-learn": times(8), "bm25s": None}
ROUNDS = {"20 Newsgroups": 7, "arXiv abstracts": 4}


def rows(workspace: Workspace) -> list[Row]:
    collections = {"20 Newsgroups": workspace.news, "arXiv abstracts": workspace.arxiv}
    return [row for name, source in collections.items() for row in compare(workspace, name, source)]


def compare(workspace: Workspace, name: str, source: Path) -> Iterator[Row]:
    targets = {peer: workspace.directory / f"{peer}.idx" for peer in ("likewise", *GOALS)}
    candidates = {
        "likewise": lambda: Index.create(targets["likewise"], latent=0).add(source),
        "tantivy": partial(peers.tantivy_index, source, targets["tantivy"]),
        "scikit-learn": partial(peers.sklearn_matrix, source),
        "bm25s": lambda: peers.bm25s_index(source).save(targets["bm25s"]),
    }
    source.read_bytes()
    timings = take_turns(
        candidates,
        workspace.rounds(ROUNDS[name]),
        before=lambda peer: clear(workspace, targets[peer]),
        warm_up=False,
    )
    megabytes = source.stat().st_size / 1e6
    speeds = {peer: timing.rate(megabytes) for peer, timing in timings.items()}
    for peer, goal in GOALS.items():
        yield Row(name, "MB/s", speeds["likewise"], peer, speeds[peer], goal, more=True)
    sizes = {peer: fixed(size_on_disk(path) / 1e6) for peer, path in targets.items()}
    work = f"{name}, size on disk"
    yield Row(work, "MB", sizes["likewise"], "the JSON lines", fixed(megabytes))
    yield Row(work, "MB", sizes["likewise"], "tantivy", sizes["tantivy"])
    yield Row(work, "MB", sizes["likewise"], "bm25s, without the documents", sizes["bm25s"])


def clear(workspace: Workspace, target: Path) -> None:
    """Remove the index of the last round, and write out what is still to be written."""
    workspace.fresh(target.name)
    os.sync()


def fixed(value: float) -> Figure:
    return Figure(value, value)
