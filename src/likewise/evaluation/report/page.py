"""A report as one HTML page that needs nothing beside it."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from likewise.evaluation.report import cells
from likewise.evaluation.report.plot import svg
from likewise.evaluation.report.report import facts

if TYPE_CHECKING:
    from likewise.evaluation.report.report import Part, Report
    from likewise.evaluation.report.values import Section

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem;
  color: #1c2733; background: #fff }
h1 { font-size: 1.5rem } h2 { font-size: 1.25rem; margin-top: 2.5rem } h3 { font-size: 1.05rem }
.wide { overflow-x: auto }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: .5rem 0 }
th, td { padding: .15rem .6rem; border-bottom: 1px solid #dde3e8; text-align: left }
th { border-bottom: 2px solid #9aa7b3; vertical-align: bottom }
.number { text-align: right }
.note, dl, details { color: #4b5966; font-size: .9rem }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem } dd { margin: 0;
  overflow-wrap: anywhere }
svg { width: 100%; height: auto; max-width: 62rem; display: block; margin: 1rem 0 }
"""


def page(report: Report) -> str:
    title = f"likewise: tables of {report.date[:10]}"
    links = "".join(f'<li><a href="#{p.name}">{escape(_title(p))}</a></li>' for p in report.parts)
    head = f'<meta charset="utf-8"><title>{title}</title><style>{STYLE}</style>'
    view = '<meta name="viewport" content="width=device-width, initial-scale=1">'
    body = f"<h1>{title}</h1><ul>{links}</ul>" + "".join(_part(report, p) for p in report.parts)
    return f'<!doctype html>\n<html lang="en"><head>{head}{view}</head><body>{body}</body></html>\n'


def _title(part: Part) -> str:
    return f"{part.name}: {part.about}"


def _part(report: Report, part: Part) -> str:
    found = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in facts(report, part)
    )
    origin = f"<details><summary>Where the numbers come from</summary><dl>{found}</dl></details>"
    sections = "".join(map(_section, part.sections))
    return f'<h2 id="{part.name}">{escape(_title(part))}</h2>{origin}{sections}\n'


def _section(section: Section) -> str:
    notes = "".join(f'<p class="note">{escape(note)}</p>' for note in section.notes)
    plots = "".join(map(svg, section.plots))
    return f"<h3>{escape(section.title)}</h3>{_table(section)}{notes}{plots}\n"


def _table(section: Section) -> str:
    if not section.rows:
        return "<p>Nothing was measured.</p>"
    flags = cells.numeric(section.rows)
    head = _row("th", cells.header(section.rows), flags)
    body = "".join(_row("td", cells.texts(section.rows, row), flags) for row in section.rows)
    return f'<div class="wide"><table><thead>{head}</thead><tbody>{body}</tbody></table></div>'


def _row(tag: str, texts: list[str], flags: list[bool]) -> str:
    marks = [' class="number"' if flag else "" for flag in flags]
    joined = "".join(
        f"<{tag}{mark}>{escape(text)}</{tag}>" for text, mark in zip(texts, marks, strict=True)
    )
    return f"<tr>{joined}</tr>"
