"""The flow of records as a diagram: PRISMA 2020's template for new reviews, as SVG."""

from __future__ import annotations

import re
import textwrap
from html import escape
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from likewise.reviews.report.flow import Flow, FullText

LINE, PAD, GAP = 18, 11, 26  # heights: of a line, within a box, between rows
LEAST = 76  # of a row, so that its phase can be read
BAR_X, BAR = 10, 28  # the bars that name the phases
LEFT_X, LEFT = 56, 320
RIGHT_X, RIGHT = 424, 340
WIDTH = RIGHT_X + RIGHT + 10
CHARACTERS = 42  # a line
NO_TEXT = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # that XML cannot hold

HEAD = f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {{height}}" \
width="{WIDTH}" height="{{height}}" role="img" aria-labelledby="flow-title flow-text" \
font-family="Helvetica, Arial, sans-serif" font-size="13">
<title id="flow-title">PRISMA 2020 flow diagram</title>
<desc id="flow-text">{{text}}</desc>
<defs><marker id="flow-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" \
orient="auto"><path d="M0 0 L8 4 L0 8 z" fill="#555"/></marker></defs>
<rect width="100%" height="100%" fill="#fff"/>
"""


class Row(NamedTuple):
    """A box of the flow and, to its right, what leaves it there."""

    phase: str
    box: list[str]
    beside: list[str]

    @property
    def height(self) -> int:
        return max(LINE * max(len(self.box), len(self.beside)) + 2 * PAD, LEAST)


def svg(flow: Flow) -> str:
    """A picture that stands alone; its text is in it for those who cannot see it."""
    rows = [
        Row(row.phase, list(_wrapped(row.box)), list(_wrapped(row.beside))) for row in _rows(flow)
    ]
    tops, at = [], 10
    for row in rows:
        tops.append(at)
        at += row.height + GAP
    text = ". ".join("; ".join((*row.box, *row.beside)) for row in rows)
    parts = [HEAD.format(height=at - GAP + 10, text=_xml(text))]
    parts += _bars(rows, tops)
    for number, (row, top) in enumerate(zip(rows, tops, strict=True)):
        parts.append(_box(LEFT_X, top, LEFT, row.height, row.box))
        if row.beside:
            middle = top + row.height // 2
            parts.append(_box(RIGHT_X, top, RIGHT, row.height, row.beside))
            parts.append(_arrow(LEFT_X + LEFT, middle, RIGHT_X, middle))
        if number + 1 < len(rows):
            middle, bottom = LEFT_X + LEFT // 2, top + row.height
            parts.append(_arrow(middle, bottom, middle, bottom + GAP))
    return "".join((*parts, "</svg>\n"))


def _rows(flow: Flow) -> Iterator[Row]:
    sources = [_n(f"  {name}", count) for name, count in flow.sources.items()]
    removed = ["Records removed before screening:", _n("  Duplicate records", flow.duplicates)]
    if flow.removed:
        removed.append(_n("  For other reasons", flow.removed))
    yield Row("Identification", [_n("Records identified", flow.identified), *sources], removed)
    excluded = ["Records excluded:", _n("  By reviewers", flow.excluded)]
    excluded.append(_n("  Not reached when screening ended", flow.not_reached))
    if flow.undecided:
        excluded.append(_n("Records not decided yet", flow.undecided))
    yield Row("Screening", [_n("Records screened", flow.screened)], excluded)
    if flow.full_text is None:
        kept = _n("Records included by title and abstract", flow.included)
    else:
        yield from _full_text(flow.full_text)
        kept = _n("Reports included in the review", flow.included)
    yield Row("Included", [kept], [])


def _full_text(found: FullText) -> Iterator[Row]:
    lost = [_n("Reports not retrieved", found.not_retrieved)]
    if found.waiting:
        lost.append(_n("Reports not assessed yet", found.waiting))
    yield Row("Screening", [_n("Reports sought for retrieval", found.sought)], lost)
    excluded = [_n("Reports excluded", sum(found.excluded.values()))]
    excluded += [_n(f"  {reason}", count) for reason, count in found.excluded.items()]
    if found.undecided:
        excluded.append(_n("Reports not decided yet", found.undecided))
    yield Row("Screening", [_n("Reports assessed for eligibility", found.assessed)], excluded)


def _n(what: str, count: int) -> str:
    """In one piece: lines break elsewhere."""
    return f"{what} (n\u00a0=\u00a0{count:,})"


def _wrapped(lines: Iterable[str]) -> Iterator[str]:
    """Two blanks before a line set it in; so they do before what follows of it."""
    for line in lines:
        before = "  " if line.startswith("  ") else ""
        words = textwrap.wrap(line.strip(), CHARACTERS - len(before))
        yield from (before + part for part in words)


def _bars(rows: list[Row], tops: list[int]) -> Iterator[str]:
    for phase in dict.fromkeys(row.phase for row in rows):
        inside = [i for i, row in enumerate(rows) if row.phase == phase]
        top, bottom = tops[inside[0]], tops[inside[-1]] + rows[inside[-1]].height
        x, y = BAR_X + BAR // 2 + 4, (top + bottom) // 2
        size = 10 if bottom - top < 100 else 13
        yield (
            f'<rect x="{BAR_X}" y="{top}" width="{BAR}" height="{bottom - top}" rx="5" '
            'fill="#d8e4ee"/>'
            f'<text transform="rotate(-90 {x} {y})" x="{x}" y="{y}" text-anchor="middle" '
            f'font-size="{size}" fill="#23394d">{phase}</text>\n'
        )


def _box(x: int, top: int, width: int, height: int, lines: list[str]) -> str:
    first = top + (height - LINE * len(lines)) // 2 + LINE - 5
    text = "".join(
        f'<text x="{x + 12 + 6 * (len(line) - len(line.lstrip()))}" y="{first + LINE * i}" '
        f'fill="#222">{_xml(line.strip())}</text>'
        for i, line in enumerate(lines)
    )
    return (
        f'<rect x="{x}" y="{top}" width="{width}" height="{height}" rx="4" fill="#fff" '
        f'stroke="#777"/>{text}\n'
    )


def _arrow(x: int, y: int, to_x: int, to_y: int) -> str:
    return (
        f'<line x1="{x}" y1="{y}" x2="{to_x}" y2="{to_y}" stroke="#555" '
        'marker-end="url(#flow-arrow)"/>\n'
    )


def _xml(text: str) -> str:
    return escape(NO_TEXT.sub("\ufffd", text))
