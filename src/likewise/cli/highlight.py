"""Highlights the words of a text that count most for its score."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from likewise.search.highlights import MOST, Highlights

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.text import Text

    from likewise.reviews import Highlight
    from likewise.search.hits import Explanation
    from likewise.text import Analyzer

UP, DOWN = "bold green", "red"
OWN = {
    "yellow": "black on yellow",
    "green": "black on green",
    "blue": "black on bright_cyan",
    "pink": "black on bright_magenta",
    "orange": "black on orange1",
}
# Escape sequences in a document would control the terminal; line breaks may stay.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")


class Highlighter:
    """Colours the words whose terms add most to a document's score, or take most from it."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._places = Highlights(analyzer)
        self._own: list[tuple[re.Pattern[str], str]] = []

    def mark(self, words: Iterable[Highlight]) -> None:
        """A reader's own words, each in its colour; * at the end is any ending."""
        self._own = [(_pattern(one.word), OWN.get(one.colour, UP)) for one in words]

    def __call__(self, text: str, explanation: Explanation | None) -> Text:
        from rich.text import Text

        plain = _CONTROL.sub(" ", text)
        marked = Text(plain)
        if explanation is not None:
            for (start, end), weight in self._places(plain, dict(explanation.terms[:MOST])):
                marked.stylize(UP if weight > 0 else DOWN, start, end)
        for pattern, style in self._own:
            for found in pattern.finditer(plain):
                marked.stylize(style, *found.span())
        return marked


def _pattern(word: str) -> re.Pattern[str]:
    bare = r"\s+".join(map(re.escape, word.removesuffix("*").split()))
    end = r"\w*" if word.endswith("*") else r"(?!\w)"
    return re.compile(rf"(?<!\w){bare}{end}", re.IGNORECASE)
