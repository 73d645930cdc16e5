"""Hits, explanations and queries as a notebook shows them.

All text is escaped; styles are inline, in colours that serve on light and dark pages.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from likewise.search.highlights import MOST, Highlights

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from likewise.document import Document
    from likewise.search.found import Explanation, Hit, Hits
    from likewise.search.generation import Generation
    from likewise.search.query import Learned, Weight

ROWS = 20  # hits that are shown
TERMS = 15  # of an explanation, or of each side of a query
TEXT = 240  # characters of a document's text
UP, DOWN = "rgba(46,160,67,.3)", "rgba(218,54,51,.28)"
LEFT = "text-align:left;vertical-align:top"
QUIET = "opacity:.7;font-size:90%"
# Text may hold characters that turn its direction or hide it; a page has no use for them.
HIDDEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


def hits(found: Hits, generation: Generation | None) -> str:
    """A table of the best hits, the words marked that their scores come from."""
    marks = _Marks(generation, found) if generation else None
    rows = [
        f"<tr><td>{hit.rank}</td><td>{hit.score:.4g}</td><td style='{LEFT}'>{_document(hit, marks)}"
        "</td></tr>"
        for hit in found[:ROWS]
    ]
    head = "<thead><tr><th>rank</th><th>score</th><th></th></tr></thead>"
    more = len(found) - ROWS
    below = [f"and {more:,} more"] if more > 0 else [] if found else ["nothing was found"]
    table = f"<table>{head}<tbody>{''.join(rows)}</tbody></table>"
    return table + paragraphs([*below, *found.notes])


def explanation(found: Explanation) -> str:
    """A bar for each term."""
    title = f"<p><b>{plain(found.id)}</b> scores {found.score:.4g}</p>"
    return title + bars(found.terms)


def query(
    learned: Learned,
    sides: tuple[Sequence[Weight], Sequence[Weight]],
    words: Mapping[str, str],
    terms: int,
) -> str:
    """What was learned, and bars for the terms that count most on each side."""
    said = f"<p><b>{plain(learned.method)}</b>: {plain(about(learned))}; {terms:,} terms</p>"
    shown = [
        weight._replace(term=words.get(weight.term, weight.term))
        for side in sides
        for weight in side[:TERMS]
    ]
    return said + bars(shown) + paragraphs([learned.reason, *learned.notes])


def about(learned: Learned) -> str:
    """How many documents a query was learned from, in words."""
    liked, unlike = learned.examples, learned.unlike
    said = [f"{liked:,} example{'s' if liked != 1 else ''}"]
    if unlike:
        said.append(f"{unlike:,} unlike")
    if learned.unlabeled:
        said.append(f"{learned.unlabeled:,} others")
    return ", ".join(said)


def bars(weights: Sequence[Weight]) -> str:
    """A table of terms and weights, drawn to one scale."""
    most = max((abs(one.weight) for one in weights), default=0.0) or 1.0
    rows = "".join(_bar(one, most) for one in weights[: 2 * TERMS])
    more = len(weights) - 2 * TERMS
    return f"<table><tbody>{rows}</tbody></table>" + (
        paragraphs([f"and {more:,} more terms"]) if more > 0 else ""
    )


def paragraphs(lines: Iterable[str]) -> str:
    return "".join(f"<p style='{QUIET}'>{plain(line)}</p>" for line in lines if line)


def plain(text: str) -> str:
    """Text that a page shows as it stands."""
    return escape(HIDDEN.sub(" ", text))


def marked(text: str, places: Iterable[tuple[tuple[int, int], float]]) -> str:
    """A text with some places marked; each piece is escaped by itself."""
    pieces, end = [], 0
    for (first, last), weight in places:
        style = f"background:{UP if weight > 0 else DOWN};color:inherit"
        word = f"<mark style='{style}'>{plain(text[first:last])}</mark>"
        pieces += [plain(text[end:first]), word]
        end = last
    return "".join([*pieces, plain(text[end:])])


class _Marks:
    """Titles and texts of hits, with the words marked that count."""

    def __init__(self, generation: Generation, found: Hits) -> None:
        self._generation, self._asked = generation, found.query or found.words
        self._places = Highlights(generation.analyzer) if generation.holds_text else None

    def __call__(self, id: str) -> Iterator[str]:
        """The title and the beginning of the text; nothing of a document that is gone."""
        from likewise.search.hits import explain

        snapshot = self._generation.snapshot
        number = int(snapshot.numbers([id])[0])
        if number < 0:
            return
        document: Document = snapshot.document(number, id)
        weights: dict[str, float] = {}
        if self._asked and self._places:
            why = explain(self._generation, id, self._asked, number=number)
            weights = dict(why.terms[:MOST])
        text = document.text if len(document.text) <= TEXT else f"{document.text[:TEXT]}…"
        for part in (document.title, text):
            yield marked(part, self._places(part, weights) if self._places else ())


def _document(hit: Hit, marks: _Marks | None) -> str:
    title, text = [*(marks(hit.id) if marks else ()), "", ""][:2]
    shown = title or plain(hit.title)
    under = f"<br><span style='{QUIET}'>{text}</span>" if text else ""
    return f"<b>{shown}</b> <code>{plain(hit.id)}</code>{under}"


def _bar(one: Weight, most: float) -> str:
    width = round(100 * abs(one.weight) / most)
    colour = UP if one.weight > 0 else DOWN
    style = f"display:inline-block;height:.8em;width:{width}px;background:{colour}"
    return (
        f"<tr><td style='{LEFT}'>{plain(one.term)}</td><td>{one.weight:+.4g}</td>"
        f"<td style='{LEFT}'><span style='{style}'></span></td></tr>"
    )
