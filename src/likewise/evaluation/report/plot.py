"""Plots as SVG, for a page."""

from __future__ import annotations

import io
import math
import re
from html import escape
from typing import TYPE_CHECKING, Any

from likewise.errors import LikewiseError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likewise.evaluation.report.values import Plot

WIDTH, HEIGHT = 7.2, 3.4  # inches, without the legend
NARROWEST_BAR = 0.03
LEGEND_ROW, LEGEND_COLUMNS, LEGEND_MARK = 0.2, 3, 0.5
LETTER = 0.065
MOST_NAMES = 12  # below an axis before they are turned
COLOURS = ("#1f6f8b", "#d1603d", "#4c8c4a", "#7a4fa3", "#b58900", "#b0357b", "#52606d", "#2e8b8b")
# Text stays text, and the same plot gives the same file.
SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "likewise",
    "text.parse_math": False,
    "font.size": 8,
    "font.sans-serif": ["DejaVu Sans"],
}
NO_METADATA = dict.fromkeys(("Creator", "Date", "Format", "Type"))


def require_matplotlib() -> None:
    """Raise if matplotlib is missing, before the work."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise LikewiseError("plots need matplotlib: pip install 'likewise[eval]'") from error


def svg(plot: Plot) -> str:
    """The plot with its axes and a legend below."""
    require_matplotlib()
    import matplotlib

    text = io.StringIO()
    with matplotlib.rc_context(SETTINGS):
        _figure(plot).savefig(text, format="svg", metadata=NO_METADATA)
    drawn = text.getvalue()
    drawn = drawn[drawn.index("<svg") :]
    drawn = re.sub(r'<g id="[^"]*"', "<g", drawn)  # the same in every plot of a page
    label = escape(plot.title)
    return drawn.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1).rstrip("\n")


def _figure(plot: Plot) -> Any:
    from matplotlib.figure import Figure

    bars = len(plot.x) * len(plot.series) if plot.kind == "bars" else 0
    width = max(WIDTH, NARROWEST_BAR * bars)
    columns = _legend_columns(plot, width)
    height = HEIGHT + LEGEND_ROW * math.ceil(len(plot.series) / columns)
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots()
    axes.set_title(plot.title, loc="left", fontsize=9, fontweight="bold")
    axes.set_xlabel(plot.x_label)
    axes.set_ylabel(plot.y_label)
    axes.grid(axis="y", color="#dde3e8")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    (_bars if plot.kind == "bars" else _lines)(plot, axes)
    if plot.from_zero or plot.kind == "bars":
        axes.set_ylim(bottom=min([0.0, *_known(plot)]))
    if plot.series:
        figure.legend(loc="outside lower left", ncols=columns, frameon=False)
    return figure


def _legend_columns(plot: Plot, width: float) -> int:
    """As many columns as the longest label leaves room for."""
    longest = max((len(series.label) for series in plot.series), default=0)
    return max(1, min(LEGEND_COLUMNS, int(width / (LETTER * longest + LEGEND_MARK))))


def _lines(plot: Plot, axes: Any) -> None:
    """Lines over x if all x are numbers, otherwise over their order; missing values are gaps."""
    numbers = [x for x in plot.x if not isinstance(x, str) and (x > 0 or not plot.log)]
    by_value = len(numbers) == len(plot.x) > 0
    places: Sequence[float] = numbers if by_value else range(len(plot.x))
    for i, series in enumerate(plot.series):
        axes.plot(
            places,
            [math.nan if value is None else value for value in series.values],
            color=COLOURS[i % len(COLOURS)],
            linestyle="--" if i >= len(COLOURS) else "-",
            linewidth=1.4,
            marker="o",
            markersize=3,
            label=series.label,
        )
    if by_value and plot.log:
        axes.set_xscale("log")
        axes.minorticks_off()
    if not by_value or plot.log:
        _name_ticks(axes, places, plot.x)


def _bars(plot: Plot, axes: Any) -> None:
    width = 0.85 / max(len(plot.series), 1)
    for i, series in enumerate(plot.series):
        there = [place for place, value in enumerate(series.values) if value is not None]
        axes.bar(
            [place - 0.425 + (i + 0.5) * width for place in there],
            [series.values[place] for place in there],
            width,
            color=COLOURS[i % len(COLOURS)],
            label=series.label,
        )
    _name_ticks(axes, range(len(plot.x)), plot.x)


def _name_ticks(axes: Any, places: Sequence[float], names: Sequence[float | str]) -> None:
    texts = [str(name)[:14] for name in names]
    turned = len(texts) > MOST_NAMES or any(len(text) > 8 for text in texts)
    how = {"rotation": 35, "ha": "right", "fontsize": 6} if turned else {}
    axes.set_xticks(list(places), texts, **how)


def _known(plot: Plot) -> list[float]:
    return [value for series in plot.series for value in series.values if value is not None]
