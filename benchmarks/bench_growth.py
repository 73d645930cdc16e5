"""Training time against the number of documents: it should grow in proportion."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bench_training import METHODS, fit
from harness import take_turns
from liblinear_peer import Liblinear
from problems import arxiv_problem
from rows import Row

if TYPE_CHECKING:
    from collections.abc import Mapping

    from workspace import Workspace

METHOD = (
    "As in Training, with 100 examples out of the first 10,000 arXiv abstracts and ever more of "
    "the others unlabeled. ![Training time against the number of documents](training.png)"
)
PACKAGES = ("likewise", "liblinear-official", "numpy")
SIZES = (10_000, 30_000, 100_000, 150_000)
QUICK_SIZES = (500, 2_000)
ROUNDS = 3
SHOWN = ("ba", "pr")
PLOT = Path(__file__).resolve().parent / "training.png"


def rows(workspace: Workspace) -> list[Row]:
    found = []
    medians: dict[int, dict[str, float]] = {}
    for size in QUICK_SIZES if workspace.quick else SIZES:
        task = arxiv_problem(workspace, documents=size)
        peer = Liblinear(task)
        eps = peer.reach(fit(METHODS["ba"], task).objective_).eps
        ours = {name: partial(fit, METHODS[name], task) for name in SHOWN}
        candidates = {**ours, "LIBLINEAR, ba": partial(peer.train, eps)}
        timings = take_turns(candidates, workspace.rounds(ROUNDS))
        medians[size] = {name: timing.median for name, timing in timings.items()}
        theirs = timings["LIBLINEAR, ba"].scaled(1000)
        for name in SHOWN:
            each = 1e6 * timings[name].median / size
            work = f"{name}, {size:,} documents, {each:.2g} µs each"
            found.append(Row(work, "ms", timings[name].scaled(1000), "LIBLINEAR, ba", theirs))
    plot(medians, workspace.directory / PLOT.name if workspace.quick else PLOT)
    return found


def plot(medians: Mapping[int, Mapping[str, float]], path: Path) -> None:
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        print(f"{path.name} is not drawn: {error}", file=sys.stderr)
        return
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    sizes = list(medians)
    for name in medians[sizes[0]]:
        times = [medians[size][name] for size in sizes]
        axes.loglog(sizes, times, "o-", label=name)
        proportional = [times[0] * size / sizes[0] for size in sizes]
        axes.loglog(sizes, proportional, ":", color="grey", linewidth=1)
    axes.set(xlabel="documents", ylabel="seconds", title="Training (dotted: in proportion)")
    axes.legend()
    figure.savefig(path, dpi=120)
