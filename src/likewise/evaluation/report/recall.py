"""A plot of recall against effort: a line for each method, the mean over its runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.errors import UsageError
from likewise.evaluation.measures import recall_curve
from likewise.evaluation.report.plot import require_matplotlib

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from likewise.evaluation.simulation import Run

KINDS = (".png", ".svg", ".pdf")
POINTS = 1000


def check_plot(path: Path) -> None:
    """Raise if the file cannot be drawn, before the work."""
    if path.suffix.lower() not in KINDS:
        raise UsageError(f"cannot draw {path}: give a name that ends in {', '.join(KINDS)}")
    if not path.parent.is_dir():
        raise UsageError(f"cannot draw {path}: there is no folder {path.parent}")
    require_matplotlib()


def plot(runs: Sequence[Run], path: Path) -> None:
    """Draw the runs' recall against the share of documents judged."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.subplots()
    for method in dict.fromkeys(run.method for run in runs):
        mean = np.mean([_points(run) for run in runs if run.method == method], axis=0)
        axes.plot(np.linspace(0, 100, POINTS + 1), 100 * mean, label=method)
    axes.plot([0, 100], [0, 100], color="grey", linestyle=":", label="random order")
    axes.set(xlabel="documents judged, %", ylabel="relevant documents found, %")
    axes.set(xlim=(0, 100), ylim=(0, 101))
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")
    # Without a date and with fixed names inside, the same runs give the same file.
    figure.savefig(path, metadata={"Date": None} if path.suffix.lower() == ".svg" else None)


def _points(run: Run) -> NDArray[np.float64]:
    """The recall at equal steps of effort, from 0 to all documents."""
    curve = np.concatenate([[0.0], recall_curve(run.relevance)])
    places = np.linspace(0, len(curve) - 1, POINTS + 1)
    return curve[places.astype(np.int64)]
