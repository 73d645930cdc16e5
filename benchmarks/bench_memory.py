"""How much memory indexing takes, and how it grows."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

from harness import Figure, peak_memory
from rows import Row, at_most

if TYPE_CHECKING:
    from pathlib import Path

    from workspace import Workspace

METHOD = (
    "The high-water mark of the resident memory, mapped files included, of a process that indexes "
    "JSON lines with all defaults; the larger collection is the smaller one repeated under new ids."
)
PACKAGES = ("likewise", "numpy")
INDEXING = """
from likewise import Index
Index.create(sys.argv[1]).add(sys.argv[2])
"""
IMPORTING = "from likewise import Index"
ROUNDS = 3


def rows(workspace: Workspace) -> list[Row]:
    small, large = workspace.documents(150_000), 10 * workspace.documents(150_000)
    peaks = {size: indexing_peak(workspace, size) for size in (small, large)}
    growth = (peaks[large].median - peaks[small].median) / (large - small)
    growth_of_best = (peaks[large].best - peaks[small].best) / (large - small)
    floor = peak_memory(IMPORTING) / 1e6
    return [
        Row("importing likewise", "MB", Figure(floor, floor)),
        Row(f"{small:,} abstracts", "MB", scaled(peaks[small]), goal=at_most(600)),
        Row(f"{large:,} abstracts", "MB", scaled(peaks[large])),
        Row("a further document", "bytes", Figure(growth, growth_of_best), goal=at_most(16)),
    ]


def indexing_peak(workspace: Workspace, documents: int) -> Figure:
    source = workspace.repeated(documents)
    peaks = [index_apart(workspace, source) for _ in range(workspace.rounds(ROUNDS))]
    source.unlink()
    return Figure(statistics.median(peaks), min(peaks))


def index_apart(workspace: Workspace, source: Path) -> int:
    target = workspace.fresh("memory.idx")
    peak = peak_memory(INDEXING, str(target), str(source))
    workspace.fresh("memory.idx")
    return peak


def scaled(figure: Figure) -> Figure:
    return Figure(figure.median / 1e6, figure.best / 1e6)
