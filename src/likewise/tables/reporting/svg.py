"""Plots as SVG that stands in a page by itself."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likewise.tables.values import Plot, Series

WIDTH, HEIGHT = 720, 320
LEFT, RIGHT, TOP, BOTTOM = 56, 20, 28, 46
COLOURS = ("#1f6f8b", "#d1603d", "#4c8c4a", "#7a4fa3", "#b58900", "#b0357b", "#52606d", "#2e8b8b")
LEGEND_ROW = 16
NARROWEST = 3  # units that a bar has at least


def svg(plot: Plot) -> str:
    """The plot with its axes and, below it, what its colours mean."""
    frame = _Frame(plot)
    rows = math.ceil(len(plot.series) / 3)
    height = HEIGHT + rows * LEGEND_ROW
    draw = _bars if plot.kind == "bars" else _lines
    body = [_text(LEFT, 16, plot.title, "title"), *frame.axes(), *draw(plot, frame)]
    body += [_legend(i, series) for i, series in enumerate(plot.series)]
    box = f'viewBox="0 0 {frame.width} {height}" role="img" aria-label="{escape(plot.title)}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {box}>{"".join(body)}</svg>'


class _Frame:
    """From values to places."""

    def __init__(self, plot: Plot) -> None:
        self.plot = plot
        bars = len(plot.x) * len(plot.series) if plot.kind == "bars" else 0
        self.width = max(WIDTH, LEFT + RIGHT + NARROWEST * bars)
        values = [v for s in plot.series for v in s.values if v is not None]
        least, most = _bounds(values, plot.from_zero or plot.kind == "bars")
        self.step = _nice(most - least)
        self.low = math.floor(least / self.step) * self.step
        self.high = math.ceil(most / self.step) * self.step

    def y(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return round(HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM), 2)

    def x(self, place: int) -> float:
        """Where the x of this place is: by its value if all are numbers, else by its order."""
        scale = [_number(x, self.plot.log) for x in self.plot.x]
        numbers = [x for x in scale if x is not None]
        if len(numbers) < len(scale) or self.plot.kind == "bars":
            share = (place + 0.5) / max(len(scale), 1)
        else:
            spread = max(numbers) - min(numbers)
            share = (numbers[place] - min(numbers)) / spread if spread else 0.5
        return round(LEFT + share * (self.width - LEFT - RIGHT), 2)

    def axes(self) -> list[str]:
        ticks = round((self.high - self.low) / self.step)
        drawn = []
        for i in range(ticks + 1):
            value = self.low + i * self.step
            y = self.y(value)
            drawn.append(
                f'<line class="grid" x1="{LEFT}" x2="{self.width - RIGHT}" y1="{y}" y2="{y}"/>'
            )
            drawn.append(_text(LEFT - 6, y + 4, f"{value:.10g}", "end"))
        places = range(0, len(self.plot.x), max(1, math.ceil(24 * len(self.plot.x) / self.width)))
        drawn += [_tick(self.x(i), str(self.plot.x[i]), len(self.plot.x)) for i in places]
        drawn.append(_text((LEFT + self.width) / 2, HEIGHT - 6, self.plot.x_label, "middle"))
        drawn.append(_text(self.width - RIGHT, TOP - 8, self.plot.y_label, "end"))
        return drawn


def _lines(plot: Plot, frame: _Frame) -> list[str]:
    drawn = []
    for i, series in enumerate(plot.series):
        colour = COLOURS[i % len(COLOURS)]
        dash = ' stroke-dasharray="5 3"' if i >= len(COLOURS) else ""
        for run in _unbroken(series):
            points = " ".join(f"{frame.x(p)},{frame.y(v)}" for p, v in run)
            drawn.append(f'<polyline points="{points}" stroke="{colour}"{dash}/>')
            drawn += [
                f'<circle cx="{frame.x(p)}" cy="{frame.y(v)}" r="2.5" fill="{colour}">'
                f"<title>{escape(series.label)}: {v:.4g}</title></circle>"
                for p, v in run
            ]
    return drawn


def _bars(plot: Plot, frame: _Frame) -> list[str]:
    group = (frame.width - LEFT - RIGHT) / max(len(plot.x), 1)
    width = 0.85 * group / max(len(plot.series), 1)
    drawn = []
    for i, series in enumerate(plot.series):
        for place, value in enumerate(series.values):
            if value is None:
                continue
            left = frame.x(place) - 0.425 * group + i * width
            top, bottom = sorted((frame.y(value), frame.y(0.0)))
            drawn.append(
                f'<rect x="{left:.2f}" y="{top}" width="{width:.2f}" height="{bottom - top:.2f}" '
                f'fill="{COLOURS[i % len(COLOURS)]}"><title>{escape(str(plot.x[place]))}, '
                f"{escape(series.label)}: {value:.4g}</title></rect>"
            )
    return drawn


def _unbroken(series: Series) -> list[list[tuple[int, float]]]:
    runs: list[list[tuple[int, float]]] = [[]]
    for place, value in enumerate(series.values):
        if value is None:
            runs.append([])
        else:
            runs[-1].append((place, value))
    return [run for run in runs if run]


def _legend(i: int, series: Series) -> str:
    x, y = LEFT + (i % 3) * 220, HEIGHT + 8 + (i // 3) * LEGEND_ROW
    box = f'<rect x="{x}" y="{y - 9}" width="10" height="10" fill="{COLOURS[i % len(COLOURS)]}"/>'
    return box + _text(x + 15, y, series.label, "label")


def _tick(x: float, text: str, count: int) -> str:
    if count <= 12 and len(text) < 9:
        return _text(x, HEIGHT - BOTTOM + 14, text, "middle")
    y = HEIGHT - BOTTOM + 10
    turned = f'transform="rotate(-35 {x} {y})" x="{x}" y="{y}"'
    return f'<text class="end small" {turned}>{escape(text[:14])}</text>'


def _text(x: float, y: float, text: str, style: str) -> str:
    return f'<text class="{style}" x="{x}" y="{y}">{escape(text)}</text>' if text else ""


def _bounds(values: Sequence[float], from_zero: bool) -> tuple[float, float]:
    if from_zero or not values:
        return min([*values, 0.0]), max([*values, 1e-9])
    least, most = min(values), max(values)
    return (least, most) if least < most else (least - 0.5, most + 0.5)


def _number(x: float | str, log: bool) -> float | None:
    if isinstance(x, str) or (log and x <= 0):
        return None
    return math.log(x) if log else float(x)


def _nice(spread: float) -> float:
    """A step of 1, 2 or 5 times a power of ten that makes some five ticks."""
    rough = spread / 5
    power: float = 10.0 ** math.floor(math.log10(rough))
    steps: Sequence[float] = (1, 2, 5, 10)
    return power * next(step for step in steps if power * step >= rough * 0.999)
