"""How much memory indexing takes, and how it grows."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

from harness import Figure, peak_memory
from likewise.store import MEMORY
from rows import Row, at_most

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from workspace import Workspace

METHOD = (
    "The high-water mark of the resident memory, mapped files included, of a process that indexes "
    "JSON lines without a latent space; the larger collections are the smallest one repeated "
    "under new ids. It grows until what `memory` allows is in use, one segment being written while "
    "the next is counted, and each thread has met all words: what a document takes beyond that is "
    "the growth from the second to the third. Beyond `memory` (256 MiB): what the largest one "
    "takes besides that and importing likewise, by document; below zero where it takes less."
)
PACKAGES = ("likewise", "numpy")
INDEXING = """
from likewise import Index
Index.create(sys.argv[1], latent=0).add(sys.argv[2])
"""
IMPORTING = "from likewise import Index"
ROUNDS = 5  # peaks differ by up to 20 MB from run to run


def rows(workspace: Workspace) -> list[Row]:
    small = workspace.documents(150_000)
    sizes = (small, 5 * small, 20 * small)
    peaks = {size: indexing_peak(workspace, size) for size in sizes}
    floor = peak_memory(IMPORTING)
    found = [Row("importing likewise", "MB", scaled(Figure(floor, floor)))]
    for size, goal in zip(sizes, (at_most(600), None, None), strict=True):
        found.append(Row(f"{size:,} abstracts", "MB", scaled(peaks[size]), goal=goal))
    for start, goal in ((sizes[0], None), (sizes[1], at_most(16))):
        work = f"a further document from {start:,} on"
        found.append(Row(work, "bytes", growth(peaks, start, sizes[-1]), goal=goal))
    beyond = beyond_memory(peaks[sizes[-1]], floor, sizes[-1])
    found.append(Row("a document, beyond `memory`", "bytes", beyond, goal=at_most(16)))
    return found


def beyond_memory(peak: Figure, floor: int, documents: int) -> Figure:
    allowed = floor + MEMORY
    return Figure((peak.median - allowed) / documents, (peak.best - allowed) / documents)


def growth(peaks: Mapping[int, Figure], start: int, end: int) -> Figure:
    """Bytes a document, by medians and by the least of the rounds."""
    median = (peaks[end].median - peaks[start].median) / (end - start)
    return Figure(median, (peaks[end].best - peaks[start].best) / (end - start))


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
