"""Words that mattered, made visible in a document's text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.text import Text

    from likewise.search import Explanation
    from likewise.text import Analyzer

WORD = re.compile(r"\w+")
MOST = 12  # terms of a document that are shown
UP, DOWN = "bold green", "red"
# Escape sequences out of a document would steer the terminal; line breaks may stay.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")


class Marker:
    """Marks the words whose terms added most to a document's score, or took most from it."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._analyzer = analyzer
        self._terms: dict[str, list[str]] = {}

    def __call__(self, text: str, explanation: Explanation | None) -> Text:
        from rich.text import Text

        plain = _CONTROL.sub(" ", text)
        marked = Text(plain)
        if explanation is not None:
            weights = dict(explanation.terms[:MOST])
            for word in WORD.finditer(plain):
                weight = sum(weights.get(term, 0.0) for term in self._of(word[0]))
                if weight:
                    marked.stylize(UP if weight > 0 else DOWN, *word.span())
        return marked

    def _of(self, word: str) -> list[str]:
        if word not in self._terms:
            self._terms[word] = self._analyzer(word)
        return self._terms[word]
